"""The page of one change set: what it does, why, what the gate says, and the decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes import clock
from hntes.format import at, minute
from hntes.sanitize import shown
from hntes.settings.model import Router
from hntes.web.errors import RefusedError
from hntes.web.figures import Spark, last_seen, spark
from hntes.web.format import time_left
from hntes.web.request import Visit, parsed_day, visiting
from hntes.web.summary_parts import ShownPair, summary_parts
from hntes.workflow.reports.audit_queries import AuditEventEntry
from hntes.workflow.review.approval_needs import approval_needs
from hntes.workflow.review.change_parts import changed_pairs, gate_figures
from hntes.workflow.review.change_text import change_text
from hntes.workflow.review.changes import ChangeSetEntry, ToldChange, change_of, listed_change, told_changes
from hntes.workflow.review.gate_lines import gate_lines
from hntes.workflow.review.transition_approval import known_transition
from hntes.workflow.stages.pair_days import PrefixPair, alpha_bytes_by_day

routes = APIRouter()

SPARK_DAYS, SPARK_DAY_WIDTH, SPARK_HEIGHT = 30, 4, 20
HISTORY_DAYS = 14
# More than a person reads in a browser, and no more than it shows at once; the whole texts have addresses of their own.
PAGE_PAIRS, MOST_KEPT, MOST_DIFF_LINES = 100, 500, 1000


@dataclass(frozen=True)
class PairRow:
    """A pair that comes or goes, with its last weeks; `last_seen` is None if it was not seen in them."""

    shown: ShownPair
    last_seen: date | None
    spark: Spark


@dataclass(frozen=True)
class PairPage:
    """The pairs that stand on one page, counted from 1, of `of` in all."""

    first: int
    last: int
    of: int

    @property
    def earlier(self) -> int | None:
        """The first pair of the page before, None before the first page."""
        return max(self.first - PAGE_PAIRS, 1) if self.first > 1 else None

    @property
    def later(self) -> int | None:
        """The first pair of the page after, None after the last page."""
        return self.last + 1 if self.last < self.of else None


@dataclass(frozen=True)
class DiffPart:
    """Lines of the difference that follow each other, and what kind they are: "add", "del", "at" (a place), "same"."""

    kind: str
    text: str


@routes.get("/change/{name}/{day}")
def change(request: Request, name: str, day: str) -> Response:
    """One change set."""
    with visiting(request) as visit:
        router = visit.router(name)
        entry = found_change(visit, router, day)
        first = _first_pair(request.query_params.get("pair", "1"))
        return visit.page("change.html.j2", change_values(visit, router, entry, first_pair=first))


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


def change_values(
    visit: Visit, router: Router, entry: ChangeSetEntry, told: str = "", *, first_pair: int = 1
) -> Mapping[str, object]:
    """All that the page shows, its pairs from the `first_pair`-th on; `told` is what became of a refused decision."""
    context, now_ms = visit.context, clock.now_ms()
    summary, difference = change_text(context, router, entry)
    parts = summary_parts(summary)
    shown_pairs = pair_page(first_pair, len(parts.pairs))
    lines = difference.split("\n") if difference else []
    listed = listed_change(context, entry, from_stored_judgement=True)
    needs = approval_needs(context, router, entry, listed.objections)
    history = told_changes(context, router, HISTORY_DAYS)
    kept = changed_pairs(context, router, entry).kept
    return {
        "entry": entry,
        "router": router,
        "told": told,
        "parts": parts,
        "rows": pair_rows(visit, router, entry.day, parts.pairs[shown_pairs.first - 1 : shown_pairs.last]),
        "pairs": shown_pairs,
        "kept": "\n".join(map(str, kept[:MOST_KEPT])),
        "kept_count": len(kept),
        "kept_left": max(len(kept) - MOST_KEPT, 0),
        "spark_days": SPARK_DAYS,
        "gate": gate_lines(context, entry),
        "figures": gate_figures(context, router, entry),
        "needs": needs,
        "objections": needs.objections,
        "leading": known_transition(context, router, entry),
        "decided": decided(listed),
        "standing": listed.standing,
        "held_until": listed.held_until,
        "expires": f"{minute(entry.expires_ms)} UTC",
        "left": time_left(now_ms, entry.expires_ms),
        "is_open": entry.state == "pending" and entry.expires_ms > now_ms,
        "diff": diff_parts(lines[:MOST_DIFF_LINES]),
        "diff_count": len(lines),
        "diff_left": max(len(lines) - MOST_DIFF_LINES, 0),
        "history": [(one, decided(one)) for one in reversed(history) if one.change_set.day != entry.day],
    }


def pair_page(first: int, count: int) -> PairPage:
    """The page that begins with the `first` of so many pairs.

    Raises:
        RefusedError: there are not so many.
    """
    if first > max(count, 1):
        raise RefusedError(404, f"the change has no pair number {first}; it has {count}")
    return PairPage(first, min(first + PAGE_PAIRS - 1, count), count)


def _first_pair(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        raise RefusedError(400, f"{text!r} is not the number of a pair, which is counted from 1")
    return int(text)


def pair_rows(visit: Visit, router: Router, day: date, pairs: tuple[ShownPair, ...]) -> list[PairRow]:
    """The pairs with the figures of their last weeks."""
    named: set[PrefixPair] = {one.pair for one in pairs}
    past = alpha_bytes_by_day(visit.context, router, named, day, SPARK_DAYS) if named else {}
    return [
        PairRow(
            one,
            last_seen(past[one.pair], day),
            spark(past[one.pair], day, day_width=SPARK_DAY_WIDTH, height=SPARK_HEIGHT),
        )
        for one in pairs
    ]


def diff_parts(lines: Sequence[str]) -> list[DiffPart]:
    """The lines of a unified difference, those of a kind that follow each other as one."""
    return [DiffPart(kind, "\n".join(part)) for kind, part in groupby(lines, _kind)]


def decided(listed: ToldChange) -> str:
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
