"""The gate's judgements: their inputs and verdicts. Works within the caller's transaction.

A judgement is known by its identity, a hash over all that could change it. Its parts are stored, too, so that
an operator can see which one has changed.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

from sqlalchemy import ForeignKeyConstraint

from hntes.sql.entries import GateVerdictEntry, JudgementEntry, VerdictControl, VerdictEngine, VerdictOutcome
from hntes.sql.errors import InvalidEntryError
from hntes.sql.rows import fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import one_of, table

JUDGEMENT = table(
    "judgement", JudgementEntry, key=("router", "candidate_hash"),
    grain="One row per router and candidate that the gate judged: what the judgement was made from, and its identity.",
)  # fmt: skip
GATE_VERDICT = table(
    "gate_verdict", GateVerdictEntry,
    one_of("engine", VerdictEngine), one_of("outcome", VerdictOutcome), one_of("congestion", VerdictControl),
    ForeignKeyConstraint(
        ["router", "candidate_hash"], ["judgement.router", "judgement.candidate_hash"], ondelete="CASCADE"
    ),
    key=("router", "candidate_hash", "criterion", "measure", "port"),
    grain="One row per router, candidate, criterion of the gate, measure and simulated port ('': the text).",
)  # fmt: skip
# The parts of an identity, in the words of a refusal.
PARTS = {
    "model_hash": "the model",
    "limits": "the gate's limits",
    "parameters": "the lengths or the seed of the gate's runs",
    "plan": "the router's plan, interfaces or redirect",
    "detection": "the detection settings",
    "peaks": "the measured peaks",
    "traffic": "the measured traffic",
    "engine_version": "the simulator",
    "day": "the day",
}
# More values than this are counted, not listed.
LISTED = 4


def identified(parts: JudgementEntry) -> JudgementEntry:
    """The entry with the identity that follows from its parts."""
    content = vars(parts) | {"judgement_id": "", "day": str(parts.day)}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return replace(parts, judgement_id=hashlib.sha256(text.encode()).hexdigest())


def replace_judgement(session: Session, judgement: JudgementEntry, entries: Iterable[GateVerdictEntry]) -> None:
    """Replaces a candidate's judgement and verdicts.

    Raises:
        InvalidEntryError: a verdict is of another router or candidate.
    """
    router, candidate_hash = judgement.router, judgement.candidate_hash
    rows = list(entries)
    for row in rows:
        if (row.router, row.candidate_hash) != (router, candidate_hash):
            raise InvalidEntryError(
                f"verdict on {row.criterion} is of candidate {row.candidate_hash[:12]} of {row.router}, not of "
                f"{candidate_hash[:12]} of {router}, whose verdicts are being replaced"
            )
    lock(session, "gate_verdict", router, candidate_hash)
    clear(session, router, candidate_hash)
    store(session, JUDGEMENT, [judgement])
    store(session, GATE_VERDICT, rows)


def clear(session: Session, router: str, candidate_hash: str) -> None:
    """Deletes a candidate's judgement and verdicts."""
    remove(session, GATE_VERDICT, router=router, candidate_hash=candidate_hash)
    remove(session, JUDGEMENT, router=router, candidate_hash=candidate_hash)


def judgement_of(session: Session, router: str, candidate_hash: str) -> JudgementEntry | None:
    """The judgement on a candidate, None if it was never judged."""
    found = fetch_by(session, JUDGEMENT, JudgementEntry, router=router, candidate_hash=candidate_hash)
    return found[0] if found else None


def outdated(stored: JudgementEntry, now: JudgementEntry) -> list[str]:
    """The changes since a candidate was judged, a sentence each; none if its judgement is current."""
    if stored.judgement_id == now.judgement_id and identified(stored) == stored:
        return []
    remedy = f"run hntes stage judge --router {now.router}"
    if identified(stored) != stored:
        return [f"the judgement was altered in the database: {remedy}"]
    return [f"{sentence} since it was judged{values}: {remedy}" for sentence, values in _changes(stored, now)]


def changed_parts(stored: JudgementEntry, now: JudgementEntry, parts: Collection[str]) -> list[str]:
    """Which of these parts of a judgement are others now, a sentence each."""
    remedy = f"run hntes stage judge --router {now.router}"
    return [f"{sentence} since it was judged{values}: {remedy}" for sentence, values in _changes(stored, now, parts)]


def without_running(entry: JudgementEntry) -> JudgementEntry:
    """The judgement without the hash of the running configuration, to compare the rest of the plan."""
    content = _object(entry.plan)
    if content is None:
        return entry
    return replace(entry, plan=json.dumps({name: each for name, each in content.items() if name != "running"}))


def _changes(
    stored: JudgementEntry, now: JudgementEntry, parts: Collection[str] = tuple(PARTS)
) -> Iterator[tuple[str, str]]:
    for part, words in PARTS.items():
        if part not in parts:
            continue
        before, after = getattr(stored, part), getattr(now, part)
        if before != after:
            yield f"{words} changed", _values(before, after)


def _values(before: Any, after: Any) -> str:
    old, new = _object(before), _object(after)
    if old is None or new is None:
        return f" ({_shown(after)}, was {_shown(before)})"
    names = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    listed = [f"{name} {_shown(new.get(name, 'none'))}, was {_shown(old.get(name, 'none'))}" for name in names]
    more = [f"and {len(names) - LISTED} more"] if len(names) > LISTED else []
    return f" ({'; '.join(listed[:LISTED] + more)})"


def _object(part: object) -> dict[str, Any] | None:
    try:
        found = json.loads(part) if isinstance(part, str) else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
