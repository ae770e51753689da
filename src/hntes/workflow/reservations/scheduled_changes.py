"""Scheduled changes: one text per interval of the calendar of reservations, proposed and superseded (decision 41)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from hntes import clock
from hntes.etl.days import day_of_ms
from hntes.etl.locks import locked
from hntes.platforms.conflict import CollisionError
from hntes.platforms.render import render
from hntes.rules.changeset.candidate import Candidate, write_candidate
from hntes.rules.qos.model import ModelError
from hntes.rules.qos.reserved import Reserved, with_reserved
from hntes.rules.reservations.intervals import Interval, intervals
from hntes.settings.model import Router
from hntes.sql import change_facts, changes, proposals
from hntes.sql.change import Change
from hntes.sql.reasons import ReservedRate
from hntes.sql.session import Session, reading, transaction
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.folders import router_folder
from hntes.workflow.reservations.active_reservations import booked_reservations, excess_class
from hntes.workflow.reservations.forbidden import forbidding
from hntes.workflow.reservations.lost_quotas import end_lost_approvals
from hntes.workflow.reservations.ports import section_of
from hntes.workflow.router_state import reported_base
from hntes.workflow.running_configuration import fitted
from hntes.workflow.stage_log import stage

__all__ = [
    "Change",
    "FailedPeriod",
    "ProposedChanges",
    "bases_of",
    "propose_scheduled",
    "reserved_in",
    "scheduled_changes_of",
    "waiting_scheduled",
]

LEAST_DIGITS = 6


@dataclass(frozen=True)
class FailedPeriod:
    """An interval for which no text can be rendered: its start, its base, and the reason."""

    from_s: int
    base_hash: str
    problem: str


@dataclass(frozen=True)
class ProposedChanges:
    """The valid scheduled changes of a router, the superseded ones, and intervals for which no text can be rendered.

    `reserved` are the reservations that each valid change polices, by its id.
    """

    router: str
    valid: tuple[Change, ...]
    reserved: Mapping[str, tuple[ReservedRate, ...]]
    superseded: tuple[Change, ...]
    failed_periods: tuple[FailedPeriod, ...]


def _outcome(found: ProposedChanges) -> str:
    return "problems" if found.failed_periods else "proposed" if found.valid else "nothing_reserved"


@stage(_outcome)
def propose_scheduled(context: Context, router: Router, until_s: int | None = None) -> ProposedChanges:
    """Renders a router's text for the present interval of the calendar and each one that starts by `until_s`.

    `until_s` None: the horizon of the settings, but at least as far as the stored changes reach. What a quota approved
    and none covers any more waits again. A repeated call changes nothing.

    Raises:
        CandidateStoreError: the text of a base is lost, on disk and in the database.
        CommandError: reservations are off.
        LostPortError: a reserved port of the router is no longer in the settings.
    """
    now_s = clock.now_s()
    ahead_s = section_of(context.settings).propose_hours * 3600
    with locked(router_folder(context, router) / ".locks" / "scheduled", f"scheduled changes of {router.name}"):
        with reading(context.database) as session:
            bases = bases_of(session, router.name)
            rows = changes.scheduled_changes(session, router.name, states=("pending", "approved", "rejected"))
        lost = end_lost_approvals(context, router, rows, now_s)
        rows = tuple(each for each in rows if each.change_id not in {one.change_id for one in lost})
        until_s = max([until_s or now_s + ahead_s, *(_effective_s(each) for each in rows)])
        made = [_of_base(context, router, base, _on(rows, base), now_s, until_s) for base in bases]
        with transaction(context.database) as session:
            valid = tuple(
                proposals.put_scheduled(session, each.change, each.reserved) for of in made for each in of.wanted
            )
            kept = {each.change_id for each in valid} | {name for of in made for name in of.past}
            ended = proposals.supersede(session, [each for each in rows if each.change_id not in kept])
            reserved = {each.change_id: change_facts.reserved_of(session, each.change_id) for each in valid}
    return ProposedChanges(
        router.name, valid, reserved, (*lost, *ended), tuple(one for each in made for one in each.failed_periods)
    )


def scheduled_changes_of(context: Context, router: Router, *, with_past: bool = False) -> tuple[Change, ...]:
    """A router's pending and approved scheduled changes that have not ended; `with_past`: all of them."""
    now_s = clock.now_s()
    with reading(context.database) as session:
        found = changes.scheduled_changes(session, router.name)
    return tuple(
        each
        for each in found
        if with_past or (each.state in ("pending", "approved") and (each.until_s is None or each.until_s > now_s))
    )


