"""Texts that are meant to be on a router from an instant on, and what became of them. In the caller's transaction.

The audit log (kind "edge") names each by its instant and its base, and the text by its hash: an approval is bound to
all three.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from sqlalchemy import Index
from sqlalchemy.orm import Session

from hntes.format import rfc3339
from hntes.sql import audit, change_sets, judgements
from hntes.sql.audit import NewEvent
from hntes.sql.entries import AuditEventEntry, ChangeSetEntry
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.rows import check_free_text, fetch_by, lock, remove, store
from hntes.sql.table import one_of, table

EdgeState = Literal["pending", "approved", "rejected", "superseded"]
# How the log calls the first of two approvals.
FIRST_APPROVAL = "first approval"
# Words of events that say what an edge change is.
_WORDS = ("proposed", "superseded", "approved", "rejected")


@dataclass(frozen=True)
class EdgeChangeEntry:
    """One text for a router from `from_s` until before `until_s` (None: until something else is reserved).

    `day` is that of the base's change set. `leads`: it is wanted on the router before its instant, as something begins.
    `first_identity` gave the first of two approvals. `decided_by` is who was named, or the quotas.
    """

    router: str
    base_hash: str
    from_s: int
    until_s: int | None
    leads: bool
    day: date
    candidate_hash: str
    model_hash: str
    state: EdgeState
    summary: str
    first_identity: str | None = None
    decided_by: str | None = None
    decision_note: str | None = None

    @property
    def subject(self) -> str:
        """By which the audit log names it."""
        return f"from {rfc3339(self.from_s * 1000)} on {self.base_hash}"

    @property
    def change_set(self) -> ChangeSetEntry:
        """As a change set of its base's day, for what judges, shows and delivers those."""
        return ChangeSetEntry(
            self.router, self.day, self.base_hash, self.candidate_hash, self.model_hash,
            "approved" if self.state == "approved" else "pending", 0, True, 0, 0, 0, self.summary, self.decided_by,
            self.decision_note,
        )  # fmt: skip


EDGE_CHANGE = table(
    "edge_change", EdgeChangeEntry, one_of("state", EdgeState), Index(None, "router", "candidate_hash"),
    key=("router", "base_hash", "from_s"),
    grain="One row per router, base text and instant: the text that is meant to be on the router from then on.",
)  # fmt: skip


def lock_edges(session: Session, router: str) -> None:
    """Makes others who change a router's edge changes wait until the transaction ends."""
    lock(session, "edge_change", router)


def of_router(
    session: Session, router: str, base_hash: str | None = None, states: Collection[str] = ()
) -> tuple[EdgeChangeEntry, ...]:
    """A router's edge changes of a base (None: of all), in these states (none: any), by instant and base."""
    found = fetch_by(session, EDGE_CHANGE, EdgeChangeEntry, router=router)
    chosen = (each for each in found if base_hash in (None, each.base_hash) and (not states or each.state in states))
    return tuple(sorted(chosen, key=lambda each: (each.from_s, each.base_hash)))


def edge_change(session: Session, router: str, base_hash: str, from_s: int) -> EdgeChangeEntry | None:
    """The edge change of that key, None if there is none."""
    found = fetch_by(session, EDGE_CHANGE, EdgeChangeEntry, router=router, base_hash=base_hash, from_s=from_s)
    return found[0] if found else None


def put(session: Session, proposed: EdgeChangeEntry) -> EdgeChangeEntry:
    """Proposes one; returns what then stands at its instant.

    One of the same text that was approved or rejected stands.

    Raises:
        InvalidEntryError: it is not put as pending.
    """
    if proposed.state != "pending":
        raise InvalidEntryError(
            f"edge change of {proposed.router}: cannot be put as {proposed.state!r}; put it pending"
        )
    lock_edges(session, proposed.router)
    present = edge_change(session, proposed.router, proposed.base_hash, proposed.from_s)
    if present is not None and present.candidate_hash == proposed.candidate_hash:
        if present.state in ("approved", "rejected"):
            return present
        if present.state == "pending":
            proposed = replace(proposed, first_identity=_kept(present, proposed))
    _write(session, proposed)
    if present is None or _content(present) != _content(proposed):
        audit.append(session, event(proposed, "proposed", f"; {until(proposed)}; {proposed.summary}"))
    return proposed


