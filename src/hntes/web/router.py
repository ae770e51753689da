"""The page of one router: traffic, approval, delivery, pins, exclusions, and the queue split."""

from collections.abc import Mapping
from datetime import date, timedelta

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes.format import at, counted
from hntes.settings.model import Router
from hntes.web.change import history_rows
from hntes.web.figures import Strip, strip
from hntes.web.pair import last_full_day
from hntes.web.request import Visit, visiting
from hntes.web.traffic_plots import (
    MOST_PORTS,
    ageing_plot,
    busiest,
    flows_plot,
    port_days_plot,
    port_plot,
    queued_plot,
)
from hntes.workflow.errors import CommandError
from hntes.workflow.reports.audit_queries import AuditEventEntry, event_of_number, newest_event
from hntes.workflow.reports.metrics import RouterState, router_states
from hntes.workflow.reports.router_traffic import router_traffic
from hntes.workflow.reports.rule_use import unused_rules
from hntes.workflow.reports.share_advice import advise_router
from hntes.workflow.reports.traffic_words import ageing_words, budget_words, missing_load
from hntes.workflow.review.overrides import ExclusionEntry, PinEntry, exclusions, pins
from hntes.workflow.review.propose_again import again_command, earlier_approved
from hntes.workflow.review.status import router_progress

routes = APIRouter()
HISTORY_DAYS = 30
# Limit of the list; `hntes router counters` prints all.
MOST_UNUSED = 100
DAYS, DAY_WIDTH, HEIGHT = 30, 11, 64


@routes.get("/router/{name}")
def router(request: Request, name: str) -> Response:
    """One router."""
    with visiting(request) as visit:
        chosen = visit.router(name)
        (state,) = router_states(visit.context, [chosen])
        pinned, excluded = active_overrides(visit, chosen)
        values = {
            "router": chosen,
            "state": state,
            "approval": _approval(visit, chosen),
            "written": newest_event(visit.context, "deliver", chosen.name),
            "progress": router_progress(visit.context, chosen),
            "at": at,
            "history": history_rows(visit, chosen, HISTORY_DAYS),
            "pins": pinned,
            "exclusions": excluded,
            "shares": share_sentences(visit, chosen),
            "again": [(one, again_command(chosen.name, one)) for one in earlier_approved(visit.context, chosen)],
            "proposed": _proposed_pairs(state, last_full_day(visit)),
            **_traffic(visit, chosen, state),
            "unused": unused_rules(visit.context, chosen),
            "most_unused": MOST_UNUSED,
        }
        return visit.page("router.html.j2", values)


def active_overrides(visit: Visit, chosen: Router) -> tuple[tuple[PinEntry, ...], tuple[ExclusionEntry, ...]]:
    """Its pins and exclusions of today, or of the latest day of a replay: those that deliveries are held to."""
    day = visit.context.last_day
    return (
        tuple(one for one in pins(visit.context) if one.router == chosen.name and one.active_on(day)),
        tuple(one for one in exclusions(visit.context) if one.covers(chosen.name) and one.active_on(day)),
    )


def _traffic(visit: Visit, chosen: Router, state: RouterState) -> Mapping[str, object]:
    """The figures of the newest day and of those before it; None before the first night."""
    if state.newest is None:
        return {"traffic": None}
    found = router_traffic(visit.context, chosen, state.newest.day, DAYS)
    drawn = [port_plot(port, found.day) for port in busiest(found.ports)]
    if found.alpha_flows:
        drawn.append(flows_plot(found))
    drawn_ports = {port.name for port in busiest(found.ports)} or {port.name for port in found.port_days[:MOST_PORTS]}
    months = [port_days_plot(port, found.day, DAYS) for port in found.port_days if port.name in drawn_ports]
    by_day = queued_plot(found.days, found.day, DAYS, f"Alpha traffic of {DAYS} days")
    used_pct = 100 * (found.pairs_in_force or 0) / found.term_budget
    ageing = ageing_words(found)
    return {
        "traffic": found,
        "day_plots": drawn,
        "month_plots": months,
        "queued_plot": by_day,
        "ageing_plot": ageing_plot(found.ageing, ageing) if found.ageing_rules else None,
        "ageing_words": ageing,
        "ports_left": len(found.ports) - len(busiest(found.ports)),
        "used_pct": min(used_pct, 100.0),
        "missing_load": "" if found.ports else missing_load(found),
        "budget_words": budget_words(found),
    }


def _approval(visit: Visit, chosen: Router) -> AuditEventEntry | None:
    """The event by which the rules in force were approved."""
    step = router_progress(visit.context, chosen).approved
    return event_of_number(visit.context, step.number) if step and step.number is not None else None


def _proposed_pairs(state: RouterState, day: date) -> Strip:
    """The pairs of each day's proposed configuration."""
    sizes = {each.day: each.pairs_kept + each.pairs_added for each in state.change_sets}
    values = [sizes.get(day - timedelta(days=back), 0) for back in range(DAYS - 1, -1, -1)]
    return strip(values, day, day_width=DAY_WIDTH, height=HEIGHT, of="proposed pairs", worded=_pairs)


def _pairs(count: int) -> str:
    return counted(count, "pair")


def share_sentences(visit: Visit, chosen: Router) -> list[str]:
    """Whether the split fits the measured load, one sentence per port, without simulation."""
    shares = visit.context.settings.shares
    try:
        found = advise_router(visit.context, chosen, last_full_day(visit), shares, lambda *_: None, simulate=False)
    except CommandError as problem:
        return [str(problem)]
    return [advice.fit.sentence for advice in found.advices]
