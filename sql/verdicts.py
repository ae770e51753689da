"""The gate's verdicts on candidates. Works within the caller's transaction."""

from collections.abc import Iterable

from sqlalchemy.orm import Session

from sql.entries import CRITERIA, GateVerdictEntry
from sql.errors import InvalidEntryError
from sql.models import GateVerdict
from sql.rows import fetch, lock, remove, store


def replace_verdicts(session: Session, router: str, candidate_hash: str, entries: Iterable[GateVerdictEntry]) -> None:
    """Puts these verdicts in the place of all that the candidate had.

    Raises:
        InvalidEntryError: a verdict is of another router or candidate.
    """
    rows = list(entries)
    for row in rows:
        if (row.router, row.candidate_hash) != (router, candidate_hash):
            raise InvalidEntryError(
                f"verdict on {row.criterion} is of candidate {row.candidate_hash[:12]} of {row.router}, not of "
                f"{candidate_hash[:12]} of {router}, whose verdicts are being replaced"
            )
    lock(session, "gate_verdict", router, candidate_hash)
    remove(session, GateVerdict, GateVerdict.router == router, GateVerdict.candidate_hash == candidate_hash)
    store(session, GateVerdict, rows)


def verdicts(session: Session, router: str, candidate_hash: str) -> tuple[GateVerdictEntry, ...]:
    """The verdicts on a candidate, by criterion, port and measure; none if it was never judged."""
    where = GateVerdict.router == router, GateVerdict.candidate_hash == candidate_hash
    found = fetch(session, GateVerdict, GateVerdictEntry, *where)
    return tuple(sorted(found, key=lambda each: (CRITERIA.index(each.criterion), each.port, each.measure)))


def objections(session: Session, router: str, candidate_hash: str) -> list[str]:
    """Why a candidate may not be approved, a line each; none if it passed every criterion."""
    found = verdicts(session, router, candidate_hash)
    if not found:
        return [f"not judged yet: run hntes judge --router {router}"]
    missing = set(CRITERIA) - {each.criterion for each in found}
    lines = [f"{name}: not judged: run hntes judge --router {router}" for name in CRITERIA if name in missing]
    for each in found:
        if not each.is_passing:
            word = "failed" if each.outcome == "failed" else "not judged"
            lines.append(f"{each.criterion} {word}: {each.sentence}")
    return list(dict.fromkeys(lines))
