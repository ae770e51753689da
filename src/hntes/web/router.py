"""The page of one router: approval, delivery, pins, exclusions, and the queue split."""

from datetime import date

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes.format import at, counted
from hntes.settings.model import Router
from hntes.web.change import history_rows
from hntes.web.figures import Strip, strip
from hntes.web.pair import last_full_day
from hntes.web.request import Visit, visiting
from hntes.workflow.errors import CommandError
from hntes.workflow.reports.audit_queries import AuditEventEntry, AuditKind, audit_listing
from hntes.workflow.reports.metrics import RouterState, router_states
from hntes.workflow.reports.rule_use import unused_rules
from hntes.workflow.reports.share_advice import advise_router
from hntes.workflow.review.overrides import exclusions, pins
from hntes.workflow.review.propose_again import again_command, earlier_approved
from hntes.workflow.review.status import router_progress
from hntes.workflow.router_days import router_days

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
        day = last_full_day(visit)
        values = {
            "router": chosen,
            "state": state,
            "approval": _approval(visit, chosen),
            "written": _newest(visit, chosen, "deliver"),
            "progress": router_progress(visit.context, chosen),
            "at": at,
            "history": history_rows(visit, chosen, HISTORY_DAYS),
            "pins": [one for one in pins(visit.context) if one.router == chosen.name and one.active_on(day)],
            "exclusions": [one for one in exclusions(visit.context) if one.covers(chosen.name) and one.active_on(day)],
            "shares": _shares(visit, chosen),
            "again": [(one, again_command(chosen.name, one)) for one in earlier_approved(visit.context, chosen)],
            "figures": _figures(visit, chosen, state, day),
            "figure_days": DAYS,
            "unused": unused_rules(visit.context, chosen),
            "most_unused": MOST_UNUSED,
        }
        return visit.page("router.html.j2", values)


def _approval(visit: Visit, chosen: Router) -> AuditEventEntry | None:
    """The event by which the rules in force were approved."""
    step = router_progress(visit.context, chosen).approved
    found = audit_listing(visit.context, [chosen], ("decide",), None, None)
    return next((event for event in reversed(found) if step and event.number == step.number), None)


def _newest(visit: Visit, chosen: Router, kind: AuditKind) -> AuditEventEntry | None:
    """The newest event of a kind."""
    found = audit_listing(visit.context, [chosen], (kind,), None, None)
    return found[-1] if found else None


def _figures(visit: Visit, chosen: Router, state: RouterState, day: date) -> tuple[tuple[str, Strip], ...]:
    """Alpha bytes and proposed pairs by day, each with its name."""
    found = router_days(visit.context, chosen, state.change_sets, day, DAYS)
    return (
        ("Alpha traffic", strip(found.alpha_bytes, day, day_width=DAY_WIDTH, height=HEIGHT)),
        (
            "Pairs of the proposed configuration",
            strip(found.pairs, day, day_width=DAY_WIDTH, height=HEIGHT, of="proposed pairs", worded=_pairs),
        ),
    )


def _pairs(count: int) -> str:
    return counted(count, "pair")


def _shares(visit: Visit, chosen: Router) -> list[str]:
    """Whether the split fits the measured load, one sentence per port, without simulation."""
    shares = visit.context.settings.shares
    try:
        found = advise_router(visit.context, chosen, last_full_day(visit), shares, lambda *_: None, simulate=False)
    except CommandError as problem:
        return [str(problem)]
    return [advice.fit.sentence for advice in found.advices]
