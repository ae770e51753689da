"""Deliveries for programs: windows, how far each router has come, and the rounds so far."""

from fastapi import APIRouter
from starlette.responses import Response

from hntes.web.api.caller import Reader
from hntes.web.api.describing import answers
from hntes.web.api.problem import document_of
from hntes.web.deliveries import SHOWN_EVENTS
from hntes.workflow.reports.deliveries import Deliveries, deliveries

routes = APIRouter(prefix="/api/deliveries", tags=["deliveries"])


@routes.get("", summary="Show", responses=answers(ok_200=Deliveries))
def show(caller: Reader) -> Response:
    """Whether a delivery may begin, what was approved, delivered and verified on each router, and the newest rounds."""
    with caller.reading() as visit:
        found = deliveries(visit.context, visit.context.settings.routers, at_least=SHOWN_EVENTS)
    return document_of(Deliveries, found)
