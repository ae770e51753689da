"""Alpha traffic of any period: by router, or of one router by prefix, named site or AS."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import get_args

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes.format import counted, gigabytes
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.settings.model import Router
from hntes.web.errors import RefusedError
from hntes.web.pair import last_full_day
from hntes.web.plots import Plot, Scale, Series, Tick, bytes_label, stacked_bars
from hntes.web.request import Visit, parsed_day, visiting
from hntes.web.traffic_plots import day_labels
from hntes.workflow.reports.traffic_search import (
    GroupBy,
    TrafficGroups,
    traffic_by_router,
    traffic_of_router,
    whole_days,
)

routes = APIRouter()
NAMES: Mapping[GroupBy, str] = {
    "router": "router", "source": "source /16 or /32", "destination": "destination /16 or /32",
    "pair": "source and destination /16 or /32",
    "site": "named site", "as": "origin AS",
}  # fmt: skip
# Of one router by prefix; of all routers by day.
MOST_DAYS, MOST_DAYS_OF_ROUTERS = 92, 400
DAYS_AT_FIRST, MOST_GROUPS = 30, 100


@routes.get("/explore")
def explore(request: Request, router: str = "", by: str = "router", q: str = "") -> Response:
    """The form and what it finds."""
    with visiting(request) as visit:
        if by not in get_args(GroupBy):
            raise RefusedError(400, f"by = {by!r} is none of {', '.join(get_args(GroupBy))}")
        first, last = _days(request, visit, by)
        chosen = visit.router(router) if router else visit.context.settings.routers[0]
        found = _found(visit, chosen, by, q.strip(), first, last)  # type: ignore[arg-type]
        values = {
            "names": [each.name for each in visit.context.settings.routers], "chosen": chosen.name, "by": by, "q": q,
            "groups_by": NAMES, "found": found, "groups": found.groups[:MOST_GROUPS],
            "left": max(len(found.groups) - MOST_GROUPS, 0), "plot": day_plot(found), "gigabytes": gigabytes,
            "has_sites": bool(visit.context.settings.sites),
            "has_as": bool(visit.context.settings.autonomous_systems.tables),
        }  # fmt: skip
        return visit.page("explore.html.j2", values)


def _found(visit: Visit, router: Router, by: GroupBy, q: str, first: date, last: date) -> TrafficGroups:
    require_searchable(by, q)
    if by == "router":
        return traffic_by_router(visit.context, visit.context.settings.routers, first, last)
    return traffic_of_router(visit.context, router, first, last, by, PairSearch.parse(q) if q else None)


def require_searchable(by: GroupBy, q: str) -> None:
    """Refuses a search over all routers: their sums by day hold no hosts, and the hosts of 400 days are too many.

    Raises:
        RefusedError: there is a search, and groups are by router.
    """
    if by == "router" and q:
        others = ", ".join(each for each in get_args(GroupBy) if each != "router")
        raise RefusedError(400, f"{q!r} is searched on one router only: choose the router, and by = {others}")


def _days(request: Request, visit: Visit, by: str) -> tuple[date, date]:
    """The period that is asked for.

    Raises:
        RefusedError: a day is none, or the period is too long.
    """
    given = request.query_params
    last = parsed_day(given["until"], status=400) if given.get("until") else last_full_day(visit)
    first = parsed_day(given["since"], status=400) if given.get("since") else last - timedelta(days=DAYS_AT_FIRST - 1)
    most = MOST_DAYS_OF_ROUTERS if by == "router" else MOST_DAYS
    if (last - first).days >= most:
        raise RefusedError(400, f"{first} to {last} are more than {most} days; choose a later first day")
    return first, last


def day_plot(found: TrafficGroups) -> Plot:
    """The alpha traffic of each day."""
    listed = whole_days(found.first, len(found.by_day))
    scale = Scale.to(max(found.by_day, default=0))
    layers = stacked_bars((Series("alpha", "alpha traffic", [float(each) for each in found.by_day]),), scale)
    y_ticks = tuple(Tick(scale.y(value), bytes_label(value, scale.top)) for value in scale.ticks)
    busy = sum(1 for each in found.by_day if each)
    words = f"{gigabytes(found.alpha_bytes)} on {counted(busy, 'day')} from {found.first} to {found.last}"
    rows = tuple((str(day), gigabytes(each)) for day, each in zip(listed, found.by_day, strict=True) if each)
    return Plot("Alpha traffic by day", words, layers, day_labels(listed), y_ticks, ("Day", "alpha traffic"), rows)
