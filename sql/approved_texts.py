"""The approved texts, kept apart from the decisions on them. Works within the caller's transaction."""

from dataclasses import dataclass

from hntes.sql.rows import fetch_by, lock, store
from hntes.sql.session import Session
from hntes.sql.table import table


@dataclass(frozen=True)
class ApprovedTextEntry:
    """The text of a candidate that was approved, and its model as JSON; `candidate_hash` is the SHA-256 of the text."""

    candidate_hash: str
    text: str
    model_json: str


APPROVED_TEXT = table(
    "approved_text", ApprovedTextEntry, key=("candidate_hash",),
    grain="One row per candidate that was ever approved: its text, and the model it was rendered from.",
)  # fmt: skip


@dataclass(frozen=True)
class _ApprovedModel:
    model_json: str


def keep(session: Session, entry: ApprovedTextEntry) -> None:
    """Stores a text unless it is stored already: what was approved once is never replaced."""
    lock(session, "approved_text", entry.candidate_hash)
    if approved_text(session, entry.candidate_hash) is None:
        store(session, APPROVED_TEXT, [entry])


def approved_text(session: Session, candidate_hash: str) -> ApprovedTextEntry | None:
    """The text of that hash, None if it was never approved."""
    found = fetch_by(session, APPROVED_TEXT, ApprovedTextEntry, candidate_hash=candidate_hash)
    return found[0] if found else None


def approved_model_json(session: Session, candidate_hash: str) -> str | None:
    """The model of the text of that hash, without the text: both are long, and pages ask for router after router."""
    found = fetch_by(session, APPROVED_TEXT, _ApprovedModel, candidate_hash=candidate_hash)
    return found[0].model_json if found else None
