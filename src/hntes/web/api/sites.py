"""Named sites for programs, by which traffic and the pairs of a change are grouped."""

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import Response

from hntes.web.api.caller import Reader
from hntes.web.api.describing import Limit, Offset, answers
from hntes.web.api.paging import next_offset
from hntes.web.api.problem import document_of

routes = APIRouter(prefix="/api/sites", tags=["sites"])


@dataclass(frozen=True)
class SitePrefixes:
    """A site and the prefixes of its hosts; of several sites' prefixes that hold a host the longest counts."""

    name: str
    prefixes: tuple[str, ...]


@dataclass(frozen=True)
class SiteList:
    """Sites in the order of the settings. `next_offset` is null on the last page."""

    sites: tuple[SitePrefixes, ...]
    total: int
    next_offset: int | None


@routes.get("", summary="List", responses=answers(400, ok_200=SiteList))
def every(caller: Reader, limit: Limit = 100, offset: Offset = 0) -> Response:
    """The named sites of the settings; nothing is decided by them."""
    with caller.reading() as visit:
        known = visit.context.settings.sites
    page = tuple(SitePrefixes(each.name, tuple(map(str, each.prefixes))) for each in known[offset : offset + limit])
    return document_of(SiteList, SiteList(page, len(known), next_offset(offset, limit, len(known))))
