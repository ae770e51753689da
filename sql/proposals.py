"""Proposals of changes, which supersede earlier ones. Works within the caller's transaction.

The caller derives expiries from days and instants, not from the clock, so that a repeated run puts the same row. Each
function appends what it changed to the audit log.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from hntes import clock
from hntes.format import rfc3339
from hntes.sql import audit, change_facts, changes, judgements
from hntes.sql.audit import NewEvent
from hntes.sql.change import Change
from hntes.sql.day_status import day_status
from hntes.sql.entries import AuditKind
from hntes.sql.errors import InvalidEntryError
from hntes.sql.reasons import ChangeFacts, ReservedRate
from hntes.sql.session import Session


def put(
    session: Session, proposed: Change, last_day: date | None = None, facts: ChangeFacts | None = None, note: str = ""
) -> Change:
    """Proposes a nightly change ("pending", or "empty"); returns the one that then stands for its router and day.

    - An approved one is left untouched, whatever is proposed: later days are built upon it. What differs comes with the
      next day's change.
    - One of the same candidate and base that is rejected or withdrawn is left untouched, unless the settings changed
      since: the repeated run has nothing to add. Any other one of the same day is replaced.
    - One of the same candidate and base that still waits keeps its expiry, unless the settings changed since.
    - Pending ones of the router's earlier days become superseded, unless the proposal changes nothing and comes from a
      day without flow records. A pending proposal is written as superseded if one of a later day, not after `last_day`
      (the last that may be run; None: the present day), is approved, or is pending and its day has flow records: only
      the latest may be approved.

    Args:
        session: The caller's transaction.
        proposed: The change.
        last_day: See above.
        facts: Why its pairs change and what that means; they take the place of those that the change had.
        note: The change in words, for the audit log.

    Raises:
        InvalidEntryError: the state is neither "pending" nor "empty".
    """
    if proposed.state not in ("pending", "empty"):
        raise InvalidEntryError(
            f"change of {proposed.router} on {proposed.day}: cannot be put as {proposed.state!r}; put it as "
            "pending or empty, and decide it"
        )
    changes.lock_changes(session, proposed.router)
    others = changes.nightly_changes(session, proposed.router)
    present = next((each for each in others if each.day == proposed.day), None)
    if present is not None and _stands(session, present, proposed):
        return present
    last_day = last_day or clock.today()
    if proposed.state == "pending" and superseding_day(session, proposed, others, last_day):
        proposed = replace(proposed, state="superseded")
    proposed = _as_present(session, present, proposed)
    _write(session, proposed, present, facts or ChangeFacts(), note)
    if proposed.state == "pending" or not _is_without_records(session, proposed):
        earlier = [each for each in others if each.day < proposed.day <= last_day and each.state == "pending"]
        for each in earlier:
            changes.write(session, replace(each, state="superseded"))
            audit.append(session, about(each, "supersede", "superseded", detail=f"by that of {proposed.day}"))
    return proposed


def superseding_day(session: Session, change: Change, others: Iterable[Change], last_day: date) -> date | None:
    """The day of the router's latest change that takes precedence over this one, None if there is none."""
    later = [each for each in others if change.day < each.day <= last_day]
    return max((each.day for each in later if _supersedes(session, each)), default=None)


def _write(session: Session, proposed: Change, replaced: Change | None, facts: ChangeFacts, note: str) -> None:
    """Writes a nightly change with its facts, and records it unless it is the one that it replaces."""
    changes.write(session, proposed)
    change_facts.replace_facts(session, proposed.change_id, facts)
    _clear_older_judgements(session, proposed, replaced)
    if proposed != replaced:
        audit.append(session, about(proposed, "propose", proposed.state, note=note or None))


def put_scheduled(session: Session, proposed: Change, reserved: Sequence[ReservedRate] = ()) -> Change:
    """Proposes a scheduled change; returns what then stands at its instant on its base.

    One of the same text that was approved or rejected stands. `reserved` is what its text polices.

    Raises:
        InvalidEntryError: it is not put as pending.
    """
    if proposed.state != "pending" or not proposed.is_scheduled:
        raise InvalidEntryError(
            f"scheduled change of {proposed.router}: cannot be put as {proposed.state!r}; put it pending"
        )
    changes.lock_changes(session, proposed.router)
    present = changes.change(session, proposed.change_id)
    if present is not None and present.candidate_hash == proposed.candidate_hash:
        if present.state in ("approved", "rejected"):
            return present
        if present.state == "pending" and present.until_s == proposed.until_s:
            proposed = replace(proposed, first_approval=present.first_approval)
    changes.write(session, proposed)
    change_facts.replace_facts(session, proposed.change_id, ChangeFacts(reserved=tuple(reserved)))
    if present is None or _scheduled_content(present) != _scheduled_content(proposed):
        audit.append(session, about(proposed, "propose", "pending", detail=stretch(proposed)))
    return proposed


