"""One pair is taken off a router from settings and files alone; what else is there stays, and the log is told later."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hntes import clock
from hntes.platforms.device_errors import DeliveryError, DriftError
from hntes.platforms.dialect import Dialect
from hntes.platforms.registry import platform_of
from hntes.rules.changeset.candidate import CandidateStoreError
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import term_name
from hntes.settings import Settings
from hntes.settings.retention import Retention
from hntes.sql import approved_texts, audit, changes
from hntes.sql.deliveries import is_reduction, standing
from hntes.sql.engine import open_database
from hntes.sql.session import reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.delivery import removal, without_pair
from hntes.workflow.delivery.removal import PairRemoval, remove_pair
from hntes.workflow.delivery.removal_log import record_removals
from hntes.workflow.errors import CommandError
from hntes.workflow.reports.prune import prunable
from tests.support.benches import DELIVERED_TO
from tests.support.databases import migrated_sqlite
from tests.support.delivery import Site
from tests.support.devices.junos.text import write_text
from tests.support.pushes import Bench, KilledError
from tests.support.qos_models import PAIRS
from tests.support.removals import DELIVERED, hand_over, less, settings_for

PLATFORMS = pytest.mark.parametrize("platform", DELIVERED_TO)
GONE = DELIVERED[1]


@pytest.fixture
def settings(routed: Bench, platform: str) -> Settings:
    found = settings_for(routed, platform)
    hand_over(found, platform)
    return found


@pytest.fixture
def dialect(platform: str) -> Dialect:
    return platform_of(platform).dialect


def withdrawn(routed: Bench, settings: Settings, pair: PrefixPair = GONE, *, commit: bool = True) -> PairRemoval:
    return remove_pair(settings, settings.routers[0], pair, routed.timer, commit=commit)


def outcome(done: PairRemoval) -> str:
    return done.pushed.outcome if done.pushed else "no term"


@PLATFORMS
def test_the_pair_goes_and_all_else_stays(routed: Bench, settings: Settings, platform: str, dialect: Dialect) -> None:
    others = dialect.foreign(routed.shown())
    shown = withdrawn(routed, settings, commit=False)
    assert outcome(shown) == "shown"
    assert shown.wider == (DELIVERED[0],)
    assert routed.holds == "before"
    assert not (settings.paths.output / "wr" / "delivery" / "reduced").exists()
    assert outcome(withdrawn(routed, settings)) == "done"
    routed.router.clock.advance(1e6)
    assert dialect.owned(routed.shown()) == dialect.part_of(less(platform, GONE).text)
    assert dialect.foreign(routed.shown()) == others
    assert outcome(withdrawn(routed, settings)) == "no term"


@PLATFORMS
def test_one_pair_after_the_other_down_to_the_last(
    routed: Bench, settings: Settings, platform: str, dialect: Dialect
) -> None:
    for pair in DELIVERED:
        assert outcome(withdrawn(routed, settings, pair)) == "done"
    routed.router.clock.advance(1e6)
    assert dialect.owned(routed.shown()) == dialect.part_of(less(platform, *DELIVERED).text)


@PLATFORMS
def test_one_that_was_cut_is_ended_by_the_next_call(
    routed: Bench, settings: Settings, platform: str, dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(removal, "_verify", killed)
        with pytest.raises(KilledError):
            withdrawn(routed, settings)
    with pytest.raises(DeliveryError, match="another push is unfinished"):
        withdrawn(routed, settings, DELIVERED[2])
    # Where no other session confirms a trial the next call waits until it is over, and begins anew.
    assert outcome(withdrawn(routed, settings)) == ("finished" if routed.is_confirmed_by_any else "done")
    routed.router.clock.advance(1e6)
    assert dialect.owned(routed.shown()) == dialect.part_of(less(platform, GONE).text)


@PLATFORMS
def test_a_router_that_somebody_changed_is_shown_and_left_alone(routed: Bench, settings: Settings) -> None:
    routed.changed_by_alice(routed.alices_own)
    before = routed.shown()
    with pytest.raises(
        DriftError, match=rf"remove everything of HNTES[\s\S]*{routed.alices_own_shown.removeprefix('(?s)')}"
    ):
        withdrawn(routed, settings)
    assert routed.shown() == before


def test_a_pair_that_no_term_matches_exactly_is_told_with_the_wider_ones(routed: Bench, settings: Settings) -> None:
    done = withdrawn(routed, settings, PrefixPair.parse("198.18.10.9/32>203.0.113.9/32"))
    assert outcome(done) == "no term"
    assert done.wider == (PAIRS[0],)
    assert routed.holds == "before"


def test_a_changed_model_or_another_renderer_changes_nothing(
    routed: Bench, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(without_pair, "render", lambda _: less("junos", *DELIVERED).text)
    with pytest.raises(CommandError, match="rendered by another version"):
        withdrawn(routed, settings)
    monkeypatch.undo()
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    (model,) = (settings.paths.output / "wr" / "candidates").glob("*.json")
    model.write_text(model.read_text(encoding="utf-8").replace("198.18.20.0", "198.18.30.0"), encoding="utf-8")
    with pytest.raises((CandidateStoreError, DriftError), match="not the model"):
        withdrawn(routed, settings)
    assert routed.holds == "before"


@pytest.fixture
def context(settings: Settings, tmp_path: Path) -> Iterator[Context]:
    database = open_database(migrated_sqlite(tmp_path / "hntes.db"))
    yield Context(settings, database)
    database.dispose()


def test_it_is_recorded_once_and_what_is_left_counts_as_delivered(
    routed: Bench, settings: Settings, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    withdrawn(routed, settings)
    router, left = settings.routers[0], less("junos", GONE)
    assert record_removals(context, router) == 3
    assert record_removals(context, router) == 0
    with reading(context.database) as session:
        events = audit.events(session, "wr")
    assert [(each.kind, each.outcome) for each in events] == [
        ("push", "trial starts"),
        ("push", "verified: to be confirmed"),
        ("push", "kept"),
        ("verified", ""),
    ]
    assert {each.candidate_hash for each in events} == {left.hash}
    assert str(GONE) in (events[-1].note or "")
    assert [each.candidate_hash for each in standing(events, "wr")] == [left.hash]
    assert is_reduction(events[-1])
    monkeypatch.setattr(clock, "today", lambda: date(2099, 1, 1))
    kept = settings.model_copy(update={"retention": Retention(candidate_days=1)})
    (old,) = (each.files for each in prunable(Context(kept, context.database)) if each.what == "candidates")
    assert {Path(each).stem for each in old} == {less("junos").hash}
    for path in (settings.paths.output / "wr" / "candidates").glob("*"):
        path.unlink()
    assert known_candidate(context, router, left.hash).text == left.text


def test_its_record_takes_no_lock_after_that_of_the_log(
    routed: Bench, settings: Settings, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On PostgreSQL a decision has the lock of the router's changes first, then waits for that of the log."""
    withdrawn(routed, settings)
    taken: list[tuple[str, ...]] = []
    for module in (audit, changes, approved_texts):
        monkeypatch.setattr(module, "lock", lambda _, *partition: taken.append(partition))
    record_removals(context, settings.routers[0])
    first = list(dict.fromkeys(taken))
    assert first == [("change", "wr"), ("approved_text", less("junos", GONE).hash), ("audit_event",)]


