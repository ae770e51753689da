"""`hntes change review` on a terminal: what waits, one after the other; and what a terminal of 80 columns shows."""

import re
from pathlib import Path

import pytest

from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.terminal import on_terminal


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    return prepared_nights.site(tmp_path / "site")


def states(site: Installation) -> dict[str, tuple[str, str | None]]:
    return {entry["router"]: (entry["state"], entry["decision_note"]) for entry in site.json("change", "list", "--all")}


def test_one_is_approved_one_rejected_with_a_note_and_one_left(site: Installation) -> None:
    answers = ["a", "r1", "ticket 42", "x", "d", "r", "too early", "q"]
    status, seen = on_terminal(site.command("change", "review", "--who", "anna"), answers)
    assert status == 0, seen
    assert states(site) == {"r1": ("approved", "ticket 42"), "r2": ("rejected", "too early"), "r3": ("pending", None)}
    assert seen.index("-- 1 of 3") < seen.index("-- 2 of 3") < seen.index("-- 3 of 3")
    assert "gate: passed" in seen
    assert "+++ " in seen  # the difference that was asked for
    assert "1 approved, 1 rejected, 1 change still to be decided" in seen


@pytest.mark.parametrize("typed", ["", "y", "r2"])
def test_a_first_configuration_is_not_approved_by_a_key_alone(site: Installation, typed: str) -> None:
    status, seen = on_terminal(site.command("change", "review"), ["a", typed, "q"])
    assert status == 0, seen
    assert "check carefully: first configuration of this router. To approve, type the router's name, r1: " in seen
    assert "not approved: that is not r1" in seen
    assert "3 changes still to be decided" in seen
    assert {state for state, _ in states(site).values()} == {"pending"}


def test_without_a_terminal_it_is_wrong_usage(site: Installation) -> None:
    assert "standard input is not a terminal" in site.run("change", "review", expect=2).stderr


def test_what_the_gate_has_not_passed_cannot_be_approved(site: Installation) -> None:
    text = site.settings.read_text()
    site.settings.write_text(text.replace("[gate]\n", "[gate]\nthroughput_pct = 96\n"))  # not what was judged
    status, seen = on_terminal(site.command("change", "review", "--router", "r1"), ["a", "s"])
    assert status == 0, seen
    assert "[a] approve" not in seen
    assert "[p]" not in seen, "a single change is not offered among others"
    assert "[n]" not in seen
    assert states(site)["r1"] == ("pending", None)


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_nothing_that_one_decides_by_is_cut(site: Installation, columns: int) -> None:
    status, seen = on_terminal(site.command("change", "list"), columns=columns)
    assert status == 0
    for entry in site.json("change", "list"):
        row = rf"^{entry['router']} +{NIGHT} +judged +{entry['candidate_hash'][:12]} +complete +passed"
        assert re.search(row, seen, re.MULTILINE)
        assert "".join(entry["summary"].split()) in "".join(seen.split())
    assert max(map(len, seen.splitlines())) <= columns


def test_all_that_is_left_is_rejected_with_one_note(site: Installation) -> None:
    answers = ["s", "n", "n", "n", "y", "flows of a test"]  # no to the first question, yes to the second
    status, seen = on_terminal(site.command("change", "review", "--who", "anna"), answers)
    assert status == 0, seen
    rejected = ("rejected", "flows of a test")
    assert states(site) == {"r1": ("pending", None), "r2": rejected, "r3": rejected}
    assert seen.count("reject 2 changes? [y/N]") == 2
    assert "2 rejected, 1 change still to be decided" in seen
    assert {each["who"] for each in site.json("audit", "--kind", "decide")} == {"anna"}


def test_all_that_passed_are_approved_after_they_were_listed(site: Installation) -> None:
    # r1 and r2 have an approved text by now; the change of r3 is its first, which needs a look of its own
    for router in ("r1", "r2"):
        (entry,) = (each for each in site.json("change", "list") if each["router"] == router)
        site.run("change", "approve", "--router", router, "--hash", entry["candidate_hash"])
        site.pin("198.18.99.0/24>203.0.113.0/24", NIGHT, router=router, owner="bert")
        site.run("nightly", "--day", "2026-11-21", "--router", router)
    waiting = {each["router"]: each["candidate_hash"] for each in site.json("change", "list")}
    status, seen = on_terminal(site.command("change", "review", "--who", "anna"), ["p", "y", "ticket 7", "q"])
    assert status == 0, seen
    listed = seen[seen.index("approve all of 3 that passed") : seen.index("approve 2 changes? [y/N]")]
    assert all(waiting[router][:12] in listed for router in ("r1", "r2"))
    assert waiting["r3"][:12] not in listed
    assert f"skipped: r3 {NIGHT}: first configuration of this router" in listed
    decided = {(each["router"], each["day"]): each for each in site.json("change", "list", "--all")}
    assert [decided[router, "2026-11-21"]["state"] for router in ("r1", "r2")] == ["approved", "approved"]
    assert decided["r1", "2026-11-21"]["decision_note"] == "ticket 7"
    assert decided["r3", NIGHT]["state"] == "pending"
    assert "-- 3 of 3" in seen, "it goes on with what was left out"
    assert "2 approved, 1 change still to be decided" in seen
