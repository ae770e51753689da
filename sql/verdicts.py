"""The gate's verdicts on candidates, as they are read. Works within the caller's transaction."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict

from hntes.sql import judgements
from hntes.sql.entries import CRITERIA, GateVerdictEntry, JudgementEntry
from hntes.sql.judgements import GATE_VERDICT
from hntes.sql.rows import fetch_by
from hntes.sql.session import Session


def digest_of(entries: Iterable[GateVerdictEntry]) -> str:
    """SHA-256 of verdicts in any order, which identifies them in the audit log."""
    lines = sorted(json.dumps(asdict(entry), sort_keys=True) for entry in entries)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def verdicts(session: Session, router: str, candidate_hash: str) -> tuple[GateVerdictEntry, ...]:
    """The verdicts on a candidate, by criterion, port and measure; none if it was never judged."""
    found = fetch_by(session, GATE_VERDICT, GateVerdictEntry, router=router, candidate_hash=candidate_hash)
    return tuple(sorted(found, key=lambda each: (CRITERIA.index(each.criterion), each.port, each.measure)))


def blocking_reasons(
    session: Session, router: str, candidate_hash: str, holds: JudgementEntry | None = None
) -> list[str]:
    """Why a candidate may not be approved, a line each; none if it passed every criterion.

    With `holds`, the inputs of a judgement now, it must have been judged with exactly these.
    """
    found = verdicts(session, router, candidate_hash)
    if not found:
        return _unjudged(router)
    if holds is not None:
        stored = judgements.judgement_of(session, router, candidate_hash)
        changed = judgements.outdated(stored, holds) if stored is not None else _unjudged(router)
        if changed:
            return changed
    missing = set(CRITERIA) - {each.criterion for each in found}
    lines = [f"{name}: not judged: run hntes stage judge --router {router}" for name in CRITERIA if name in missing]
    return [*lines, *failures(found)]


def failures(found: Iterable[GateVerdictEntry]) -> list[str]:
    """Those of these verdicts that do not pass, a line each."""
    words = {"failed": "failed", "not_judged": "not judged"}
    failed = (each for each in found if not each.is_passing)
    return list(dict.fromkeys(f"{each.criterion} {words[each.outcome]}: {each.sentence}" for each in failed))


def _unjudged(router: str) -> list[str]:
    return [f"not judged yet: run hntes stage judge --router {router}"]
