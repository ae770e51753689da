"""The pairs of a nightly change for programs."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from hntes.rules.lifetime.pair_search import PairSearch
from hntes.web.api.caller import Reader
from hntes.web.api.change_documents import ChangePair, ChangePairList
from hntes.web.api.describing import Day, Limit, Offset, RouterName, answers
from hntes.web.api.paging import next_offset
from hntes.web.api.problem import document_of
from hntes.web.change import found_nightly
from hntes.web.figures import last_seen
from hntes.web.pair_table import CHANGES, SHOWN, Order, Shown, ordered
from hntes.workflow.review.pair_bytes import PairBytes, pairs_with_bytes
from hntes.workflow.review.view import review_view

routes = APIRouter(prefix="/api/changes/{router}", tags=["changes"])


@routes.get("/{day}/pairs", summary="List its pairs", responses=answers(400, 404, ok_200=ChangePairList))
def pairs(
    caller: Reader,
    router: RouterName,
    day: Day,
    show: Annotated[Shown, Query(description="Which pairs; changed: added and removed.")] = "changed",
    sort: Annotated[Order, Query(description="Most bytes, prefixes, or last seen first.")] = "bytes",
    q: Annotated[str, Query(max_length=200, description="Only pairs that this host, prefix or pair finds.")] = "",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Its pairs with reason and alpha traffic, as the page lists them."""
    search = PairSearch.parse(q.strip()) if q.strip() else None
    with caller.reading() as visit:
        chosen = visit.router(router)
        entry = found_nightly(visit, chosen, day)
        known = pairs_with_bytes(visit.context, chosen, review_view(visit.context, chosen, entry, depth="page"))
    found = [each for each in known if each.sign in SHOWN[show][0] and (search is None or search.finds(each.pair))]
    page = ordered(found, sort)[offset : offset + limit]

    def row(each: PairBytes) -> ChangePair:
        return ChangePair(
            CHANGES[each.sign], str(each.pair.source), str(each.pair.destination), each.reason, each.alpha_bytes,
            each.by_day, last_seen(each.by_day, entry.day),
        )  # fmt: skip

    carried = sum(each.alpha_bytes for each in found)
    listed = ChangePairList(tuple(map(row, page)), len(found), carried, next_offset(offset, limit, len(found)))
    return document_of(ChangePairList, listed)
