"""The page of one change: pairs, reasons, the gate's verdict, and the decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from urllib.parse import quote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes import clock
from hntes.format import minute
from hntes.rules.changeset import wording
from hntes.settings.model import Router
from hntes.sql.reasons import PairReason
from hntes.web.errors import RefusedError
from hntes.web.figures import Spark, last_seen, spark
from hntes.web.format import time_left
from hntes.web.request import Visit, parsed_day, visiting
from hntes.workflow.change_lookup import change_by_id, change_of
from hntes.workflow.review import words
from hntes.workflow.review.changes import Change, change_history
from hntes.workflow.review.figures import gate_figures
from hntes.workflow.review.status_words import decided_words
from hntes.workflow.review.view import ReviewView, changed_pairs, review_view
from hntes.workflow.stages.pair_days import PrefixPair, alpha_bytes_by_day
from hntes.workflow.stages.verdict_lines import failing_first, verdicts_in_a_sentence

routes = APIRouter()

SPARK_DAYS, SPARK_DAY_WIDTH, SPARK_HEIGHT = 30, 4, 20
HISTORY_DAYS = 14
# Limits of what the page shows; the full texts have URLs of their own.
PAGE_PAIRS, MOST_KEPT, MOST_DIFF_LINES = 100, 500, 1000
NO_END = "-"


@dataclass(frozen=True)
class PairRow:
    """An added or removed pair with its last weeks; `last_seen` is None if it was not seen in them."""

    sign: str
    pair: PrefixPair
    reason: str
    last_seen: date | None
    spark: Spark


@dataclass(frozen=True)
class PairPage:
    """The range of pairs on one page, counted from 1, out of `of`."""

    first: int
    last: int
    of: int

    @property
    def earlier(self) -> int | None:
        """The first pair of the previous page, None on the first page."""
        return max(self.first - PAGE_PAIRS, 1) if self.first > 1 else None

    @property
    def later(self) -> int | None:
        """The first pair of the next page, None on the last page."""
        return self.last + 1 if self.last < self.of else None


@dataclass(frozen=True)
class DiffPart:
    """Consecutive lines of the diff of one kind: "add", "del", "at" (a position), "same"."""

    kind: str
    text: str


@routes.get("/change/{name}/{day}")
def nightly(request: Request, name: str, day: str) -> Response:
    """One nightly change."""
    with visiting(request) as visit:
        router = visit.router(name)
        entry = found_nightly(visit, router, day)
        first = _first_pair(request.query_params.get("pair", "1"))
        return visit.page("change.html.j2", change_values(visit, router, entry, first_pair=first))


@routes.get("/change/{name}/from/{base}/{moment}")
def scheduled(request: Request, name: str, base: str, moment: str) -> Response:
    """One scheduled change."""
    with visiting(request) as visit:
        router = visit.router(name)
        return visit.page("change.html.j2", change_values(visit, router, found_scheduled(visit, router, base, moment)))


def change_address(entry: Change) -> str:
    """The address of a change's page."""
    return f"/change/{quote(entry.change_id, safe='/:')}"


def found_nightly(visit: Visit, router: Router, day: str) -> Change:
    """The router's nightly change of a day.

    Raises:
        RefusedError: the day is invalid, or has no change.
    """
    wanted = parsed_day(day)
    entry = change_of(visit.context, router.name, wanted)
    if entry is None:
        raise RefusedError(404, f"router {router.name} has no change of {wanted}")
    return entry


def found_scheduled(visit: Visit, router: Router, base: str, moment: str) -> Change:
    """The router's scheduled change on these rules at that start time.

    Raises:
        RefusedError: there is none.
    """
    entry = change_by_id(visit.context, f"{router.name}/from/{base}/{moment}")
    if entry is None or not entry.is_scheduled:
        raise RefusedError(404, f"router {router.name} has no scheduled change for {moment} on these rules")
    return entry


