"""The page of one change set: what it does, why, what the gate says, and the decision."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from base import clock
from base.free_text import shown
from base.wording import at, minute
from pipeline.approval_needs import approval_needs
from pipeline.change_text import change_text
from pipeline.changes import ChangeSetEntry, ListedChange, change_of, listed_change, listed_changes
from pipeline.gate_lines import gate_lines
from pipeline.pair_days import PrefixPair, alpha_bytes_by_day
from pipeline.record import AuditEventEntry
from settings.model import Router
from web.errors import RefusedError
from web.figures import Strip, last_seen, strip
from web.summary_parts import ShownPair, summary_parts
from web.visit import Visit, parsed_day, visiting
from web.wording import time_left

routes = APIRouter()

SPARK_DAYS, SPARK_DAY_WIDTH, SPARK_HEIGHT = 30, 4, 20
HISTORY_DAYS = 14
# More lines than a person reads in a browser; the command line has all of them.
MOST_DIFF_LINES = 5000


@dataclass(frozen=True)
class PairRow:
    """A pair that comes or goes, with its last weeks; `last_seen` is None if it was not seen in them."""

    shown: ShownPair
    last_seen: date | None
    strip: Strip


@dataclass(frozen=True)
class DiffLine:
    """A line of the difference, and what kind it is: "add", "del", "at" (a place) or "same"."""

    kind: str
    text: str


@routes.get("/change/{name}/{day}")
def change(request: Request, name: str, day: str) -> Response:
    """One change set."""
    with visiting(request) as visit:
        router = visit.router(name)
        return visit.page("change.html.j2", change_values(visit, router, found_change(visit, router, day)))


def found_change(visit: Visit, router: Router, day: str) -> ChangeSetEntry:
    """The router's change set of a day.

    Raises:
        RefusedError: this is no day, or it has none.
    """
    wanted = parsed_day(day)
    entry = change_of(visit.context, router.name, wanted)
    if entry is None:
        raise RefusedError(404, f"router {router.name} has no change set of {wanted}")
    return entry


def change_values(visit: Visit, router: Router, entry: ChangeSetEntry, told: str = "") -> Mapping[str, object]:
    """All that the page shows; `told` is what became of a decision that was refused."""
    context, now_ms = visit.context, clock.now_ms()
    summary, difference = change_text(context, router, entry)
    parts = summary_parts(summary)
    lines = diff_lines(difference)
    listed = listed_change(context, entry, for_a_list=True)
    history = listed_changes(context, [router], only_pending=False, days=HISTORY_DAYS)
    return {
        "entry": entry,
        "router": router,
        "told": told,
        "parts": parts,
        "rows": pair_rows(visit, router, entry.day, parts.pairs),
        "spark_days": SPARK_DAYS,
        "gate": gate_lines(context, entry),
        "needs": approval_needs(context, router, entry, listed.objections),
        "decided": decided(listed),
        "standing": listed.standing,
        "held_until": listed.held_until,
        "expires": f"{minute(entry.expires_ms)} UTC",
        "left": time_left(now_ms, entry.expires_ms),
        "is_open": entry.state == "pending" and entry.expires_ms > now_ms,
        "diff": lines[:MOST_DIFF_LINES],
        "diff_left": max(len(lines) - MOST_DIFF_LINES, 0),
        "history": [(one, decided(one)) for one in reversed(history) if one.change_set.day != entry.day],
    }


def pair_rows(visit: Visit, router: Router, day: date, pairs: tuple[ShownPair, ...]) -> list[PairRow]:
    """The pairs with the figures of their last weeks."""
    named: set[PrefixPair] = {one.pair for one in pairs}
    past = alpha_bytes_by_day(visit.context, router, named, day, SPARK_DAYS) if named else {}
    return [
        PairRow(
            one,
            last_seen(past[one.pair], day),
            strip(past[one.pair], day, day_width=SPARK_DAY_WIDTH, height=SPARK_HEIGHT),
        )
        for one in pairs
    ]


def diff_lines(difference: str) -> list[DiffLine]:
    """The lines of a unified difference with their kinds."""
    return [DiffLine(_kind(line), line) for line in difference.split("\n")] if difference else []


def decided(listed: ListedChange) -> str:
    """Who decided and when, by the audit log; "" where nobody has."""
    if first := listed.first_approval:
        return f"approved by {_person(first)}, waits for a second person"
    if (event := listed.decision) is None:
        return ""
    state = "withdrawn" if event.kind == "withdraw" else event.detail
    note = f": {shown(event.note)}" if event.note else ""
    return f"{state} by {_person(event)}{note}"


def _person(event: AuditEventEntry) -> str:
    return f"{shown(event.who or 'nobody')} ({event.identity}) {at(event.time_ms)}"


def _kind(line: str) -> str:
    if line.startswith("@@"):
        return "at"
    if line.startswith("+"):
        return "add"
    return "del" if line.startswith("-") else "same"
