"""The integrity of the audit log, and the approvals that it confirms."""

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from hntes.sanitize import shown
from hntes.sql import audit, changes
from hntes.sql.audit_chain import Break, first_break, is_as_written
from hntes.sql.change import Change
from hntes.sql.decisions import FIRST_APPROVAL, named
from hntes.sql.entries import AuditEventEntry, AuditKind
from hntes.sql.errors import BrokenLogError
from hntes.sql.session import Session, reading
from hntes.workflow.audit_anchor import Anchor, anchors, event_by_now, lost_anchor, lost_anchors, lost_words
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError

__all__ = [
    "AuditVerification",
    "decision_of",
    "disagreement",
    "require_deliveries_known",
    "require_named_event",
    "verified_decisions",
    "verify_audit",
]

# The kinds of events that decide a change.
DECIDES: tuple[AuditKind, ...] = ("decide", "withdraw")
_DECIDED = ("approved", "rejected", "withdrawn")
_RESTORE = "restore the database from a backup, and find out who changed it"


@dataclass(frozen=True)
class AuditVerification:
    """Result of a verification: the number of events, the hash of the newest ("" without events), and the problems."""

    events: int
    head: str
    problem: str | None


def verify_audit(context: Context, expected: str | None = None) -> AuditVerification:
    """Verifies the hash chain, the events named by `expected`, by delivery manifests and anchors, and the tables."""
    # before the log: deliveries that go on meanwhile write an event first, then what names it
    anchored = anchors(context.settings.paths.audit_anchors)
    manifests = _named_events(context.settings.paths.output)
    with reading(context.database) as session:
        found = audit.events(session)
        entries = changes.all_changes(session)
    numbers = {event.hash: event.number for event in found}
    problems = chain(
        (_break_problem(broken) for broken in [first_break(found)] if broken),
        _cut_off(manifests, numbers, expected),
        lost_anchors(numbers, anchored, context.settings.paths.audit_anchors),
        (text for entry in entries if (text := disagreement(found, entry))),
    )
    return AuditVerification(len(found), found[-1].hash if found else "", next(problems, None))


def decision_of(events: Sequence[AuditEventEntry], entry: Change) -> AuditEventEntry | None:
    """The event that decided or withdrew the change in its present form; None if the log has none."""
    newest = next(
        (each for each in reversed(events) if each.change_id == entry.change_id and each.kind in DECIDES), None
    )
    if newest is None or newest.candidate_hash != entry.candidate_hash:
        return None
    return newest if newest.outcome == entry.state else None


def disagreement(events: Sequence[AuditEventEntry], entry: Change) -> str | None:
    """The contradiction between a decided change and the log; None if they agree."""
    if entry.state not in _DECIDED:
        return None
    what = named(entry)
    decision = decision_of(events, entry)
    if decision is None:
        return f"{what}: it is {entry.state}, and the audit log holds no such decision on {entry.candidate_hash}"
    if len(set(_words(entry, decision))) > 1:
        said, logged = (shown(f"by {who}: {note}") for who, note in _words(entry, decision))
        return f"{what}: it says {entry.state} {said}; event {decision.number} of the audit log says {logged}"
    bound = next((each for each in reversed(events) if _is_transition(each, entry)), None)
    if (bound.content_hash if bound else None) != entry.transition_hash:
        return f"{what}: it binds another transition than the audit log says"
    return None


def _is_transition(event: AuditEventEntry, entry: Change) -> bool:
    return event.kind == "transition" and event.change_id == entry.change_id


def _words(entry: Change, decision: AuditEventEntry) -> tuple[tuple[str | None, str | None], ...]:
    return (entry.decided_by, entry.decision_note), (decision.who, decision.note)


def verified_decisions(session: Session, entries: Sequence[Change], path: Path) -> tuple[AuditEventEntry, ...]:
    """The events that approved these changes: for each, the first of two approvals (if any), then the deciding one.

    The log is verified from its newest anchor in the file `path` on, and from each event that is used to the first
    anchor at or after it, so that the cost does not grow with the years. It is compared with the changes as they are
    now: the caller may have read its own before another decision.

    Raises:
        BrokenLogError: the log was altered, lacks its newest anchor, or contradicts a change.
        CommandError: a change has another state, text or transition than the caller's.
    """
    present = tuple(_as_read(session, entry) for entry in entries)
    known = _seen_anchors(session, path)
    events = audit.events(session, change_ids=sorted({entry.change_id for entry in present}))
    problem = lost_anchor(session, path) or _break_since(session, known) or _break_before(session, events, known, path)
    found: list[AuditEventEntry] = []
    for entry in present:
        problem = problem or disagreement(events, entry)
        decision = decision_of(events, entry)
        if problem is not None or decision is None:
            raise BrokenLogError(f"{problem}; {_RESTORE}")
        found += [*_first_approval(events, decision), decision]
    return tuple(found)


def _as_read(session: Session, entry: Change) -> Change:
    """A change as it is now, which must be what the caller has read of it before."""
    present = changes.change(session, entry.change_id)
    if present is None or _decided(present) != _decided(entry):
        raise CommandError(f"{named(entry)}: it was proposed or decided on anew in the meantime; deliver again")
    return present


