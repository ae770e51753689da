"""The audit log: what it says, and whether it can be believed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from sqlalchemy.orm import Session

from hntes.sanitize import shown
from hntes.settings.model import Router
from hntes.sql import audit, changes
from hntes.sql.audit_chain import Break, first_break
from hntes.sql.change import Change
from hntes.sql.decisions import FIRST_APPROVAL, named
from hntes.sql.entries import AuditEventEntry, AuditKind
from hntes.sql.errors import BrokenLogError
from hntes.sql.session import reading
from hntes.workflow.context import Context

__all__ = [
    "AuditEventEntry",
    "AuditKind",
    "BrokenLogError",
    "Verified",
    "audit_head",
    "audit_listing",
    "decision_of",
    "disagreement",
    "newest_event",
    "newest_listing",
    "require_named_event",
    "verified_decisions",
    "verify_audit",
]

# The kinds of events that decide a change set.
DECIDES: tuple[AuditKind, ...] = ("decide", "withdraw")
_READ_AT_ONCE = 1000
_DECIDED = ("approved", "rejected", "withdrawn")


@dataclass(frozen=True)
class Verified:
    """The number of events in the log, the newest one's hash ("" if there is none), and problems."""

    events: int
    head: str
    problem: str | None


def audit_listing(
    context: Context,
    routers: Sequence[Router] | None,
    kinds: Sequence[AuditKind],
    since_ms: int | None,
    who: str | None,
) -> tuple[AuditEventEntry, ...]:
    """The events of these routers (None: all, and those of no router); `who`: any part of an identity or a name."""
    with reading(context.database) as session:
        found = audit.events(session, None, kinds, since_ms)
    return tuple(event for event in found if _is_meant(event, routers, who))


def newest_listing(
    context: Context,
    routers: Sequence[Router] | None,
    kinds: Sequence[AuditKind],
    since_ms: int | None,
    who: str | None,
    *,
    before: int | None,
    count: int,
) -> tuple[AuditEventEntry, ...]:
    """The newest so many of them, the newest first; `before`: those before the event of that number.

    Of a log that grows for years only so much is read as they need.
    """
    found: list[AuditEventEntry] = []
    with reading(context.database) as session:
        newest = audit.head(session)
        end = newest.number + 1 if newest else 1
        end = end if before is None else min(before, end)
        while end > 1 and len(found) < count:
            numbers = range(max(end - _READ_AT_ONCE, 1), end)
            block = audit.events(session, None, kinds, since_ms, numbers)
            found += (event for event in reversed(block) if _is_meant(event, routers, who))
            end = numbers.start
    return tuple(found[:count])


def _is_meant(event: AuditEventEntry, routers: Sequence[Router] | None, who: str | None) -> bool:
    is_of_them = routers is None or event.router in {router.name for router in routers}
    return is_of_them and (who is None or who in f"{event.identity} {event.who}")


def newest_event(context: Context, kind: AuditKind) -> AuditEventEntry | None:
    """The newest event of that kind, None if there is none."""
    with reading(context.database) as session:
        return audit.newest(session, kind)


def audit_head(context: Context) -> AuditEventEntry | None:
    """The newest event: its hash, kept outside of the database, shows later whether the end was cut off."""
    with reading(context.database) as session:
        return audit.head(session)


def verify_audit(context: Context, expected: str | None = None) -> Verified:
    """Whether the chain holds, has the events that `expected` and manifests of deliveries name, and fits the tables."""
    with reading(context.database) as session:
        found = audit.events(session)
        entries = changes.all_changes(session)
    problems = chain(
        (_break_problem(broken) for broken in [first_break(found)] if broken),
        _cut_off(context.settings.paths.output, found, expected),
        (text for entry in entries if (text := disagreement(found, entry))),
    )
    return Verified(len(found), found[-1].hash if found else "", next(problems, None))


def decision_of(events: Sequence[AuditEventEntry], entry: Change) -> AuditEventEntry | None:
    """The event that decided or withdrew a change set as it stands; None where the log holds none."""
    newest = next(
        (each for each in reversed(events) if each.change_id == entry.change_id and each.kind in DECIDES), None
    )
    if newest is None or newest.candidate_hash != entry.candidate_hash:
        return None
    return newest if newest.outcome == entry.state else None


def disagreement(events: Sequence[AuditEventEntry], entry: Change) -> str | None:
    """The contradiction between a decided change set and the log, None if there is none."""
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


def verified_decisions(session: Session, entries: Sequence[Change]) -> tuple[AuditEventEntry, ...]:
    """The events by which changes were approved: of each the first of two approvals and then the deciding one.

    Raises:
        BrokenLogError: the log was changed, or does not say what a change says.
    """
    events = audit.events(session)
    broken = first_break(events)
    found: list[AuditEventEntry] = []
    for entry in entries:
        problem = _break_problem(broken) if broken else disagreement(events, entry)
        decision = decision_of(events, entry)
        if problem is not None or decision is None:
            raise BrokenLogError(f"{problem}; restore the database from a backup, and find out who changed it")
        found += [*_first_approval(events, decision), decision]
    return tuple(found)


def _first_approval(events: Sequence[AuditEventEntry], decision: AuditEventEntry) -> Sequence[AuditEventEntry]:
    """The first of two approvals of what was decided; none where one sufficed."""
    about = (FIRST_APPROVAL, decision.change_id, decision.candidate_hash)
    first = [
        each for each in events[: decision.number - 1] if (each.outcome, each.change_id, each.candidate_hash) == about
    ]
    return first[-1:]


def _break_problem(broken: Break) -> str:
    return f"event {broken.number} of the audit log: {broken.what}"


def _cut_off(output: Path, events: Sequence[AuditEventEntry], expected: str | None) -> Iterator[str]:
    """Hashes that are kept outside of the database, and that the log no longer has."""
    numbers = {event.hash: event.number for event in events}
    if expected is not None and expected not in numbers:
        yield f"no event has the hash {expected}: the end of the audit log was cut off, or it is another database's"
    for path in sorted(output.glob("*/approved/manifest.json")):
        if (gone := _gone_event(path, numbers)) is not None:
            yield f"{gone}: the end was cut off"


def require_named_event(session: Session, manifest: Path) -> None:
    """Refuses to replace a manifest whose event the log does not have: it is all that is left to show it.

    Raises:
        BrokenLogError: the log's end was cut off, or the database is an older one.
    """
    gone = _gone_event(manifest, {event.hash: event.number for event in audit.events(session)})
    if gone is not None:
        raise BrokenLogError(
            f"{gone}: the end was cut off, or a backup was restored. Nothing is delivered, since the router may have "
            "what the manifest names; see the section Restore in docs/how-to/install.md"
        )


def _gone_event(manifest: Path, numbers: Mapping[str, int]) -> str | None:
    """The event that a delivery's manifest names and the log does not have, None if there is none.

    A manifest that is lost or damaged names nothing.
    """
    try:
        named = json.loads(manifest.read_text(encoding="utf-8"))["audit"]
        number, digest = named["event"], named["hash"]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    return (
        None
        if numbers.get(digest) == number
        else f"event {number} of the audit log: {manifest} names it, and it is gone"
    )
