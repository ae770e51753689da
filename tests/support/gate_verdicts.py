"""Verdicts as the gate would store them, for tests of what comes after it."""

from dataclasses import replace
from datetime import date

from hntes.sql.entries import CRITERIA, GateVerdictEntry, JudgementEntry
from hntes.sql.judgements import identified, judgement_of, replace_judgement
from hntes.sql.session import Session
from tests.support.entries import gate_verdict

DAY = date(2026, 3, 1)


def judgement(router: str = "r1", candidate_hash: str = "candidate A", **parts: object) -> JudgementEntry:
    """A judgement with its identity; `parts` exchange what it was made from."""
    made = JudgementEntry(
        router=router,
        candidate_hash=candidate_hash,
        model_hash="model A",
        day=DAY,
        limits='{"delay_increase_ms":2.0}',
        parameters='{"seed":1}',
        plan="{}",
        detection="{}",
        peaks='{"xe-0/0/1":1e9}',
        traffic="{}",
        engine_version="engine A",
    )
    return identified(replace(made, **parts))


def passing(router: str, candidate_hash: str) -> list[GateVerdictEntry]:
    """One passing verdict a criterion."""
    return [gate_verdict(router=router, candidate_hash=candidate_hash, criterion=name) for name in CRITERIA]


def pass_gate(session: Session, router: str, candidate_hash: str) -> JudgementEntry:
    """Stores them, of the judgement that is there, or of one made here."""
    stored = judgement_of(session, router, candidate_hash) or judgement(router, candidate_hash)
    replace_judgement(session, stored, passing(router, candidate_hash))
    return stored
