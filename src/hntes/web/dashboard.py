"""The dashboard: pending changes, worst first, and routers without data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes import clock
from hntes.format import counted, minute
from hntes.rules.changeset.wording import effect_words, headline
from hntes.sanitize import shown
from hntes.settings.model import Review
from hntes.web.change_effect import EffectBars, effect_bars
from hntes.web.format import time_left
from hntes.web.pair import last_full_day
from hntes.web.plots import Plot
from hntes.web.request import Visit, visiting
from hntes.web.traffic_plots import ageing_plot, all_flows_plot, effectiveness_plot, queued_plot
from hntes.workflow.delivery.drift_known import KnownDrift, known_drift
from hntes.workflow.reports.all_flows import flows_of_all
from hntes.workflow.reports.all_routers import all_ageing_words, all_routers, budgets_words
from hntes.workflow.reports.audit_queries import newest_event
from hntes.workflow.reports.overview import approved_routers
from hntes.workflow.reports.router_traffic import queued_of_all
from hntes.workflow.reports.rule_use import UnusedRules, routers_with_unused_rules
from hntes.workflow.reservations.quota_approvals import undecided
from hntes.workflow.review.approval_needs import ApprovalNeeds, approval_needs
from hntes.workflow.review.approve_passed import more_needed
from hntes.workflow.review.changes import (
    Change,
    ChangeStatus,
    ListedChange,
    count_notes,
    earlier_rejection,
    listed_changes,
)
from hntes.workflow.review.queries import DayEntry, newest_days
from hntes.workflow.review.status import RouterProgress
from hntes.workflow.review.transition_approval import KnownTransition, known_transition

routes = APIRouter()
PLOT_DAYS = 30


@dataclass(frozen=True)
class Row:
    """A pending change. `flags` are warnings; `is_plain`: it needs nothing but an approval by who looks.

    `bars` is its effect in numbers, None where `effect` says why there are none; `notes` is the number of notes on the
    change's own page. `transition` is the identity of the transition that a tick approves, "" where nothing is ticked.
    """

    entry: Change
    headline: str
    effect: str
    needs: ApprovalNeeds
    flags: tuple[str, ...]
    expires: str
    is_past: bool
    is_plain: bool
    notes: int = 0
    bars: EffectBars | None = None
    transition: str = ""

    @property
    def can_be_ticked(self) -> bool:
        """Whether it may be approved together with others, which the approval looks at once more."""
        return self.is_plain and not self.is_past

    @property
    def rank(self) -> tuple[int, int, str, date]:
        """Sort key, worst first."""
        needs = self.needs
        worst = 0 if needs.blocking_reasons else 1 if needs.hold else 2 if needs.unusual else 3 if self.flags else 4
        return worst, -self.entry.pairs_removed, self.entry.router, self.entry.day


@dataclass(frozen=True)
class Link:
    """One part of the chain from the night to the routers; `anchor` leads to what is wrong, "" if nothing is.

    `is_well` is None where there is nothing yet that could be well.
    """

    name: str
    words: str
    is_well: bool | None
    details: str = ""

    @property
    def state(self) -> Literal["unknown", "well", "unwell"]:
        return "unknown" if self.is_well is None else "well" if self.is_well else "unwell"

    @property
    def anchor(self) -> str:
        return self.details if self.is_well is False else ""


@dataclass(frozen=True)
class Night:
    """The state of the newest night. `troubled` are routers without its data, each with the reason.

    `overdue` names later nights that no router has, "" if none is due. Of the routers that HNTES reaches, `drifted`
    differ from the last delivery or were not read recently. `unused` are those with rules without a match,
    `undelivered` those whose approved configuration is not verified to run, of all `approved`.
    """

    day: date | None
    proposed: str
    well: int
    troubled: tuple[tuple[str, str], ...]
    files_set_aside: int
    overdue: str = ""
    reached: int = 0
    drifted: tuple[KnownDrift, ...] = ()
    unused: tuple[UnusedRules, ...] = ()
    undelivered: tuple[RouterProgress, ...] = ()
    approved: int = 0

    @property
    def chain(self) -> tuple[Link, ...]:
        """The state of the chain from the night to the routers, each part in a few words."""
        routers, reached, has_run = self.well + len(self.troubled), self.reached, self.day is not None
        night = f"of {self.day}" if self.day else "none yet"
        night = f"{night}, proposed {self.proposed}" if self.proposed else night
        night = f"{night}, a later one is due" if self.overdue else night
        files = f"{counted(self.files_set_aside, 'file')} set aside" if self.files_set_aside else "none set aside"
        drift = f"{reached - len(self.drifted)} of {reached} as delivered" if reached else "no router is reached"
        done = self.approved - len(self.undelivered)
        deliveries = f"{done} of {self.approved} verified" if self.approved else "nothing approved yet"
        return (
            Link("Last night", night, not self.overdue if has_run else None),
            Link("Flow files", files, not self.files_set_aside if has_run else None),
            Link("Exporters", f"{self.well} of {routers} routers complete", not self.troubled, "troubled"),
            Link("Drift", drift, not self.drifted if reached else None, "drifted"),
            Link("Deliveries", deliveries, not self.undelivered if self.approved else None, "undelivered"),
        )


@routes.get("/")
def dashboard(request: Request) -> Response:
    """The page; with ?tick=all every change that may be ticked is."""
    with visiting(request) as visit:
        ticked = request.query_params.get("tick") == "all"
        return visit.page("dashboard.html.j2", dashboard_values(visit, ticked=ticked))


def dashboard_values(visit: Visit, message: str = "", *, ticked: bool = False) -> Mapping[str, object]:
    """The values of the page; `message` explains why nothing was done."""
    rows = _rows(visit)
    night = newest_night(visit)
    quiet = len(visit.context.settings.routers) - len({row.entry.router for row in rows})
    oldest = min((row.entry.expires_ms or 0 for row in rows), default=None)
    expires = time_left(clock.now_ms(), oldest) if oldest is not None else ""
    tickable = sum(row.can_be_ticked for row in rows)
    edges = len(undecided(visit.context))
    return {
        "rows": rows, "night": night, "quiet": quiet, "expires": expires, "tickable": tickable, "edges": edges,
        "ticked": ticked, "message": message, "traffic_plots": _traffic(visit, night.day), **_totals(visit),
    }  # fmt: skip


def _totals(visit: Visit) -> Mapping[str, object]:
    """Budgets and rules that age out, of all routers."""
    found = all_routers(visit.context, visit.context.settings.routers)
    words = all_ageing_words(found)
    is_known = any(each.rules for each in found.ageing)
    return {
        "budgets": budgets_words(found), "ageing_words": words,
        "used_pct": min(100 * found.pairs_in_force / found.term_budget, 100) if found.term_budget else None,
        "ageing_plot": ageing_plot(found.ageing, words) if is_known else None,
    }  # fmt: skip


def _traffic(visit: Visit, until_day: date | None) -> list[Plot]:
    """Alpha traffic of all routers by day, with and without a rule, and the flows of the last; none before any."""
    routers = visit.context.settings.routers
    found = queued_of_all(visit.context, routers, until_day, PLOT_DAYS) if until_day else ()
    if until_day is None or not found:
        return []
    plots = [queued_plot(found, until_day, PLOT_DAYS, f"Alpha traffic of {PLOT_DAYS} days")]
    if any(each.alpha_bytes for each in found):
        plots.append(effectiveness_plot(found, until_day, PLOT_DAYS))
    flows = flows_of_all(visit.context, routers, until_day)
    return [*plots, all_flows_plot(flows)] if flows.alpha_flows else plots


def row_of(
    listed: ListedChange, needs: ApprovalNeeds, rejected: ChangeStatus | None, review: Review, identity: str,
    now_ms: int,
) -> Row:  # fmt: skip
    """The row of a pending change, for a visitor of this identity."""
    entry = listed.change
    flags = []
    if not entry.data_complete:
        flags.append("flow data incomplete")
    if first := listed.first_approval:
        flags.append(f"approved by {shown(first.who or 'nobody')}, waits for a second approver")
    if listed.hold is not None:
        event = listed.hold.event
        flags.append(f"held until {listed.held_until} by {shown(event.who or 'nobody')}: {shown(event.note or '')}")
    if rejected is not None:
        change = rejected.change
        why = f": {shown(change.decision_note)}" if change.decision_note else ""
        flags.append(f"the change of {change.day} was rejected by {shown(change.decided_by or 'nobody')}{why}")
    expires = time_left(now_ms, entry.expires_ms or 0)
    effect = effect_words(listed.effect)
    return Row(
        entry, headline(entry), effect, needs, tuple(flags), expires, entry.is_over(now_ms),
        is_plain=more_needed(listed, rejected, review, identity) is None, bars=effect_bars(listed.effect),
    )  # fmt: skip


def night_of(
    newest_days: Sequence[tuple[str, DayEntry | None]], proposed_ms: int | None, due: date | None = None
) -> Night:
    """The state of the newest night, from each router's newest day; `due` is the last day whose night may have run."""
    newest = max((day.day for _, day in newest_days if day), default=None)
    troubled = []
    for router, day in newest_days:
        if day is None:
            troubled.append((router, "no night has run for it"))
        elif day.day != newest:
            troubled.append((router, f"its newest night is of {day.day}"))
        elif not day.files:
            troubled.append((router, f"no flow file of {newest}"))
        elif not day.complete:
            troubled.append((router, f"flow data of {newest} incomplete: {day.reason}"))
    aside = sum(day.quarantined_files for _, day in newest_days if day and day.day == newest)
    proposed = f"{minute(proposed_ms)} UTC" if proposed_ms is not None else ""
    return Night(newest, proposed, len(newest_days) - len(troubled), tuple(troubled), aside, _overdue(newest, due))


