"""Facts of a change: reasons of its pairs, its effect on traffic, notes. Works within the caller's transaction."""

from sqlalchemy import ForeignKeyConstraint, bindparam, func, select

from hntes.sql.reasons import ChangeEffect, ChangeFacts, ChangeNote, PairReason, ReservedRate, Sign
from hntes.sql.rows import capped, fetch_by, remove, store
from hntes.sql.session import Session
from hntes.sql.table import one_of, table


def _of_change() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["change_id"], ["change.change_id"], ondelete="CASCADE")


CHANGE_PAIR = table(
    "change_pair", PairReason, one_of("sign", Sign), _of_change(),
    key=("change_id", "sign", "source", "destination"), also={"change_id": str},
    grain="One row per change and pair that it adds or removes: why.",
)  # fmt: skip
CHANGE_EFFECT = table(
    "change_effect", ChangeEffect, _of_change(), key=("change_id",), also={"change_id": str},
    grain="One row per change whose effect on past traffic was computed.",
)  # fmt: skip
CHANGE_NOTE = table(
    "change_note", ChangeNote, _of_change(), key=("change_id", "position"), also={"change_id": str},
    grain="One row per change and note on it.",
)  # fmt: skip
CHANGE_RESERVED = table(
    "change_reserved", ReservedRate, _of_change(), key=("change_id", "name"), also={"change_id": str},
    grain="One row per scheduled change and reservation that its text polices.",
)  # fmt: skip
_NOTES = select(func.count()).select_from(CHANGE_NOTE).where(CHANGE_NOTE.c.change_id == bindparam("change_id"))
_COUNTERS = ("alpha_bytes", "queued_bytes_before", "queued_bytes_after", "beta_bytes_before", "beta_bytes_after")


def replace_facts(session: Session, change_id: str, facts: ChangeFacts) -> None:
    """Replaces all facts of the change, which is stored already."""
    for each in (CHANGE_PAIR, CHANGE_EFFECT, CHANGE_NOTE, CHANGE_RESERVED):
        remove(session, each, change_id=change_id)
    pairs = [capped(each, ("alpha_bytes", "peak_bytes")) for each in facts.pairs]
    store(session, CHANGE_PAIR, pairs, change_id=change_id)
    notes = [ChangeNote(position, words) for position, words in enumerate(facts.notes)]
    store(session, CHANGE_NOTE, notes, change_id=change_id)
    store(session, CHANGE_RESERVED, facts.reserved, change_id=change_id)
    if facts.effect is not None:
        store(session, CHANGE_EFFECT, [capped(facts.effect, _COUNTERS)], change_id=change_id)


def facts_of(session: Session, change_id: str) -> ChangeFacts:
    """The stored facts of a change; its pairs in no particular order."""
    notes = fetch_by(session, CHANGE_NOTE, ChangeNote, change_id=change_id)
    return ChangeFacts(
        tuple(fetch_by(session, CHANGE_PAIR, PairReason, change_id=change_id)),
        tuple(each.words for each in sorted(notes, key=lambda each: each.position)),
        effect_of(session, change_id),
        reserved_of(session, change_id),
    )


def effect_of(session: Session, change_id: str) -> ChangeEffect | None:
    """The effect of a change on past traffic, None if not computed."""
    found = fetch_by(session, CHANGE_EFFECT, ChangeEffect, change_id=change_id)
    return found[0] if found else None


def reserved_of(session: Session, change_id: str) -> tuple[ReservedRate, ...]:
    """The policers of reservations in a scheduled change, by name."""
    found = fetch_by(session, CHANGE_RESERVED, ReservedRate, change_id=change_id)
    return tuple(sorted(found, key=lambda each: each.name))


def count_notes(session: Session, change_id: str) -> int:
    """The number of notes of a change."""
    return int(session.execute(_NOTES, {"change_id": change_id}).scalar_one())
