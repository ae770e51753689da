"""Short worlds (tests/support/world): each platform's, and that defects put in on purpose are found in them."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

import hntes
from hntes import files
from hntes.sql import audit, overrides
from hntes.workflow.delivery import authority, scheduled_delivery
from tests.support.world import campaign
from tests.support.world import site as site_module
from tests.support.world.broken import BrokenError
from tests.support.world.campaign import noted, of, shortest, told, worlds
from tests.support.world.history import Event, History, drawn
from tests.support.world.people import HOUR_MS, People
from tests.support.world.places import PLATFORMS
from tests.support.world.results import Results, summed, version_of_sources
from tests.support.world.run import World
from tests.support.world.site import site
from tests.support.world.traffic import FILES_A_DAY, TRANSFERS

NIGHTS = 3


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_short_world_holds(platform: str) -> None:
    found = worlds([7], NIGHTS, (platform,))
    assert found.broken is None, told(found.broken)
    assert found.acts["night"] == NIGHTS


def test_a_world_is_the_same_from_the_same_seed() -> None:
    first, second = (of(drawn(11, 2, ("junos",))) for _ in range(2))
    assert (first.log, first.happened, first.acts) == (second.log, second.happened, second.acts)
    assert len(first.log) > 2


@pytest.mark.parametrize("platform", ["junos", "iosxe"])
def test_a_world_is_the_same_whether_readers_remember_or_not(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    history = drawn(12, 2, (platform,))
    first = of(history)
    monkeypatch.setattr(site_module, "remembering_readers", lambda _: nullcontext())
    second = of(history)
    assert (first.log, first.happened, first.broken) == (second.log, second.happened, second.broken)


def night_with(*between: Event, approvals: int = 1) -> History:
    """A night, its approval, what happens then, and the delivery."""
    events = (Event(0, "night"), Event(0, "approve"), *between, Event(0, "deliver"))
    return History(3, ("junos",), approvals, events)


EXCLUSIONS = tuple(Event(0, "exclude", seed=seed) for seed in range(4 * len(TRANSFERS)))


def test_an_exclusion_ignored_at_delivery_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    history = night_with(*EXCLUSIONS)
    assert of(history).broken is None
    monkeypatch.setattr(authority, "_excluded", lambda *_: iter(()))
    world = of(history)
    assert world.broken is not None
    assert world.broken.name == "nothing excluded or protected arrives"


# Its reservation is on the router from the first morning to the second.
OVER_NIGHT = Event(0, "reserve", seed=23)
RESTORED = (
    *(Event(0, act) for act in ("night", "approve", "deliver")), OVER_NIGHT,
    *(Event(1, act) for act in ("night", "approve reservations", "back up", "deliver reservations", "restore")),
    Event(2, "deliver reservations"),
)  # fmt: skip


def test_a_restored_database_that_tells_what_runs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says that the rules alone run, and that is due; the router polices what has ended."""
    history = History(3, ("junos",), 1, RESTORED, reserves=True)
    world = of(history)
    assert world.broken is None, told(world)
    assert any("names it, and it is gone" in line for line in world.log), world.log
    monkeypatch.setattr(scheduled_delivery, "require_deliveries_known", lambda *_: None)
    monkeypatch.setattr(scheduled_delivery, "_is_held", lambda _, state: state.runs_due)
    broken = of(history).broken
    assert broken is not None
    assert broken.name == "what has ended leaves"


def test_after_a_restored_database_the_first_rules_are_approved_once_more() -> None:
    """The database knows of no delivery; a person removes what the router has, and the rules lead from nothing."""
    lost = (*(Event(0, act) for act in ("night", "back up")), Event(1, "approve", 2), Event(1, "settle"))
    world = of(History(10501, ("sros", "iosxr", "eos"), 1, (*lost, Event(2, "restore"))))
    assert world.broken is None, told(world)
    assert any("differs from the last delivery" in line for line in world.log), world.log


def test_a_restarted_router_may_have_again_what_it_had_saved() -> None:
    """The end of a reservation arrived, and the session was lost before the router had saved it."""
    reserved = (Event(35, "reserve", 2, seed=3118475850), Event(36, "night", seed=2318095142))
    delivered = (Event(36, "approve", 2, seed=3548758120), Event(36, "settle", seed=48943175))
    lost = (Event(37, "deliver", 2, "silent", 3219433745), Event(38, "router restarts", 2, seed=1897379201))
    world = of(History(142, ("junos", "iosxe", "sros"), 1, (*reserved, *delivered, *lost), reserves=True))
    assert world.broken is None, told(world)
    assert world.happened["router restarted"] == 1


def test_a_half_written_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    torn = [History(3, ("junos",), 1, (Event(0, "night", fault="torn write", seed=seed),)) for seed in range(30)]
    monkeypatch.setattr(files, "replacing", in_place)
    found = next((world.broken for world in map(of, torn) if world.broken is not None), None)
    assert found is not None
    assert found.name == "no text is half written"


