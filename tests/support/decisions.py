"""Decisions on nightly changes as tests of the database make them, without workflow around them."""

from datetime import date

from hntes.sql import decisions
from hntes.sql.change import nightly_id
from hntes.sql.decisions import Decision, Needs, Person, Request, Verdict
from hntes.sql.entries import JudgementEntry
from hntes.sql.session import Session


def decide_as(
    session: Session, router: str, day: date, candidate_hash: str, verdict: Verdict, who: str, note: str | None,
    now_ms: int, *, identity: str | None = None, approvals: int = 1, new_pairs_limit: int | None = None,
    holds: JudgementEntry | None = None,
) -> Decision:  # fmt: skip
    """A person of that name decides on the change of a day; `holds` is the judgement that holds now."""
    request = Request(nightly_id(router, day), candidate_hash, verdict)
    needs = Needs(approvals, new_pairs_limit)
    return decisions.decide(session, request, Person(who, note, identity), now_ms, needs=needs, holds_now=holds)
