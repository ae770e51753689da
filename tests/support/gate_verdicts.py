"""Verdicts as the gate would store them, for tests of what comes after it."""

from sqlalchemy.orm import Session

from sql.entries import CRITERIA, GateVerdictEntry
from sql.verdicts import replace_verdicts
from tests.support.entries import gate_verdict


def passing(router: str, candidate_hash: str) -> list[GateVerdictEntry]:
    """One passing verdict a criterion."""
    return [gate_verdict(router=router, candidate_hash=candidate_hash, criterion=name) for name in CRITERIA]


def pass_gate(session: Session, router: str, candidate_hash: str) -> None:
    """Stores them."""
    replace_verdicts(session, router, candidate_hash, passing(router, candidate_hash))