def test_a_night_that_is_run_again_finds_the_same_files(tmp_path: Path) -> None:
    """Else a file that was lost would come with the repetition, of another place, and the day would be complete."""
    with site(tmp_path / "site", ("junos",)) as made:
        people, seen = People(1, made), []
        for _ in range(5):
            people.traffic(0, {"r1": "lost file"})
            seen.append({path.name: path.read_bytes() for path in (made.folder / "flows" / "r1").iterdir()})
    assert len(seen[0]) == FILES_A_DAY - 1
    assert seen == [seen[0]] * 5


def test_what_a_person_says_is_of_the_true_day(tmp_path: Path) -> None:
    """The clock of the machine may have jumped by weeks."""
    with site(tmp_path / "site", ("junos",)) as made:
        people = People(1, made)
        people.set_clock(0, 1)
        made.machine.now_ms += 700 * HOUR_MS
        people.exclude(made.places[0], TRANSFERS[0], "anna")
        (excluded,) = made.look(lambda session: overrides.exclusions(session, "r1"))
    assert excluded.from_day == people.day(1)


@contextmanager
def in_place(path: Path, **_: object) -> Iterator[Path]:
    """A defect: a file is written where it is, not beside; of modules that are loaded later, too."""
    files.make_folder(path.parent)
    yield path
    with path.open("rb") as written:
        os.fsync(written.fileno())


def test_a_dropped_log_entry_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "append", dropping(audit.append, "exclude"))
    world = of(night_with(EXCLUSIONS[0]))
    assert world.broken is not None
    assert world.broken.name == "the log tells what happened"


def dropping(append: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """A defect: events of a kind are not written."""

    def appended(session: Any, new: Any, *others: Any) -> Any:
        return None if new.kind == kind else append(session, new, *others)

    return appended


def test_a_broken_history_is_shortened_to_what_breaks_it() -> None:
    """Two of twelve events break it, in their order."""
    events = tuple(Event(night, act) for night in range(4) for act in ("night", "approve", "deliver"))
    needed = (events[4], events[8])

    def run(history: History) -> World:
        world = World(history)
        if all(each in history.events for each in needed):
            world.broken, world.after = BrokenError("made for this test", "both"), needed[1]
        return world

    world = shortest(run(History(1, ("junos",), 1, events)), run=run)
    assert world.history.events == needed


def test_a_campaign_goes_on_where_it_was_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was cut off by a kill is asked again, a broken world stops no other, and other sources are other results."""
    asked: list[int] = []

    def of(history: History) -> World:
        asked.append(history.seed)
        world = World(history, happened=Counter({"torn write": 2, "cut": 0}), acts=Counter({"night": 3}))
        if history.seed == 5:
            world.broken = BrokenError("made for this test", "both\nlines")
        return world

    monkeypatch.setattr(campaign, "of", of)
    results = Results(tmp_path / "new" / "results", 3, "a")
    assert [each.seed for each in noted([4, 5], results)] == [4, 5]
    results.path.write_bytes(results.path.read_bytes()[:-9])
    found = noted([4, 5, 6], results)
    assert asked == [4, 5, 5, 6]
    again = noted([4, 5, 6], results)
    assert [(each.seed, each.broken) for each in again] == [(4, ""), (5, "made for this test: both\nlines"), (6, "")]
    assert [each.happened for each in again] == [{"torn write": 2}] * 3
    assert asked == [4, 5, 5, 6]
    said = summed(found).splitlines()
    assert (said[1:5], said[0].split(",")[0]) == (
        ["faults: torn write 6", "acts: night 9", "broken: made for this test 1", "  seed 5: made for this test: both"],
        "3 worlds",
    )
    noted([4], Results(results.path, 3, "b"))
    noted([4], Results(results.path, 2, "a"))
    assert asked == [4, 5, 5, 6, 4, 4]
    assert set(results.known()) == {4, 5, 6}


def test_the_sources_of_a_campaign_have_a_version_of_their_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.support.world.results._ROOT", tmp_path)
    package = tmp_path / "src" / "hntes"
    package.mkdir(parents=True)
    for name in ("etl", "rules", "sql", "templates"):
        assert (Path(hntes.__file__).parent / name).is_symlink()
        (tmp_path / name).mkdir()
        (package / name).symlink_to(f"../../{name}")
    for changed in ("x.py", "etl/x.py", "rules/x.py", "sql/x.sql", "templates/x.j2"):
        seen = []
        for text in ("a", "b", "a"):
            (package / changed).write_text(text)
            version_of_sources.cache_clear()
            seen.append(version_of_sources())
        assert seen[0] == seen[2] != seen[1], changed
    version_of_sources.cache_clear()
