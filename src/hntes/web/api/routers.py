"""Routers for programs: the list, and one with its state, traffic and rules."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from hntes.web.api.caller import Reader
from hntes.web.api.describing import Limit, Offset, RouterName, answers
from hntes.web.api.paging import next_offset
from hntes.web.api.problem import document_of
from hntes.web.api.router_documents import OverviewDocument, RouterDetail, RouterList, RouterNow
from hntes.web.pair import last_full_day
from hntes.web.router import MOST_UNUSED, active_overrides, share_sentences
from hntes.web.routers import SPARK_DAYS, named
from hntes.workflow.reports.metrics import RouterState, router_states
from hntes.workflow.reports.overview import RouterOverview, overview
from hntes.workflow.reports.router_traffic import router_traffic
from hntes.workflow.reports.rule_use import unused_rules

routes = APIRouter(prefix="/api/routers", tags=["routers"])
Days = Annotated[int, Query(ge=1, le=400, description="Days of traffic, the newest processed day being the last.")]


@routes.get("", summary="List", responses=answers(400, ok_200=RouterList))
def every(
    caller: Reader,
    q: Annotated[str, Query(max_length=200, description="Only those whose name, platform or plan has all words.")] = "",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Routers in the order of the settings: newest data, pairs in force, what waits, what was delivered."""
    with caller.reading() as visit:
        words = q.lower().split()
        found = [each for each in visit.context.settings.routers if all(word in named(each) for word in words)]
        rows = overview(visit.context, found[offset : offset + limit], last_full_day(visit), SPARK_DAYS)
    listed = tuple(map(_overview, rows))
    return document_of(RouterList, RouterList(listed, len(found), next_offset(offset, limit, len(found))))


@routes.get("/{router}", summary="Show", responses=answers(400, 404, ok_200=RouterDetail))
def one(caller: Reader, router: RouterName, days: Days = 30) -> Response:
    """One router: its state, the load of its ports, alpha traffic with and without a rule, its budget, rules that age
    out, rules that no packet has matched, and its pins and exclusions of today.
    """
    with caller.reading() as visit:
        chosen = visit.router(router)
        (state,) = router_states(visit.context, [chosen])
        (shown,) = overview(visit.context, [chosen], last_full_day(visit), days)
        unused = unused_rules(visit.context, chosen)
        pinned, excluded = active_overrides(visit, chosen)
        found = RouterDetail(
            overview=_overview(shown),
            now=_now(state),
            traffic=router_traffic(visit.context, chosen, state.newest.day, days) if state.newest else None,
            shares=tuple(share_sentences(visit, chosen)),
            unused_rules=unused[:MOST_UNUSED],
            unused_total=len(unused),
            pins=pinned,
            exclusions=excluded,
        )
    return document_of(RouterDetail, found)


def _overview(one: RouterOverview) -> OverviewDocument:
    return OverviewDocument(
        router=one.router.name, platform=one.router.platform, plan=one.router.plan, is_reached=one.router.is_reached,
        term_budget=one.router.term_budget, pairs_in_force=one.pairs_in_force, newest=one.newest,
        waiting=one.waiting.change_id if one.waiting else None, progress=one.progress, drift=one.drift,
        alpha_bytes_by_day=one.alpha_bytes,
    )  # fmt: skip


def _now(state: RouterState) -> RouterNow:
    return RouterNow(
        alpha=state.alpha, in_force=state.in_force, held_until=max(state.holds, default=None),
        never_matched=state.never_matched, late_reservations=state.late, scheduled_waiting=state.scheduled_waiting,
    )  # fmt: skip