def delivered_pair(site: Site) -> tuple[str, str]:
    """Delivers what is approved, and names one of its pairs."""
    site.approve()
    site.installation.run("router", "deliver", "--router", "r1", "--commit")
    (delivered,) = (site.installation.output / "r1" / "approved").glob("*.conf")
    source, destination = re.findall(r"/\* (\S+) > (\S+) \*/", delivered.read_text(encoding="utf-8"))[0]
    return source, destination


def test_by_the_command_and_what_the_next_day_makes_of_it(site: Site) -> None:
    run, (source, destination) = site.installation.run, delivered_pair(site)
    said = run("router", "remove", "--pair", f"{source}>{destination}", "--commit").stdout
    assert "r1: the pair is removed" in said
    assert f"hntes override exclude add {source} --side source --router r1" in said
    assert "r1: equal" in run("router", "drift", "--router", "r1").stdout
    refused = run("router", "deliver", "--router", "r1", "--commit", expect=3).stderr
    assert "the delivered configuration has changed" in refused
    assert "approved, not delivered" in run("change", "show", "--router", "r1").stdout
    assert 'hntes_approved_is_confirmed{router="r1"} 0.0' in run("metrics").stdout


def test_a_delivery_ends_a_removal_that_was_cut_and_does_not_bring_the_pair_back(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KilledError

    run, (source, destination) = site.installation.run, delivered_pair(site)
    term = term_name(PrefixPair.parse(f"{source}>{destination}"))
    assert term in "\n".join(write_text(site.router.active))
    with monkeypatch.context() as patched:
        patched.setattr(removal, "_verify", killed)
        with pytest.raises(KilledError):
            run("router", "remove", "--pair", f"{source}>{destination}", "--commit")
    assert "a pair of it, was removed" in run("router", "deliver", "--router", "r1", "--commit", expect=3).stderr
    site.router.clock.advance(1e6)
    assert term not in "\n".join(write_text(site.router.active))
    assert "r1: equal" in run("router", "drift", "--router", "r1").stdout
    assert not site.journal.exists()
    assert site.log()[-2:] == ["push kept", "verified"]
