"""The audit log as a page and as CSV."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import get_args
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes.format import rfc3339
from hntes.settings.names import NAME_PATTERN
from hntes.sql.entries import outcome_words
from hntes.web.errors import RefusedError
from hntes.web.request import parsed_day, visiting
from hntes.workflow.reports.audit_queries import AuditEventEntry, AuditKind, audit_listing, newest_listing

routes = APIRouter()

KINDS: tuple[AuditKind, ...] = get_args(AuditKind)
PAGE_ROWS = 100
# Longer notes are folded.
LONG_NOTE = 160
COLUMNS = ("event", "time", "kind", "router", "day", "candidate", "outcome", "identity", "who", "note")
# Spreadsheets take a cell with these first characters for a formula (OWASP, "CSV Injection"); some also wide ones.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@dataclass(frozen=True)
class Filter:
    """Filter of events; "" and None: all. `before`: only events before this number."""

    router: str
    kind: str
    who: str
    since: date | None
    before: int | None

    def query(self, before: int | None = None) -> str:
        """The filter as the query of a URL."""
        named = {"router": self.router, "kind": self.kind, "who": self.who, "since": self.since, "before": before}
        return urlencode({name: str(value) for name, value in named.items() if value})


@routes.get("/log")
def log(request: Request) -> Response:
    """The newest events, or those before a given one."""
    with visiting(request) as visit:
        wanted = _filter(request)
        found = newest_listing(visit.context, *_wanted(wanted), before=wanted.before, count=PAGE_ROWS + 1)
        rows = found[:PAGE_ROWS]
        older = wanted.query(rows[-1].number) if len(found) > PAGE_ROWS else ""
        # one that left the settings stays chosen in the form
        names = dict.fromkeys(
            (*(each.name for each in visit.context.settings.routers), *(named_routers(wanted.router) or ()))
        )
        values = {
            "wanted": wanted, "rows": rows, "older": older, "kinds": KINDS, "names": names, "moment": rfc3339,
            "long_note": LONG_NOTE,
        }  # fmt: skip
        return visit.page("log.html.j2", values)


@routes.get("/log.csv")
def log_csv(request: Request) -> Response:
    """All matching events, oldest first."""
    with visiting(request) as visit:
        text = csv_text(audit_listing(visit.context, *_wanted(_filter(request))))
    named = {"Content-Disposition": 'attachment; filename="hntes-log.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=named)


def csv_text(events: Iterable[AuditEventEntry]) -> str:
    """The events as CSV (RFC 4180), without cells that look like formulas."""
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(COLUMNS)
    for e in events:
        about = (e.number, rfc3339(e.time_ms), e.kind, e.router, e.day, e.candidate_hash, outcome_words(e))
        cells = (*about, e.identity, e.who, e.note)
        writer.writerow([_cell(value) for value in cells])
    return written.getvalue()


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def named_routers(name: str) -> tuple[str, ...] | None:
    """The router that a filter names, whether the settings have it or not; None for "", which means all.

    Raises:
        RefusedError: no router can have that name.
    """
    if not name:
        return None
    if not re.fullmatch(NAME_PATTERN, name):
        raise RefusedError(400, f"{name!r} is not the name of a router")
    return (name,)


def _filter(request: Request) -> Filter:
    given = request.query_params
    router, kind, before = given.get("router", ""), given.get("kind", ""), given.get("before", "")
    named_routers(router)
    if kind and kind not in KINDS:
        raise RefusedError(400, f"{kind!r} is not a kind of event; choose one from the list")
    if before and not (before.isascii() and before.isdigit() and len(before) <= 15):
        raise RefusedError(400, f"{before!r} is not the number of an event")
    since = parsed_day(given["since"], status=400) if given.get("since") else None
    return Filter(router, kind, given.get("who", "").strip(), since, int(before) if before else None)


def _wanted(wanted: Filter) -> tuple[Sequence[str] | None, Sequence[AuditKind], int | None, str | None]:
    """The routers, the kinds, the start time, and the name."""
    kinds = tuple(kind for kind in KINDS if kind == wanted.kind)
    since = wanted.since
    since_ms = int(datetime(since.year, since.month, since.day, tzinfo=UTC).timestamp()) * 1000 if since else None
    return named_routers(wanted.router), kinds, since_ms, wanted.who or None