def bases_of(session: Session, router: str) -> tuple[Change, ...]:
    """The possible bases of scheduled changes: last approved, on the router, and pending changes; each text once.

    No day is approved twice, so a router's day identifies its base.
    """
    in_force = changes.in_force(session, router)
    waiting = [each for each in changes.nightly_changes(session, router) if each.state == "pending"]
    found = [
        changes.nightly_change(session, router, in_force.day) if in_force else None,
        reported_base(session, router),
        *waiting[-1:],
    ]
    unique: dict[str, Change] = {}
    for each in found:
        if each is not None:
            unique.setdefault(each.candidate_hash, each)
    return tuple(unique.values())


@dataclass(frozen=True)
class _Proposal:
    change: Change
    reserved: tuple[ReservedRate, ...]


@dataclass(frozen=True)
class _BaseChanges:
    """The scheduled changes due on one base; `past` are ids of earlier ones, which stay as they are."""

    wanted: tuple[_Proposal, ...]
    past: tuple[str, ...]
    failed_periods: tuple[FailedPeriod, ...]


def _of_base(
    context: Context, router: Router, base: Change, rows: Sequence[Change], now_s: int, until_s: int
) -> _BaseChanges:
    with reading(context.database) as session:
        booked, limits = booked_reservations(context, session, now_s, router.name)
        allowed = forbidding(context, session, router.name).allowed
    begun = [each for each in rows if _effective_s(each) <= now_s]
    approved = {_effective_s(each): each for each in rows if each.state == "approved"}
    text = known_candidate(context, router, base.candidate_hash)
    wanted: list[_Proposal] = []
    failed_periods: list[FailedPeriod] = []
    for number, interval in enumerate(intervals(booked, limits, router.name, now_s, until_s, allowed)):
        try:
            candidate = _candidate(context, router, text, interval.reserved)
        except (ModelError, CommandError, CollisionError) as problem:
            failed_periods.append(FailedPeriod(interval.start_s, base.candidate_hash, str(problem)))
            continue
        from_s = interval.start_s if number else _since(begun[-1:], candidate, text, now_s)
        if from_s is not None:
            reserved = tuple(ReservedRate(each.name, each.rate_bps) for each in interval.reserved)
            pieces = _pieces(_change(base, interval, from_s, candidate), approved)
            wanted += [_Proposal(piece, reserved) for piece in pieces]
            write_candidate(router_folder(context, router), candidate)
    past = tuple(each.change_id for each in begun if each.state != "pending")
    return _BaseChanges(tuple(wanted), past, tuple(failed_periods))


def _pieces(wanted: Change, approved: Mapping[int, Change]) -> Iterator[Change]:
    """The change, or, if a shorter interval of its text is already approved, that one and the rest separately."""
    while found := approved.get(_effective_s(wanted)):
        ends_s = found.until_s
        is_longer = ends_s is not None and (wanted.until_s is None or wanted.until_s > ends_s)
        if ends_s is None or not is_longer or found.candidate_hash != wanted.candidate_hash:
            break
        yield replace(wanted, until_s=ends_s, expires_ms=ends_s * 1000)
        wanted = replace(wanted, effective_s=ends_s, leads=False)
    yield wanted


