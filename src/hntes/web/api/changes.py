"""Changes for programs: the list, and one with its evidence."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from hntes.format import rfc3339
from hntes.settings.model import Router
from hntes.web.api.caller import Reader
from hntes.web.api.change_documents import (
    ChangeDetail,
    ChangeList,
    change_document,
    sums_document,
    transition_document,
)
from hntes.web.api.change_files import file_names
from hntes.web.api.describing import Base, Day, Instant, Limit, Offset, RouterName, answers
from hntes.web.api.paging import next_offset
from hntes.web.api.problem import document_of
from hntes.web.api.texts import AnyRouterName
from hntes.web.change import found_nightly, found_scheduled, marks, notes_of
from hntes.web.request import Visit
from hntes.workflow.reservations.scheduled_changes import scheduled_changes_of
from hntes.workflow.review.changes import Change, listed_entries, nightly_entries
from hntes.workflow.review.pair_bytes import pair_sums, pairs_with_bytes
from hntes.workflow.review.queues import changed_queues
from hntes.workflow.review.view import review_view
from hntes.workflow.review.words import summary_text

routes = APIRouter(prefix="/api/changes", tags=["changes"])


@routes.get("", summary="List", responses=answers(400, 404, ok_200=ChangeList))
def every(
    caller: Reader,
    router: Annotated[AnyRouterName, Query(description="Only of this router.")] = "",
    kind: Annotated[
        Literal["pending", "nightly", "scheduled"],
        Query(description="pending: nightly ones that can be decided; nightly: of the last `days`; scheduled."),
    ] = "pending",
    days: Annotated[int, Query(ge=1, le=400, description="With nightly: the last days that have a change.")] = 30,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Changes of all routers: nightly ones that wait for a decision, all of the last days, or scheduled ones."""
    with caller.reading() as visit:
        context = visit.context
        routers = [visit.router(router)] if router else context.settings.routers
        is_pending = kind == "pending"
        if kind == "scheduled":
            entries = [each for one in routers for each in scheduled_changes_of(context, one)]
        else:
            last = None if is_pending else days
            entries = [*nightly_entries(context, routers, only_pending=is_pending, days=last)]
        # what was said of a change is looked up for those of the page alone
        page, total = listed_entries(context, entries[offset : offset + limit], only_pending=is_pending), len(entries)
    shown = ChangeList(tuple(map(change_document, page)), total, next_offset(offset, limit, total))
    return document_of(ChangeList, shown)


@routes.get("/{router}/{day}", summary="Show", responses=answers(400, 404, ok_200=ChangeDetail))
def nightly(caller: Reader, router: RouterName, day: Day) -> Response:
    """A nightly change with its evidence: pairs, verdict by criterion, risks, transition, and what a decision names."""
    with caller.reading() as visit:
        chosen = visit.router(router)
        return document_of(ChangeDetail, _detail(visit, chosen, found_nightly(visit, chosen, day)))


@routes.get(
    "/{router}/from/{base}/{instant}", summary="Show a scheduled change",
    responses=answers(400, 404, ok_200=ChangeDetail),
)  # fmt: skip
def scheduled(caller: Reader, router: RouterName, base: Base, instant: Instant) -> Response:
    """A scheduled change with its evidence."""
    with caller.reading() as visit:
        chosen = visit.router(router)
        return document_of(ChangeDetail, _detail(visit, chosen, found_scheduled(visit, chosen, base, instant)))


def _detail(visit: Visit, router: Router, entry: Change) -> ChangeDetail:
    view = review_view(visit.context, router, entry, depth="page", needs_texts=False)
    is_nightly = not entry.is_scheduled
    sums = pair_sums(pairs_with_bytes(visit.context, router, view)) if is_nightly else None
    return ChangeDetail(
        about=change_document(view.listed),
        text=summary_text(view),
        end=None if entry.until_s is None else rfc3339(entry.until_s * 1000),
        unusual=view.needs.unusual if entry.state == "pending" else (),
        lost=view.lost,
        marks=tuple(marks(view)),
        notes=tuple(notes_of(view)) if is_nightly else (),
        hold=view.needs.hold if entry.state == "pending" else None,
        criteria=view.gate_lines,
        verdicts=view.verdicts,
        levers=view.levers,
        # those kept are only in the texts
        pairs=sums_document(sums)[: 2 if view.lost else None] if sums else (),
        reserved=view.facts.reserved,
        queues=changed_queues(view),
        transition=transition_document(view),
        progress=view.progress,
        files=file_names(visit.context, router, view),
    )
