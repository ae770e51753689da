"""Verdicts as the gate would store them, for tests of what comes after it."""

from dataclasses import replace

from sqlalchemy.orm import Session

from sql.entries import CRITERIA, GateVerdictEntry
from sql.verdicts import replace_verdicts


def passing(router: str, candidate_hash: str) -> list[GateVerdictEntry]:
    """One passing verdict a criterion."""
    made = GateVerdictEntry(
        router, candidate_hash, "structure", "findings", "", "passed", "as it should be", 0.0, 0.0, "findings",
        "text", None, None,
    )  # fmt: skip
    return [replace(made, criterion=name) for name in CRITERIA]


def pass_gate(session: Session, router: str, candidate_hash: str) -> None:
    """Stores them."""
    replace_verdicts(session, router, candidate_hash, passing(router, candidate_hash))
