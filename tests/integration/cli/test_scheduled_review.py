"""`hntes change review` on a terminal asks about texts at edges after the changes, and decides on what it
showed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hntes import clock
from hntes.sql.judgements import clear
from hntes.sql.session import transaction
from tests.support.installation import Installation
from tests.support.scheduled_site import (
    SECOND,
    approve_rules,
    at,
    pass_gate,
    propose,
    reserve,
    scheduled_site,
    standing,
)
from tests.support.terminal import on_terminal

HOUR = 3600


@pytest.fixture
def site(tmp_path: Path) -> Installation:
    """By the machine's clock, as commands are processes: one begins in an hour, one in two, and both end in three."""
    made = scheduled_site(tmp_path)
    now_s = clock.now_ms() // 1000
    with at(made) as context:
        approve_rules(context, day=(datetime.now(UTC) - timedelta(days=1)).date())
        reserve(context, now_s + HOUR, now_s + 3 * HOUR)
        reserve(context, now_s + 2 * HOUR, now_s + 3 * HOUR, pair=SECOND)
        propose(context)
        pass_gate(context)
    return made


def states(site: Installation) -> list[tuple[str, str | None, str | None]]:
    with at(site) as context:
        return [(each.state, each.decided_by, each.decision_note) for each in standing(context)]


def test_one_is_approved_one_is_rejected_and_one_is_left(site: Installation) -> None:
    answers = ["d", "a", "ticket 42", "x", "r", "too early", "s"]
    status, seen = on_terminal(site.command("change", "review", "--who", "anna"), answers)
    assert status == 0, seen
    with at(site) as context:
        found = [(each.state, each.decided_by, each.decision_note) for each in standing(context)]
    # a rejected one is no longer listed
    assert found == [("approved", "anna", "ticket 42"), ("pending", None, None)]
    assert seen.index("-- text 1 of 3") < seen.index("-- text 2 of 3") < seen.index("-- text 3 of 3")
    assert "reserved: reservation-1 1 Gb/s, reservation-2 1 Gb/s" in seen
    assert "gate: passed" in seen
    assert "hntes-premium-reservation-1" in seen  # of the difference that was asked for
    assert "1 approved, 1 rejected, 1 text still to be decided" in seen
    decided = [each for each in site.json("audit", "--kind", "decide") if each["who"] == "anna" and each["note"]]
    assert [each["outcome"] for each in decided] == ["approved", "rejected"]
    site.run("audit", "--verify")


def test_what_the_gate_has_not_passed_cannot_be_approved(site: Installation) -> None:
    with at(site) as context, transaction(context.database) as session:
        for each in standing(context):
            clear(session, "r1", each.candidate_hash)
    status, seen = on_terminal(site.command("change", "review"), ["a", "q"])
    assert status == 0, seen
    assert "not judged yet" in seen
    assert "[a] approve" not in seen
    assert {state for state, _, _ in states(site)} == {"pending"}


def test_nothing_waits_where_all_is_decided(site: Installation) -> None:
    status, _ = on_terminal(site.command("change", "review", "--who", "anna"), ["a", "", "a", "", "a", ""])
    assert status == 0
    assert {state for state, _, _ in states(site)} == {"approved"}
    status, seen = on_terminal(site.command("change", "review"))
    assert (status, seen.strip()) == (0, "no change waits for a decision")