def supersede(session: Session, entries: Iterable[Change]) -> tuple[Change, ...]:
    """Marks those that wait or are approved as superseded; returns these as they are now."""
    ended = []
    for each in entries:
        changes.lock_changes(session, each.router)
        present = changes.change(session, each.change_id)
        if present is not None and present.state in ("pending", "approved"):
            ended.append(replace(present, state="superseded"))
            changes.write(session, ended[-1])
            audit.append(session, about(ended[-1], "supersede", "superseded", detail=stretch(ended[-1])))
            _forget_judgement(session, ended[-1])
    return tuple(ended)


def about(entry: Change, kind: AuditKind, outcome: str, *, detail: str = "", note: str | None = None) -> NewEvent:
    """An event about a change; the caller adds who it was by."""
    return NewEvent(
        kind, entry.router, entry.day, entry.candidate_hash,
        change_id=entry.change_id, outcome=outcome, detail=detail, note=note,
    )  # fmt: skip


def stretch(entry: Change) -> str:
    """From when until when a scheduled change holds, in words; "" for a nightly one."""
    if entry.effective_s is None:
        return ""
    ends = "further on" if entry.until_s is None else f"until {rfc3339(entry.until_s * 1000)}"
    return f"from {rfc3339(entry.effective_s * 1000)} {ends}"


def _as_present(session: Session, present: Change | None, proposed: Change) -> Change:
    """A change that is proposed again keeps its expiry while it waits, and what people said of it: an acknowledgement
    of as many new pairs of the same candidate, and the first of two approvals if nothing at all differs."""
    if present is None or present.candidate_hash != proposed.candidate_hash:
        return proposed
    is_waiting = present.state == proposed.state and not present.is_over(clock.now_ms())
    if is_waiting and present.base_hash == proposed.base_hash and not _settings_changed(session, present):
        proposed = replace(proposed, expires_ms=present.expires_ms)
    if present.pairs_added == proposed.pairs_added:
        proposed = replace(proposed, acknowledged_pairs=present.acknowledged_pairs)
    again = replace(proposed, first_approval=present.first_approval)
    return present if again == present else proposed


def _stands(session: Session, present: Change, proposed: Change) -> bool:
    if present.state == "approved":
        return True
    same = (present.candidate_hash, present.base_hash) == (proposed.candidate_hash, proposed.base_hash)
    return present.state in ("rejected", "withdrawn") and same and not _settings_changed(session, present)


def _settings_changed(session: Session, present: Change) -> bool:
    """Whether a change was proposed with other settings since the last event of this one."""
    settings, own = audit.newest(session, "settings"), audit.newest_about(session, present.change_id)
    return settings is not None and own is not None and settings.number > own.number


def _supersedes(session: Session, later: Change) -> bool:
    return later.state == "approved" or (later.state == "pending" and not _is_without_records(session, later))


def _is_without_records(session: Session, change: Change) -> bool:
    """Whether the day of the change was read and no flow record of the router was found."""
    known = day_status(session, change.router, change.day)
    return known is not None and known.records == 0


def _scheduled_content(entry: Change) -> tuple[object, ...]:
    return entry.candidate_hash, entry.until_s, entry.state


def _clear_older_judgements(session: Session, proposed: Change, replaced: Change | None) -> None:
    """Deletes judgements: of a candidate that is proposed again, and of one without a nightly change."""
    judged = judgements.judgement_of(session, proposed.router, proposed.candidate_hash)
    if proposed.state == "pending" and judged is not None and judged.day != proposed.day:
        judgements.clear(session, proposed.router, proposed.candidate_hash)
    if replaced is not None:
        _forget_judgement(session, replaced)


def _forget_judgement(session: Session, entry: Change) -> None:
    """Of a text that no nightly change and no scheduled one that waits or is approved names."""
    named = {each.candidate_hash for each in changes.nightly_changes(session, entry.router)}
    scheduled = changes.scheduled_changes(session, entry.router, states=("pending", "approved"))
    if entry.candidate_hash not in named | {each.candidate_hash for each in scheduled}:
        judgements.clear(session, entry.router, entry.candidate_hash)
