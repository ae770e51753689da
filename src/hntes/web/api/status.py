"""The state of the installation for programs: the strip of the dashboard, and the totals of all routers."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from fastapi import APIRouter
from starlette.responses import Response

from hntes.version import program_version
from hntes.web.api.caller import Reader
from hntes.web.api.describing import answers
from hntes.web.api.problem import document_of
from hntes.web.dashboard import PLOT_DAYS, newest_night
from hntes.workflow.reports.all_routers import AllRouters, all_routers
from hntes.workflow.reports.router_traffic import QueuedSum, queued_of_all
from hntes.workflow.reservations.quota_approvals import undecided
from hntes.workflow.review.changes import nightly_entries

routes = APIRouter(prefix="/api/status", tags=["status"])


@dataclass(frozen=True)
class ChainLink:
    """A part of the chain from the night to the routers; `unknown` where nothing is there yet that could be well."""

    name: str
    state: Literal["well", "unwell", "unknown"]
    words: str


@dataclass(frozen=True)
class TroubledRouter:
    """A router without the data of the newest night, and why."""

    router: str
    reason: str


@dataclass(frozen=True)
class Status:
    """The state as the dashboard shows it.

    Attributes:
        version: Of HNTES.
        day: The day of the newest night, null before the first.
        chain: From the night to the routers.
        overdue: Later days whose night has not run, as a sentence; "" if none.
        troubled: Routers without the data of that night.
        pending_changes: Nightly changes that can still be decided.
        pending_scheduled: Scheduled changes that wait for a decision.
        totals: Pairs in force against the term budgets, and rules that age out.
        queued: Alpha traffic of 30 days with and without a rule; days that were not measured are left out.
    """

    version: str
    day: date | None
    chain: tuple[ChainLink, ...]
    overdue: str
    troubled: tuple[TroubledRouter, ...]
    pending_changes: int
    pending_scheduled: int
    totals: AllRouters
    queued: tuple[QueuedSum, ...]


@routes.get("", summary="Show", responses=answers(ok_200=Status))
def show(caller: Reader) -> Response:
    """The chain from the last night to the routers, what waits, and the totals of all routers."""
    with caller.reading() as visit:
        context, night = visit.context, newest_night(visit)
        found = Status(
            version=program_version(),
            day=night.day,
            chain=tuple(ChainLink(each.name, each.state, each.words) for each in night.chain),
            overdue=night.overdue,
            troubled=tuple(TroubledRouter(*each) for each in night.troubled),
            pending_changes=len(nightly_entries(context, context.settings.routers, only_pending=True)),
            pending_scheduled=len(undecided(context)),
            totals=all_routers(context, context.settings.routers),
            queued=queued_of_all(context, context.settings.routers, night.day, PLOT_DAYS) if night.day else (),
        )
    return document_of(Status, found)
