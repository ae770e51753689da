"""The page of reservations: active and future ones, scheduled changes, each port's calendar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes.format import gbps, minute
from hntes.rules.changeset.wording import reserved_words
from hntes.web.change import change_address
from hntes.web.plots import Plot
from hntes.web.request import visiting
from hntes.web.reservation_plots import calendar_plot, measured_plot
from hntes.workflow.context import Context
from hntes.workflow.judgement import base_problem_now
from hntes.workflow.reservations.calendar import PortCalendar, port_calendars
from hntes.workflow.reservations.measured import measured_days
from hntes.workflow.reservations.measured_words import HEAD, left_out_words, measured_rows
from hntes.workflow.reservations.reserve import listing
from hntes.workflow.reservations.scheduled_changes import Change, reserved_in, scheduled_changes_of

routes = APIRouter()
# Maximum number of listed reservations and periods; the figure has all. A program may reserve thousands.
MOST_ROWS = 200
# Of the comparison with what was measured.
MEASURED_DAYS = 7


@dataclass(frozen=True)
class PortView:
    """A port: its cap as text, its calendar as a figure with a table, and the number of periods that are left out."""

    name: str
    cap: str
    is_over: bool
    plot: Plot
    more: int


@dataclass(frozen=True)
class ScheduledView:
    """A row of the scheduled changes."""

    router: str
    start: str
    end: str
    text: str
    rules_of: str
    state: str
    reserved: str
    address: str


@routes.get("/reservations")
def reservations(request: Request) -> Response:
    """Active and future reservations of all owners."""
    with visiting(request) as visit:
        is_on = visit.context.settings.reservations is not None
        rows = listing(visit.context) if is_on else ()
        values = {
            "is_on": is_on,
            "rows": rows[:MOST_ROWS],
            "more_rows": max(len(rows) - MOST_ROWS, 0),
            "ports": [port_view(each) for each in port_calendars(visit.context)] if is_on else [],
            **(_scheduled(visit.context) if is_on else {"edges": [], "more_edges": 0}),
            "gbps": gbps,
            **(_measured(visit.context) if is_on else {"measured": None}),
        }
        return visit.page("reservations.html.j2", values)


def _measured(context: Context) -> Mapping[str, object]:
    """Promised and measured rates of the days before."""
    found = measured_days(context, MEASURED_DAYS)
    return {
        "measured": found, "measured_head": HEAD, "measured_rows": measured_rows(found),
        "measured_plots": [measured_plot(each) for each in found.ports], "left_out": left_out_words(found),
    }  # fmt: skip


def _scheduled(context: Context) -> Mapping[str, object]:
    """The scheduled changes of each router, up to MOST_ROWS per router, and the number of those that are left out."""
    by_router = [scheduled_changes_of(context, router) for router in context.settings.routers]
    left_out = sum(max(len(each) - MOST_ROWS, 0) for each in by_router)
    return {"edges": _views(context, [one for each in by_router for one in each[:MOST_ROWS]]), "more_edges": left_out}


def _views(context: Context, found: Sequence[Change]) -> list[ScheduledView]:
    reserved = reserved_in(context, found)
    return [
        ScheduledView(
            router=each.router,
            start=_at(each.effective_s or 0),
            end=_at(each.until_s) if each.until_s is not None else "-",
            text=each.candidate_hash[:12],
            rules_of=each.day.isoformat(),
            state=_state(context, each),
            reserved=reserved_words(reserved[each.change_id]),
            address=change_address(each),
        )
        for each in found
    ]


def _state(context: Context, entry: Change) -> str:
    if entry.state == "approved":
        return f"approved by {entry.decided_by}"
    return f"waits for the rules of {entry.day}" if base_problem_now(context, entry) else "waits for approval"


def port_view(found: PortCalendar) -> PortView:
    """A port's calendar as the page shows it."""
    cap_bps = found.limit.cap_bps
    plot, periods = calendar_plot(found, MOST_ROWS)
    cap = f"{gbps(cap_bps)} of {gbps(found.limit.rate_bps)} may be reserved"
    return PortView(str(found.port), cap, found.most_bps > cap_bps, plot, max(periods - MOST_ROWS, 0))


def _at(moment_s: int) -> str:
    return minute(moment_s * 1000)
