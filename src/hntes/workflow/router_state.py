"""The state of a router: the configuration due and the one reported, loaded once per command and passed down."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from hntes import clock
from hntes.rules.qos.reserved import reserved_of
from hntes.settings.model import Router
from hntes.settings.reservations import Reservations
from hntes.sql import audit, change_facts, changes, deliveries, reservations
from hntes.sql.change import Change
from hntes.sql.deliveries import REMOVAL, REPORTS
from hntes.sql.entries import AuditEventEntry, AuditKind
from hntes.sql.session import Session, reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError

_KINDS: tuple[AuditKind, ...] = ("push", "drift", *REPORTS, REMOVAL)


@dataclass(frozen=True)
class RouterState:
    """The state of one router at one moment, according to the database.

    `rules` is the approved nightly change whose rules are due, `due` the change whose text is due: `rules`, or an
    approved scheduled change based on them. `events` are the router's pushes, drifts, reports and removals, oldest
    first.
    `scheduled_bases`: of each text that scheduled changes of this router ever had, the rules' texts that it was on.
    `only_reservations`: keep the rules that the router runs; only their reservations may change.
    """

    router: Router
    rules: Change
    due: Change
    base: Change | None
    events: tuple[AuditEventEntry, ...]
    scheduled_bases: Mapping[str, frozenset[str]]
    only_reservations: bool = False

    @cached_property
    def reports(self) -> tuple[AuditEventEntry, ...]:
        """The reports and removals, oldest first."""
        return _reports(self.events)

    def rules_of(self, text_hash: str) -> frozenset[str]:
        """The texts whose rules a text has, by its hash: itself, and those that it was scheduled on."""
        return self.scheduled_bases.get(text_hash, frozenset()) | {text_hash}

    @property
    def reported_hash(self) -> str | None:
        """The hash of the text last reported as running; None after a removal, or without a report."""
        return None if not self.reports or _ends_in_removal(self.reports) else self.reports[-1].candidate_hash

    @property
    def runs_rules(self) -> bool:
        """Whether the router was last reported to run these rules, regardless of reservations."""
        return self.base is not None and self.base.candidate_hash == self.rules.candidate_hash

    @property
    def runs_due(self) -> bool:
        """Whether the newest report names the text that is due."""
        return deliveries.is_run(self.reports, self.due)

    @property
    def was_removed(self) -> bool:
        """Whether these rules, or one of their pairs, were removed from the router after their delivery."""
        was_delivered = any(each.day == self.due.day for each in self.reports)
        return was_delivered and _ends_in_removal(self.reports)

    @property
    def pushed_since_report(self) -> frozenset[str]:
        """The hashes of texts whose push started after the newest report: the router may hold any of them."""
        return frozenset(each.candidate_hash for each in self.pushes_since_report if each.candidate_hash)

    @property
    def pushes_since_report(self) -> tuple[AuditEventEntry, ...]:
        """The steps of pushes after the newest report, oldest first."""
        return tuple(each for each in self._since_report if each.kind == "push")

    @property
    def has_drifted(self) -> bool:
        """Whether the router was last seen to hold another text than the one reported."""
        seen = [each.outcome for each in self._since_report if each.kind == "drift"]
        return bool(seen) and seen[-1] != "equal"

    @property
    def _since_report(self) -> tuple[AuditEventEntry, ...]:
        newest = max((each.number for each in self.reports), default=0)
        return tuple(each for each in self.events if each.number > newest)


def router_state(context: Context, router: Router, *, only_reservations: bool = False) -> RouterState | None:
    """Loads a router's state; None if nothing is approved.

    `only_reservations`: based on the rules that the router was last reported to run, for a router that HNTES reaches,
    regardless of later approvals; None after a removal, too.

    Raises:
        CandidateStoreError: the approved text is lost, on disk and in the database.
        CommandError: the tables of the database contradict each other.
    """
    with reading(context.database) as session:
        events = tuple(audit.events(session, router.name, _KINDS))
        base = reported_base(session, router.name, events)
        rules = base if only_reservations and router.is_reached else _in_force(session, router)
        if rules is None:
            return None
        scheduled = changes.scheduled_changes(session, router.name)
    due = _due(context, router, rules, scheduled)
    bases: dict[str, set[str]] = defaultdict(set)
    for each in scheduled:
        bases[each.candidate_hash] |= {each.base_hash or ""}
    found = {text: frozenset(of) for text, of in bases.items()}
    return RouterState(router, rules, due, base, events, found, only_reservations)


def with_present_reports(context: Context, state: RouterState) -> RouterState:
    """The same rules and due text, with the reports on the router loaded anew."""
    name = state.router.name
    with reading(context.database) as session:
        events = tuple(audit.events(session, name, _KINDS))
        return replace(state, events=events, base=reported_base(session, name, events))


def _due(context: Context, router: Router, rules: Change, scheduled: tuple[Change, ...]) -> Change:
    """As `due_at`; but once every reservation of its text has ended, an approved text of these rules without any.

    The text that follows may wait for its approval: another booking must not prolong a reservation that has ended.
    """
    chosen, now_s = context.settings.reservations, clock.now_s()
    due = due_at(chosen, rules, scheduled, now_s)
    if chosen is None or not _have_ended(context, _reserved_numbers(context, router, due), now_s):
        return due
    approved = (each for each in scheduled if each.base_hash == rules.candidate_hash and each.state == "approved")
    return next((each for each in (rules, *approved) if not _reserved_numbers(context, router, each)), due)


def _reserved_numbers(context: Context, router: Router, entry: Change) -> frozenset[int]:
    """The numbers of the reservations that a change's text polices."""
    if entry.is_scheduled:
        with reading(context.database) as session:
            names = [each.name for each in change_facts.reserved_of(session, entry.change_id)]
    else:
        names = [each.name for each in reserved_of(known_candidate(context, router, entry.candidate_hash).model)]
    numbers = (name.rpartition("-")[2] for name in names)
    return frozenset(int(each) for each in numbers if each.isdecimal())


