"""What is reported of routers: only of what is in force, once, and told apart from the approval."""

import pytest
from sqlalchemy import Engine

from hntes.sql import audit, proposals
from hntes.sql.audit_chain import first_break
from hntes.sql.change import Change
from hntes.sql.deliveries import Report, report_delivered
from hntes.sql.errors import InvalidEntryError
from hntes.sql.session import Session, transaction
from hntes.workflow.review.status import progress_of, standing_of
from tests.support.decisions import decide_as
from tests.support.entries import change_set
from tests.support.gate_verdicts import pass_gate

A, B = f"{'a' * 40}{'1' * 24}", f"{'a' * 40}{'2' * 24}"
FIRST = change_set(candidate_hash=A)


def approve(session: Session, entry: Change = FIRST) -> Change:
    proposals.put(session, entry)
    holds = pass_gate(session, entry.router, entry.candidate_hash)
    return decide_as(
        session, entry.router, entry.day, entry.candidate_hash, "approved", "anna", None, 999, holds=holds
    ).change


def report(session: Session, candidate_hash: str = A, *, is_confirmed: bool = False) -> Report:
    return report_delivered(session, "r1", candidate_hash, "robot", "commit 7", is_confirmed=is_confirmed)


def test_a_report_is_an_event_with_its_identity_and_repeating_it_adds_none(store: Engine) -> None:
    with transaction(store) as session:
        approve(session)
        assert report(session, "aaaaaa").outcome == "recorded"
        (event,) = audit.events(session, "r1", ("loaded", "verified"))
        assert (event.kind, event.candidate_hash, event.day) == ("loaded", A, FIRST.day)
        assert (event.who, event.note, event.identity[:3]) == ("robot", "commit 7", "os:")
        assert report(session).outcome == "known"
        assert report(session, is_confirmed=True).outcome == "recorded"
        assert report(session, is_confirmed=True).outcome == "known"
        found = audit.events(session)
        assert [event.kind for event in found][-2:] == ["loaded", "verified"]
        assert first_break(found) is None


def test_what_is_confirmed_is_delivered(store: Engine) -> None:
    with transaction(store) as session:
        approve(session)
        report(session, is_confirmed=True)
        assert [event.kind for event in audit.events(session, "r1", ("loaded", "verified"))] == ["loaded", "verified"]


def test_another_hash_is_refused_and_leaves_no_event(store: Engine) -> None:
    with transaction(store) as session:
        assert "nothing is approved" in report(session).explanation
        approve(session)
        refused = report(session, B)
        assert refused == Report("refused", f"router r1: approved is {A} of {FIRST.day}, not {B}; nothing was recorded")
        with pytest.raises(InvalidEntryError, match="'aaaaa' is too short; give 6 digits or more"):
            report(session, "aaaaa")
        with pytest.raises(InvalidEntryError, match="needs the name"):
            report_delivered(session, "r1", A, " ")
        assert audit.events(session, "r1", ("loaded", "verified")) == ()


def test_each_standing_and_the_routers_three_texts(store: Engine) -> None:
    with transaction(store) as session:
        entry = proposals.put(session, FIRST)

        def standing() -> str:
            return standing_of(entry, audit.events(session, "r1"), is_judged=False)

        assert standing() == "proposed"
        assert standing_of(entry, (), is_judged=True) == "judged"
        assert progress_of(session, "r1").lines == []
        entry = approve(session)
        assert standing() == "approved"
        assert progress_of(session, "r1").lines[1:] == [
            "r1 delivered: approved, not delivered", "r1 confirmed: -",
        ]  # fmt: skip
        report(session)
        assert standing() == "delivered"
        assert progress_of(session, "r1").lines[2] == "r1 confirmed: not confirmed by the router"
        report(session, is_confirmed=True)
        assert standing() == "confirmed"
        progress = progress_of(session, "r1")
        assert progress.approved is not None
        assert progress.is_confirmed
        assert f"r1 approved:  {A[:12]} of {FIRST.day}, at 2" in progress.lines[0]


def test_a_later_approval_is_not_delivered_by_the_report_on_the_one_before(store: Engine) -> None:
    with transaction(store) as session:
        approve(session)
        report(session, is_confirmed=True)
        later = approve(session, change_set(day=FIRST.day.replace(day=2), candidate_hash=B, base_hash=A))
        progress = progress_of(session, "r1")
        assert (progress.is_delivered, progress.is_confirmed) == (False, False)
        assert progress.lines[1].startswith(
            f"r1 delivered: approved, not delivered; before: {A[:12]} of {FIRST.day}, at "
        )
        assert standing_of(later, audit.events(session, "r1"), is_judged=True) == "approved"
        assert (
            standing_of(FIRST.__class__(**{**vars(FIRST), "state": "approved"}), audit.events(session), is_judged=True)
            == "confirmed"
        )
        assert report(session, A).outcome == "refused"
