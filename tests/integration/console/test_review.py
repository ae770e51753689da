"""`hntes review` on a terminal: what waits, one after the other; and what a terminal of 80 columns shows."""

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
    return {entry["router"]: (entry["state"], entry["decision_note"]) for entry in site.json("changes", "--all")}


def test_one_is_approved_one_rejected_with_a_note_and_one_left(site: Installation) -> None:
    answers = ["a", "ticket 42", "x", "d", "r", "too early", "q"]
    status, seen = on_terminal(site.command("review", "--who", "anna"), answers)
    assert status == 0, seen
    assert states(site) == {"r1": ("approved", "ticket 42"), "r2": ("rejected", "too early"), "r3": ("pending", None)}
    assert seen.index("-- 1 of 3") < seen.index("-- 2 of 3") < seen.index("-- 3 of 3")
    assert "gate: passed" in seen
    assert "+++ " in seen  # the difference that was asked for
    assert "1 approved, 1 rejected, 1 change set still to be decided" in seen


def test_without_a_terminal_it_is_wrong_usage(site: Installation) -> None:
    assert "standard input is not a terminal" in site.run("review", expect=2).stderr


def test_what_the_gate_has_not_passed_cannot_be_approved(site: Installation) -> None:
    text = site.settings.read_text()
    site.settings.write_text(text.replace("[gate]\n", "[gate]\nthroughput_pct = 96\n"))  # not what was judged
    status, seen = on_terminal(site.command("review", "--router", "r1"), ["a", "s"])
    assert status == 0, seen
    assert "[a] approve" not in seen
    assert states(site)["r1"] == ("pending", None)


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_nothing_that_one_decides_by_is_cut(site: Installation, columns: int) -> None:
    status, seen = on_terminal(site.command("changes"), columns=columns)
    assert status == 0
    for entry in site.json("changes"):
        row = rf"^{entry['router']} +{NIGHT} +judged +{entry['candidate_hash'][:12]} +complete +passed"
        assert re.search(row, seen, re.MULTILINE)
        assert "".join(entry["summary"].split()) in "".join(seen.split())
    assert max(map(len, re.sub(r"\x1b\[\d*m", "", seen).splitlines())) <= columns
