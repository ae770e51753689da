"""The page of one change: pairs, reasons, the gate's verdict, and the decision."""

import re
from collections.abc import Mapping
from datetime import date
from urllib.parse import quote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes import clock
from hntes.format import minute
from hntes.rules.changeset import wording
from hntes.settings.model import Router
from hntes.web.change_effect import effect_bars, gauge, queue_bars
from hntes.web.difference import paged, parts_between
from hntes.web.errors import RefusedError
from hntes.web.format import time_left
from hntes.web.pair_table import GROUPINGS, ORDERS, PAGE_PAIRS, SHOWN, Wanted, pair_table, wanted_of
from hntes.web.request import Visit, parsed_day, visiting
from hntes.workflow.change_lookup import change_by_id, change_of
from hntes.workflow.reservations.quota_approvals import undecided
from hntes.workflow.review import words
from hntes.workflow.review.changes import Change, change_history, next_waiting
from hntes.workflow.review.decide import can_be_reopened
from hntes.workflow.review.figures import gate_figures
from hntes.workflow.review.pair_bytes import PAIR_DAYS, pair_sums, pairs_with_bytes
from hntes.workflow.review.pair_groups import group_names
from hntes.workflow.review.queues import changed_queues
from hntes.workflow.review.status_words import decided_words
from hntes.workflow.review.transition_approval import NO_TRANSITION
from hntes.workflow.review.view import ReviewView, review_view
from hntes.workflow.stages.verdict_lines import failing_first, verdicts_in_a_sentence

routes = APIRouter()

HISTORY_DAYS = 14
NO_END = "-"
# Of a first configuration, which replaces nothing.
NO_BASE = "-"
FIRST_SHOWN = Wanted()
# What the page says by a heading.
_PREFIX = re.compile(r"(note: |remark: )+")


@routes.get("/change/{name}/{day}")
def nightly(request: Request, name: str, day: str) -> Response:
    """One nightly change."""
    with visiting(request) as visit:
        router = visit.router(name)
        entry = found_nightly(visit, router, day)
        wanted = wanted_of(request.query_params)
        return visit.page("change.html.j2", change_values(visit, router, entry, wanted=wanted))


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
    visit: Visit, router: Router, entry: Change, message: str = "", *, wanted: Wanted = FIRST_SHOWN
) -> Mapping[str, object]:
    """The values of the page, with the `wanted` pairs; `message` explains a refused decision."""
    view, now_ms = review_view(visit.context, router, entry, depth="page", needs_texts=False), clock.now_ms()
    following = next_waiting(visit.context, visit.context.settings.routers, entry)
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
        "gauge": gauge(view.gate_lines),
        "marks": marks(view),
        "next": following,
        "edges": 0 if following else len(undecided(visit.context)),
        "is_reached": router.is_reached,
        "queues": queue_bars(changed_queues(view)),
    }
    if entry.effective_s is not None:
        return values | _scheduled_values(view, entry.effective_s)
    return values | _nightly_values(visit, router, view, wanted)


def _nightly_values(visit: Visit, router: Router, view: ReviewView, wanted: Wanted) -> dict[str, object]:
    entry = view.change
    pairs = pairs_with_bytes(visit.context, router, view)
    named = group_names(visit.context, router, pairs, entry.day, wanted.group)
    expires_ms = entry.expires_ms or 0
    return {
        "lead": wording.effect_words(view.facts.effect) or wording.headline(entry),
        "notes": [_PREFIX.sub("", each) for each in notes_of(view)],
        "bars": effect_bars(view.facts.effect),
        "sums": pair_sums(pairs),
        "pairs": pair_table(pairs, wanted, entry.day, named),
        "choices": {"show": SHOWN, "sort": ORDERS, "by": GROUPINGS},
        "pair_days": PAIR_DAYS,
        "page_pairs": PAGE_PAIRS,
        "can_reopen": can_be_reopened(visit.context, entry),
        "today": clock.today(),
        "leading": view.transition,
        "transition": view.transition.now.identity if view.transition and view.transition.now else NO_TRANSITION,
        "base": entry.base_hash or NO_BASE,
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
        "has_begun": effective_s <= clock.now_s(),
        "end": "the reservations change" if until_s is None else f"{minute(until_s * 1000)} UTC",
        "until": NO_END if until_s is None else str(until_s),
        **_parts(view),
    }


def _parts(view: ReviewView) -> dict[str, object]:
    """What changes in the text, part by part; nothing if it is lost."""
    if view.candidate is None:
        return {}
    return {"paged": paged(parts_between(view.base, view.candidate, view.difference), "1")}


def notes_of(view: ReviewView) -> list[str]:
    """Notes other than the pairs; the pairs on one line if the effect is the first sentence."""
    entry, facts = view.change, view.facts
    # the numbers of pairs stand in the summary
    is_more = entry.is_rerendered or entry.settings_changed or entry.held_above is not None
    headline = [wording.headline(entry)] if facts.effect is not None and is_more else []
    changed = [f"changed  {line}" for line in view.other_changes]
    notes = [f"note: {each}" for each in wording.notes(entry, facts)]
    return [*headline, *notes, *changed, *(f"remark: {each}" for each in words.remarks(view))]


def marks(view: ReviewView) -> list[str]:
    """What calls for a second look, a few words each."""
    change, leading = view.change, view.transition
    waits = change.state == "pending"
    return [
        *(("its texts cannot be read",) if view.lost else ()),
        *(() if change.data_complete else ("flow data incomplete",)),
        *(view.needs.unusual if waits else ()),
        *((f"{change.pairs_added} new pairs must be acknowledged",) if view.needs.hold and waits else ()),
        *((f"the change of {view.rejection.change.day} was rejected",) if view.rejection else ()),
        *((f"limits loosened: {', '.join(view.loosened)}",) if view.loosened else ()),
        *(("judged without the running configuration",) if view.alone and view.is_judged else ()),
        *(("no transition leads to it",) if leading and leading.now is None and not view.lost else ()),
        *(("the delivered configuration has changed since the approval",) if leading and leading.has_changed else ()),
    ]


def history_rows(visit: Visit, router: Router, days: int, but: date | None = None) -> list[tuple[object, str, str]]:
    """The router's other nightly changes, newest first, with headline and decision."""
    history = reversed(change_history(visit.context, router, days))
    return [(each, wording.headline(each.change), decided_words(each)) for each in history if each.change.day != but]