def _decided(entry: Change) -> tuple[str, str, str | None]:
    return entry.state, entry.candidate_hash, entry.transition_hash


def require_chained(session: Session, events: Sequence[AuditEventEntry], path: Path) -> None:
    """Refuses events, the oldest first, that the log's anchors in the file `path` do not cover as they are.

    Raises:
        BrokenLogError: the log was altered.
    """
    if problem := _break_before(session, events, _seen_anchors(session, path), path):
        raise BrokenLogError(f"{problem}; {_RESTORE}")


def _seen_anchors(session: Session, path: Path) -> list[Anchor]:
    """The anchors, by number, of events that the session sees: the chain to newer ones is not in it."""
    newest = audit.head(session)
    return sorted((each for each in anchors(path) if newest and each.number <= newest.number), key=_number)


def _break_since(session: Session, known: Sequence[Anchor]) -> str | None:
    """The first break of the chain after the newest anchor; without one, of all of it."""
    after = audit.event(session, known[-1].number) if known else None
    newest = audit.head(session)
    first = after.number + 1 if after else 1
    last = newest.number if newest else 0
    if after is not None and not is_as_written(after):
        return _altered(after)
    broken = first_break(audit.events(session, numbers=range(first, last + 1)), after)
    return _break_problem(broken) if broken else None


def _break_before(
    session: Session, events: Sequence[AuditEventEntry], known: Sequence[Anchor], path: Path
) -> str | None:  # fmt: skip
    """The first break from one of these events to the first of the known anchors, by number, at or after it.

    An event's own hash says nothing: whoever writes another event computes it anew. The anchor's covers all before.
    """
    oldest: dict[Anchor, AuditEventEntry] = {}
    for event in events:
        if not is_as_written(event):
            return _altered(event)
        for anchor in known[(at := bisect_left(known, event.number, key=_number)) : at + 1]:
            oldest.setdefault(anchor, event)
    for anchor, event in oldest.items():
        chained = audit.events(session, numbers=range(event.number, anchor.number + 1))
        if broken := first_break(chained[1:], event):
            return _break_problem(broken)
        if chained[-1].hash != anchor.hash:
            return lost_words(anchor, path)
    return None


def _number(anchor: Anchor) -> int:
    return anchor.number


def _first_approval(events: Sequence[AuditEventEntry], decision: AuditEventEntry) -> Sequence[AuditEventEntry]:
    """The first of two approvals; empty where a single approval sufficed."""
    about = (FIRST_APPROVAL, decision.change_id, decision.candidate_hash)
    before = [each for each in events if each.number < decision.number]
    first = [each for each in before if (each.outcome, each.change_id, each.candidate_hash) == about]
    return first[-1:]


def _altered(event: AuditEventEntry) -> str:
    return f"event {event.number} of the audit log: its columns are not those that were written"


def _break_problem(broken: Break) -> str:
    return f"event {broken.number} of the audit log: {broken.what}"


def _named_events(output: Path) -> dict[Path, tuple[int, str]]:
    """Number and hash of the event that each delivery manifest names."""
    paths = sorted(output.glob("*/approved/manifest.json"))
    return {path: named for path in paths if (named := _named_event(path))}


def _cut_off(
    manifests: Mapping[Path, tuple[int, str]], numbers: Mapping[str, int], expected: str | None
) -> Iterator[str]:
    """Hashes kept outside of the database that are missing from the log, of which `numbers` are by hash."""
    if expected is not None and expected not in numbers:
        yield f"no event has the hash {expected}: the end of the audit log was cut off, or it is another database's"
    for path, (number, digest) in manifests.items():
        if numbers.get(digest) != number:
            yield f"{_gone(path, number)}: the end was cut off"


def require_named_event(session: Session, manifest: Path) -> None:
    """Refuses to replace a manifest whose event is missing from the log: the manifest is the only evidence left.

    Raises:
        BrokenLogError: the end of the log was cut off, or the database was restored from a backup.
    """
    named = _named_event(manifest)
    if named is None:
        return
    event = event_by_now(session, named[0])
    if event is None or event.hash != named[1]:
        raise BrokenLogError(
            f"{_gone(manifest, named[0])}: the end was cut off, or a backup was restored. Nothing is delivered, since "
            "the router may have what the manifest names; see the section Restore in docs/how-to/install.md"
        )


def require_deliveries_known(session: Session, manifest: Path, anchored: Path) -> None:
    """Refuses to tell by the log what a router runs: it lacks the last delivery, or its newest anchor in `anchored`.

    Raises:
        BrokenLogError: the end of the log was cut off, or the database was restored from a backup.
    """
    require_named_event(session, manifest)
    if problem := lost_anchor(session, anchored):
        raise BrokenLogError(f"{problem}; {_RESTORE}")


def _named_event(manifest: Path) -> tuple[int, str] | None:
    """Number and hash of the event that a delivery manifest names; None for a lost or damaged manifest."""
    try:
        named = json.loads(manifest.read_text(encoding="utf-8"))["audit"]
        number, digest = named["event"], named["hash"]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    return (number, digest) if isinstance(number, int) and isinstance(digest, str) else None


def _gone(manifest: Path, number: int) -> str:
    return f"event {number} of the audit log: {manifest} names it, and it is gone"
