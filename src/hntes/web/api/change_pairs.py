"""The pairs of a nightly change for programs."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from hntes.web.api.caller import Reader
from hntes.web.api.change_documents import (
    ChangePair,
    ChangePairGroup,
    ChangePairGroups,
    ChangePairList,
    sums_document,
)
from hntes.web.api.describing import Day, Limit, Offset, RouterName, answers
from hntes.web.api.paging import next_offset
from hntes.web.api.problem import document_of
from hntes.web.api.texts import AnyPairSearch
from hntes.web.change import found_nightly
from hntes.web.figures import last_seen
from hntes.web.lost_texts import reading_texts
from hntes.web.pair_table import Order, Shown, matching, ordered
from hntes.workflow.review.pair_bytes import PairBytes, pair_sums, pairs_with_bytes
from hntes.workflow.review.pair_groups import CHANGES, Group, PairGroup, group_names, grouped
from hntes.workflow.review.view import review_view

routes = APIRouter(prefix="/api/changes/{router}", tags=["changes"])
Show = Annotated[Shown, Query(description="Which pairs; changed: added and removed.")]
Search = Annotated[AnyPairSearch, Query(description="Only pairs that this host, prefix or pair finds.")]


@routes.get("/{day}/pairs", summary="List its pairs", responses=answers(400, 404, ok_200=ChangePairList))
def pairs(
    caller: Reader,
    router: RouterName,
    day: Day,
    show: Show = "changed",
    sort: Annotated[Order, Query(description="Most bytes, prefixes, or last seen first.")] = "bytes",
    q: Search = "",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Its pairs with reason and alpha traffic, as the page lists them."""
    with caller.reading() as visit:
        chosen = visit.router(router)
        entry = found_nightly(visit, chosen, day)
        with reading_texts(visit.context, entry):
            known = pairs_with_bytes(visit.context, chosen, review_view(visit.context, chosen, entry, depth="page"))
    found = matching(known, show, q.strip())
    page = ordered(found, sort)[offset : offset + limit]

    def row(each: PairBytes) -> ChangePair:
        return ChangePair(
            CHANGES[each.sign], str(each.pair.source), str(each.pair.destination), each.reason, each.alpha_bytes,
            each.by_day, last_seen(each.by_day, entry.day),
        )  # fmt: skip

    carried = sum(each.alpha_bytes for each in found)
    listed = ChangePairList(tuple(map(row, page)), len(found), carried, next_offset(offset, limit, len(found)))
    return document_of(ChangePairList, listed)


@routes.get("/{day}/pairs/groups", summary="Group its pairs", responses=answers(400, 404, ok_200=ChangePairGroups))
def groups(
    caller: Reader,
    router: RouterName,
    day: Day,
    by: Annotated[Group, Query(description="Prefixes of /16 (IPv6: /32), named sites, owners, or reasons.")] = "site",
    show: Show = "all",
    q: Search = "",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Its pairs in groups with their sums, the group with the most bytes first, as the page groups them."""
    with caller.reading() as visit:
        chosen = visit.router(router)
        entry = found_nightly(visit, chosen, day)
        with reading_texts(visit.context, entry):
            known = pairs_with_bytes(visit.context, chosen, review_view(visit.context, chosen, entry, depth="page"))
        found = matching(known, show, q.strip())
        every = grouped(found, by, group_names(visit.context, chosen, found, entry.day, by))
    page, more = tuple(map(_group, every[offset : offset + limit])), next_offset(offset, limit, len(every))
    carried = sum(each.alpha_bytes for each in found)
    sums = sums_document(pair_sums(found))
    return document_of(ChangePairGroups, ChangePairGroups(by, page, len(every), len(found), carried, sums, more))


def _group(one: PairGroup) -> ChangePairGroup:
    return ChangePairGroup(one.name, one.alpha_bytes, sums_document(one.sums), one.q)