def _overdue(newest: date | None, due: date | None) -> str:
    """A warning on nights that no router has: otherwise a stopped scheduler would leave a page without warnings."""
    if newest is None or due is None or newest >= due:
        return ""
    first = newest + timedelta(days=1)
    days = f"{first}: its night has" if first == due else f"{first} to {due}: their nights have"
    return f"No router has flow data of {days} not run yet, or failed."


def _rows(visit: Visit) -> list[Row]:
    context, now_ms = visit.context, clock.now_ms()
    rows = []
    for listed in listed_changes(context, context.settings.routers, only_pending=True):
        entry = listed.change
        needs = approval_needs(context, entry, listed.blocking_reasons)
        rejected, review = earlier_rejection(context, entry), context.settings.review
        row = row_of(listed, needs, rejected, review, visit.visitor.identity, now_ms)
        if visit.visitor.may_decide and row.can_be_ticked:
            row = with_transition(row, known_transition(context, visit.router(entry.router), entry))
        rows.append(replace(row, notes=count_notes(context, entry)))
    return sorted(rows, key=lambda row: row.rank)


def with_transition(row: Row, known: KnownTransition | None) -> Row:
    """The row with the transition that its tick approves; a change without one cannot be ticked."""
    if known is None or known.now is None:
        problem = f": {shown(known.problem)}" if known else ""
        return replace(row, is_plain=False, flags=(*row.flags, f"no transition leads to it{problem}"))
    return replace(row, transition=known.now.identity)


def newest_night(visit: Visit) -> Night:
    """The state of the newest night of all routers, and of the chain after it."""
    days = newest_days(visit.context, visit.context.settings.routers)
    proposed = newest_event(visit.context, "propose")
    # in a replay no night is due
    due = None if visit.context.settings.replay.latest_day else last_full_day(visit)
    night = night_of(days, proposed.time_ms if proposed else None, due)
    known = known_drift(visit.context, visit.context.settings.routers)
    drifted = tuple(each for each in known if not each.is_well)
    unused = routers_with_unused_rules(visit.context, visit.context.settings.routers)
    stories = approved_routers(visit.context, visit.context.settings.routers)
    waiting = tuple(each for each in stories if not each.is_confirmed)
    return replace(
        night, reached=len(known), drifted=drifted, unused=unused, undelivered=waiting, approved=len(stories)
    )