def supersede(session: Session, entries: Iterable[EdgeChangeEntry]) -> tuple[EdgeChangeEntry, ...]:
    """Marks those that wait or are approved as superseded; returns these as they are now."""
    ended = []
    for each in entries:
        lock_edges(session, each.router)
        present = edge_change(session, each.router, each.base_hash, each.from_s)
        if present is not None and present.state in ("pending", "approved"):
            ended.append(replace(present, state="superseded"))
            _write(session, ended[-1])
            audit.append(session, event(ended[-1], "superseded"))
            _forget_judgement(session, ended[-1])
    return tuple(ended)


def decide(session: Session, entry: EdgeChangeEntry, said: NewEvent) -> EdgeChangeEntry:
    """Writes an edge change as it is decided, and the event that says so (`event`); returns it."""
    _write(session, entry)
    audit.append(session, said)
    return entry


def chosen(session: Session, router: str, digits: str) -> tuple[EdgeChangeEntry, ...]:
    """Those that wait whose text's hash begins with these digits, by instant.

    Raises:
        InvalidEntryError: fewer than 6 digits.
        UnknownEntryError: none does, or several texts do.
    """
    if len(digits) < 6:
        raise InvalidEntryError(f"router {router}: hash {digits!r} is too short; give 6 digits or more")
    found = [
        each
        for each in of_router(session, router, states=("pending",))
        if each.candidate_hash.startswith(digits.lower())
    ]
    if len({each.candidate_hash for each in found}) != 1:
        raise UnknownEntryError(
            f"router {router}: no text of {digits!r} waits at an edge, or several do; hntes reserve edges lists them"
        )
    return tuple(found)


def event(
    entry: EdgeChangeEntry, word: str, more: str = "", *, who: str | None = None, note: str | None = None,
    identity: str | None = None, judgement_id: str | None = None,
) -> NewEvent:  # fmt: skip
    """What is said of an edge change in the audit log: a word, by which it is named, and more."""
    detail = f"{word} {entry.subject}{more}"
    return NewEvent("edge", entry.router, entry.day, entry.candidate_hash, judgement_id, detail, who, note, identity)


def newest_decision(events: Iterable[AuditEventEntry], entry: EdgeChangeEntry) -> AuditEventEntry | None:
    """The newest of these events that says what an edge change is; None if there is none."""
    found = None
    for each in events:
        word, _, rest = each.detail.partition(" ")
        if (each.kind, each.router) == ("edge", entry.router) and word in _WORDS and rest.startswith(entry.subject):
            found = each
    return found


def is_text_of(session: Session, router: str, candidate_hash: str) -> bool:
    """Whether a text was ever meant for an edge of a router."""
    return bool(fetch_by(session, EDGE_CHANGE, EdgeChangeEntry, router=router, candidate_hash=candidate_hash))


def until(entry: EdgeChangeEntry) -> str:
    """Its end in words."""
    return "with no end" if entry.until_s is None else f"until {rfc3339(entry.until_s * 1000)}"


def check_person(what: str, who: str, note: str | None) -> None:
    """Raises InvalidEntryError if nobody is named, or a text is not one printable line."""
    if not who.strip():
        raise InvalidEntryError(f"{what}: a decision needs the name of who decides")
    check_free_text(what, who=who, note=note)


def _kept(present: EdgeChangeEntry, proposed: EdgeChangeEntry) -> str | None:
    """A first approval stands as long as the same stretch is asked about."""
    return present.first_identity if present.until_s == proposed.until_s else None


def _content(entry: EdgeChangeEntry) -> tuple[object, ...]:
    return entry.candidate_hash, entry.until_s, entry.state


def _forget_judgement(session: Session, entry: EdgeChangeEntry) -> None:
    """Of a text that no change set and no other edge change names."""
    named = {each.candidate_hash for each in change_sets.change_sets(session, entry.router)}
    named |= {each.candidate_hash for each in of_router(session, entry.router, states=("pending", "approved"))}
    if entry.candidate_hash not in named:
        judgements.clear(session, entry.router, entry.candidate_hash)


def _write(session: Session, entry: EdgeChangeEntry) -> None:
    of = EDGE_CHANGE.c
    remove(session, EDGE_CHANGE, of.router == entry.router, of.base_hash == entry.base_hash, of.from_s == entry.from_s)
    store(session, EDGE_CHANGE, [entry])
