"""The audit log for programs."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from hntes.web.api.caller import Reader
from hntes.web.api.describing import Limit, answers
from hntes.web.api.problem import document_of
from hntes.web.api.texts import AnyDay, AnyRouterName
from hntes.web.log import named_routers
from hntes.web.request import parsed_day
from hntes.workflow.reports.audit_queries import AuditEventEntry, AuditKind, newest_listing

routes = APIRouter(prefix="/api/audit", tags=["audit"])


@dataclass(frozen=True)
class AuditPage:
    """Events, newest first. `next_before` is `before` of the page of older ones, null if there are none."""

    events: tuple[AuditEventEntry, ...]
    next_before: int | None


@routes.get("", summary="List", responses=answers(400, ok_200=AuditPage))
def events(
    caller: Reader,
    router: Annotated[AnyRouterName, Query(description="Only of this router, or of one that left the settings.")] = "",
    kind: Annotated[AuditKind | None, Query(description="Only of this kind.")] = None,
    who: Annotated[str, Query(max_length=200, description="Any part of an identity or a name.")] = "",
    since: Annotated[AnyDay, Query(description="Only since the start of this day (UTC).")] = "",
    before: Annotated[int | None, Query(ge=1, le=10**15, description="Only events before this number.")] = None,
    limit: Limit = 100,
) -> Response:
    """The newest events; those before `next_before` follow. Each event's hash covers the event before it."""
    since_ms = None
    if since:
        day = parsed_day(since, status=400)
        since_ms = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000
    with caller.reading() as visit:
        routers, kinds = named_routers(router), (kind,) if kind else ()
        found = newest_listing(
            visit.context, routers, kinds, since_ms, who.strip() or None, before=before, count=limit + 1
        )
    page = found[:limit]
    return document_of(AuditPage, AuditPage(page, page[-1].number if len(found) > limit else None))
