"""Alpha traffic of any period for programs."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from hntes.rules.lifetime.pair_search import PairSearch
from hntes.web.api.caller import Reader
from hntes.web.api.describing import Limit, Offset, answers
from hntes.web.api.paging import next_offset
from hntes.web.api.problem import document_of
from hntes.web.api.texts import AnyDay, AnyPairSearch, AnyRouterName
from hntes.web.errors import RefusedError
from hntes.web.explore import DAYS_AT_FIRST, MOST_DAYS, MOST_DAYS_OF_ROUTERS, require_searchable
from hntes.web.pair import last_full_day
from hntes.web.request import Visit, parsed_day
from hntes.workflow.reports.traffic_search import GroupBy, TrafficGroup, traffic_by_router, traffic_of_router

routes = APIRouter(prefix="/api/traffic", tags=["traffic"])


@dataclass(frozen=True)
class TrafficPage:
    """Alpha traffic from `first` through `last`: bytes by day and in all, and one page of its groups.

    Groups with the most bytes come first; `search` of a group finds its pairs. `next_offset` is null on the last page.
    """

    first: date
    last: date
    alpha_bytes: int
    by_day: tuple[int, ...]
    groups: tuple[TrafficGroup, ...]
    total: int
    next_offset: int | None


@routes.get("", summary="Explore", responses=answers(400, 404, ok_200=TrafficPage))
def explore(
    caller: Reader,
    by: Annotated[GroupBy, Query(description="Groups; all but `router` are of one router.")] = "router",
    router: Annotated[AnyRouterName, Query(description="The router, for all groups but `router`.")] = "",
    q: Annotated[
        AnyPairSearch, Query(description="Of one router: only hosts that this host, prefix or pair finds.")
    ] = "",
    since: Annotated[
        AnyDay, Query(description="First day; default: 30 days. At most 400 days, 92 of one router.")
    ] = "",
    until: Annotated[AnyDay, Query(description="Last day; default: yesterday.")] = "",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Alpha traffic of all routers by router (up to 400 days), or of one by prefix, site or AS (up to 92 days).

    Prefixes are of /16 (IPv6: /32).
    """
    with caller.reading() as visit:
        require_searchable(by, q.strip())
        first, last = _days(visit, by, since, until)
        if by == "router":
            found = traffic_by_router(visit.context, visit.context.settings.routers, first, last)
        else:
            search = PairSearch.parse(q.strip()) if q.strip() else None
            found = traffic_of_router(visit.context, visit.router(router), first, last, by, search)
    page, total = found.groups[offset : offset + limit], len(found.groups)
    more = next_offset(offset, limit, total)
    return document_of(TrafficPage, TrafficPage(first, last, found.alpha_bytes, found.by_day, page, total, more))


def _days(visit: Visit, by: GroupBy, since: str, until: str) -> tuple[date, date]:
    """The period.

    Raises:
        RefusedError: a day is none, or the period is too long.
    """
    last = parsed_day(until, status=400) if until else last_full_day(visit)
    first = parsed_day(since, status=400) if since else last - timedelta(days=DAYS_AT_FIRST - 1)
    most = MOST_DAYS_OF_ROUTERS if by == "router" else MOST_DAYS
    if (last - first).days >= most:
        raise RefusedError(400, f"{first} to {last} are more than {most} days; choose a later first day")
    return first, last