def change_values(
    visit: Visit, router: Router, entry: Change, message: str = "", *, first_pair: int = 1
) -> Mapping[str, object]:
    """The values of the page, with pairs from the `first_pair`-th on; `message` explains a refused decision."""
    view, now_ms = review_view(visit.context, router, entry, from_stored_judgement=True), clock.now_ms()
    lines = view.difference.split("\n") if view.difference else []
    values = {
        "view": view,
        "entry": entry,
        "address": change_address(entry),
        "message": message,
        "gate_sentence": verdicts_in_a_sentence(view.verdicts),
        "gate_lines": failing_first(view.verdicts),
        "figures": gate_figures(visit.context, router, entry),
        "needs": view.needs,
        "decided": decided_words(view.listed),
        "standing": view.listed.standing,
        "is_open": entry.state == "pending" and not entry.is_over(now_ms),
        "diff": diff_parts(lines[:MOST_DIFF_LINES]),
        "diff_count": len(lines),
        "diff_left": max(len(lines) - MOST_DIFF_LINES, 0),
    }
    if entry.effective_s is not None:
        return values | _scheduled_values(view, entry.effective_s)
    return values | _nightly_values(visit, router, view, first_pair)


def _nightly_values(visit: Visit, router: Router, view: ReviewView, first_pair: int) -> dict[str, object]:
    entry, reasons = view.change, wording.ordered(view.facts.pairs)
    page = pair_page(first_pair, len(reasons))
    kept = changed_pairs(visit.context, router, entry).kept
    expires_ms = entry.expires_ms or 0
    return {
        "lead": wording.effect_words(view.facts.effect) or wording.headline(entry),
        "notes": _notes(view),
        "rows": pair_rows(visit, router, entry.day, reasons[page.first - 1 : page.last]),
        "pairs": page,
        "kept": "\n".join(map(str, kept[:MOST_KEPT])),
        "kept_count": len(kept),
        "kept_left": max(len(kept) - MOST_KEPT, 0),
        "spark_days": SPARK_DAYS,
        "leading": view.transition,
        "held_until": view.listed.held_until,
        "expires": f"{minute(expires_ms)} UTC",
        "left": time_left(clock.now_ms(), expires_ms),
        "history": history_rows(visit, router, HISTORY_DAYS, entry.day),
    }


def _scheduled_values(view: ReviewView, effective_s: int) -> dict[str, object]:
    until_s = view.change.until_s
    return {
        "lead": f"Reserved: {wording.reserved_words(view.facts.reserved)}",
        "start": minute(effective_s * 1000),
        "end": "the reservations change" if until_s is None else f"{minute(until_s * 1000)} UTC",
        "until": NO_END if until_s is None else str(until_s),
    }


def _notes(view: ReviewView) -> list[str]:
    """Notes other than the pairs; the pairs on one line if the effect is the first sentence."""
    entry, facts = view.change, view.facts
    headline = [wording.headline(entry)] if facts.effect is not None else []
    changed = [f"changed  {line}" for line in view.other_changes]
    notes = [f"note: {each}" for each in wording.notes(entry, facts)]
    return [*headline, *notes, *changed, *(f"remark: {each}" for each in words.remarks(view))]


def history_rows(visit: Visit, router: Router, days: int, but: date | None = None) -> list[tuple[object, str, str]]:
    """The router's other nightly changes, newest first, with headline and decision."""
    history = reversed(change_history(visit.context, router, days))
    return [(each, wording.headline(each.change), decided_words(each)) for each in history if each.change.day != but]


def pair_page(first: int, count: int) -> PairPage:
    """The page that starts with the `first` of `count` pairs.

    Raises:
        RefusedError: there are fewer pairs.
    """
    if first > max(count, 1):
        raise RefusedError(404, f"the change has no pair number {first}; it has {count}")
    return PairPage(first, min(first + PAGE_PAIRS - 1, count), count)


def _first_pair(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        raise RefusedError(400, f"{text!r} is not the number of a pair; pairs are counted from 1")
    return int(text)


def pair_rows(visit: Visit, router: Router, day: date, reasons: Sequence[PairReason]) -> list[PairRow]:
    """The pairs with the figures of their last weeks."""
    named = {each: wording.pair_of(each) for each in reasons}
    past = alpha_bytes_by_day(visit.context, router, set(named.values()), day, SPARK_DAYS) if named else {}
    return [
        PairRow(
            each.sign,
            pair,
            each.words,
            last_seen(past[pair], day),
            spark(past[pair], day, day_width=SPARK_DAY_WIDTH, height=SPARK_HEIGHT),
        )
        for each, pair in named.items()
    ]


def diff_parts(lines: Sequence[str]) -> list[DiffPart]:
    """The lines of a unified diff, consecutive lines of one kind joined."""
    return [DiffPart(kind, "\n".join(part)) for kind, part in groupby(lines, _kind)]


def _kind(line: str) -> str:
    if line.startswith("@@"):
        return "at"
    if line.startswith("+"):
        return "add"
    return "del" if line.startswith("-") else "same"