def _have_ended(context: Context, numbers: frozenset[int], now_s: int) -> bool:
    """Whether there are any, and all have ended or are cancelled; a restored database may not know one."""
    if not numbers:
        return False
    with reading(context.database) as session:
        ended = {one.entry.number for one in reservations.reservations(session) if one.entry.until_s <= now_s}
    return numbers <= ended


def due_at(chosen: Reservations | None, rules: Change, scheduled: tuple[Change, ...], moment_s: int) -> Change:
    """The change whose text is due at a moment: the newest approved scheduled change on the rules, or the rules."""
    if chosen is None:
        return rules
    on_rules = (each for each in scheduled if each.base_hash == rules.candidate_hash and each.state == "approved")
    begun = [each for each in on_rules if due_s(each, chosen.lead_s) <= moment_s]
    return begun[-1] if begun else rules


def due_s(entry: Change, lead_s: int) -> int:
    """The moment from which a scheduled change is due: `lead_s` before its instant where a reservation starts."""
    return (entry.effective_s or 0) - (lead_s if entry.leads else 0)


def reported_base(session: Session, router: str, events: tuple[AuditEventEntry, ...] | None = None) -> Change | None:
    """The nightly change whose rules a router was last reported to run; None after a removal, or without a report.

    `events`: the router's, if they are loaded already.
    """
    reports = _reports(tuple(audit.events(session, router, (*REPORTS, REMOVAL))) if events is None else events)
    if not reports or _ends_in_removal(reports):
        return None
    day = reports[-1].day
    found = changes.nightly_change(session, router, day) if day is not None else None
    return found if found is not None and found.state == "approved" else None


def _reports(events: tuple[AuditEventEntry, ...]) -> tuple[AuditEventEntry, ...]:
    return tuple(each for each in events if each.kind in (*REPORTS, REMOVAL))


def _ends_in_removal(reports: tuple[AuditEventEntry, ...]) -> bool:
    return reports[-1].kind == REMOVAL or deliveries.is_reduction(reports[-1])


def _in_force(session: Session, router: Router) -> Change | None:
    in_force = changes.in_force(session, router.name)
    if in_force is None:
        return None
    entry = changes.nightly_change(session, router.name, in_force.day)
    if entry is None or entry.state != "approved" or entry.candidate_hash != in_force.candidate_hash:
        raise CommandError(
            f"router {router.name}: candidate {in_force.candidate_hash} is in force since {in_force.day}, but that "
            "day's change does not say it was approved; nothing is delivered. Restore the database from a backup"
        )
    return entry