def _since(current: Sequence[Change], candidate: Candidate, base: Candidate, now_s: int) -> int | None:
    """The start of the present text; None if it is the base's own, which needs no approval."""
    for each in current:
        if each.candidate_hash == candidate.hash and (each.until_s is None or each.until_s > now_s):
            return each.effective_s
        return now_s
    return None if candidate.hash == base.hash else now_s


def _candidate(context: Context, router: Router, base: Candidate, reserved: Sequence[Reserved]) -> Candidate:
    """The base with these reservations; the base itself if it has them already.

    Raises:
        CommandError: this version renders the base differently, so that more than reservations would change.
        CollisionError, ModelError: the router cannot hold them.
    """
    model = with_reserved(base.model, reserved, excess_class(context, router))
    if model == base.model:
        return base
    if render(base.model) != base.text:
        raise CommandError(
            f"router {router.name}: {base.hash[:12]} was rendered by another version, so more than reservations would "
            "change; run the night again and approve its change"
        )
    if fitted(router, model) != model:
        raise CommandError(
            f"router {router.name}: its running configuration has changed since {base.hash[:12]} was rendered; run the "
            "night again and approve its change"
        )
    return Candidate(model, render(model))


def _change(base: Change, interval: Interval, from_s: int, candidate: Candidate) -> Change:
    return Change(
        router=base.router,
        day=base.day,
        base_hash=base.candidate_hash,
        candidate_hash=candidate.hash,
        model_hash=candidate.model_hash,
        state="pending",
        expires_ms=None if interval.end_s is None else interval.end_s * 1000,
        effective_s=from_s,
        until_s=interval.end_s,
        leads=interval.leads,
    )


def _effective_s(entry: Change) -> int:
    """The instant of a scheduled change."""
    assert entry.effective_s is not None  # noqa: S101 - for the type checker
    return entry.effective_s


def _on(rows: Iterable[Change], base: Change) -> list[Change]:
    return [each for each in rows if each.base_hash == base.candidate_hash]


def waiting_scheduled(context: Context, router: Router, digits: str | None, day: date | None) -> tuple[Change, ...]:
    """Pending scheduled changes of the text whose hash starts with `digits`, or those that start on a day (UTC).

    Raises:
        CommandError: none starts on that day, the digits are too few, or they match no pending text or several.
    """
    with reading(context.database) as session:
        if digits is not None:
            return _chosen(session, router, digits)
        bases = {each.candidate_hash for each in bases_of(session, router.name) if each.state == "approved"}
        found = changes.scheduled_changes(session, router.name, states=("pending",))
    on_approved = [each for each in found if each.base_hash in bases]
    of_day = tuple(each for each in on_approved if day == day_of_ms(1000 * _effective_s(each)))
    if not of_day:
        raise CommandError(
            f"router {router.name}: no pending scheduled change starts on {day}; `hntes reserve changes` lists them"
        )
    return of_day


def _chosen(session: Session, router: Router, digits: str) -> tuple[Change, ...]:
    """The pending changes whose text's hash starts with these digits, by instant.

    Raises:
        CommandError: the digits are too few, or match no pending text or several.
    """
    if len(digits) < LEAST_DIGITS:
        raise CommandError(f"router {router.name}: hash {digits!r} is too short; give {LEAST_DIGITS} digits or more")
    waiting = changes.scheduled_changes(session, router.name, states=("pending",))
    found = tuple(each for each in waiting if each.candidate_hash.startswith(digits.lower()))
    if len({each.candidate_hash for each in found}) != 1:
        raise CommandError(
            f"router {router.name}: no pending scheduled change, or several, match {digits!r}; `hntes reserve changes` "
            "lists them"
        )
    return found


def reserved_in(context: Context, entries: Iterable[Change]) -> dict[str, tuple[ReservedRate, ...]]:
    """The reservations that scheduled changes police, by the change's id."""
    with reading(context.database) as session:
        return {each.change_id: change_facts.reserved_of(session, each.change_id) for each in entries}
