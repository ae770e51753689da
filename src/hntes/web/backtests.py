"""Back-tests: the stored ones, the results of one, and the form that starts another."""

from datetime import timedelta
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hntes.web.backtest_plots import MOST_SERIES, trade_off_plot, weekly_plot
from hntes.web.backtesting import LEAST_MOST, MOST_DAYS, MOST_VALUES, Swept, reads_lake_here, start_backtest
from hntes.web.errors import RefusedError
from hntes.web.following import FOLLOW_S, allow_events, event_stream, watching
from hntes.web.form import Form, read_form
from hntes.web.live.topic import Part
from hntes.web.page import part
from hntes.web.pair import last_full_day
from hntes.web.request import acting, parsed_day, visiting
from hntes.web.site import Site, site_of
from hntes.workflow.context import Context, opened
from hntes.workflow.reports.backtest_process import CPU_LIMIT_S, LIMIT_S, present_head, present_run, running_name
from hntes.workflow.reports.backtest_request import BacktestAsked
from hntes.workflow.reports.backtest_results import HEAD, table_rows
from hntes.workflow.reports.backtest_words import asked_words, is_running, state_words
from hntes.workflow.reports.stored_backtests import MOST_STORED, StoredRun, UnknownBacktestError, stored_heads

routes = APIRouter()
# Of the form as it is offered first.
DAYS_AT_FIRST = 60
_LIVE = "backtest_live.html.j2"
# Of one number.
_MOST_DIGITS = 16


@routes.get("/backtests")
def backtests(request: Request) -> Response:
    """The list, and the form for those who may decide."""
    with visiting(request) as visit:
        context = visit.context
        last = last_full_day(visit)
        values = {
            "rows": [(each, asked_words(each.asked), state_words(context, each)) for each in stored_heads(context)],
            "names": [each.name for each in context.settings.routers], "running": running_name(context),
            "first": last - timedelta(days=DAYS_AT_FIRST - 1), "last": last, "most_stored": MOST_STORED,
            "most_variants": MOST_SERIES, "most_days": MOST_DAYS, "limits_min": (CPU_LIMIT_S // 60, LIMIT_S // 60),
            "reads_lake_here": reads_lake_here(visit),
        }  # fmt: skip
        return visit.page("backtests.html.j2", values)


@routes.get("/backtests/{name}")
def one(request: Request, name: str, follow: str = "") -> Response:
    """One back-test; with ?follow=1 it is followed until it has ended, by events, or without scripts by reloads."""
    is_asked = follow == "1"
    with visiting(request, is_watching=is_asked) as visit:
        run = _stored(visit.context, name)
        is_followed = is_asked and is_running(visit.context, run.head)
        values = {**_values(visit.context, run), "is_followed": is_followed, "follow_s": FOLLOW_S}
        response = visit.page("backtest.html.j2", values)
    if is_followed:
        allow_events(response)
    return response


@routes.get("/backtests/{name}/events")
async def events(request: Request, name: str) -> Response:
    """Its progress as server-sent events: what the page shows of it, until it has ended."""
    visitor, site = await watching(request), site_of(request)
    # a name that is none must not become a topic
    await run_in_threadpool(_require_stored, site, name)
    return event_stream(request, visitor, f"back-test {name}", partial(_progress, site, name))


def _require_stored(site: Site, name: str) -> None:
    """Raises RefusedError if there is no back-test of that name."""
    with opened(site.settings_path, site.databases) as context:
        _stored(context, name, is_whole=False)


def _progress(site: Site, name: str) -> Part:
    """What changes of the page while it runs, and at its end its results.

    Raises:
        RefusedError: there is no back-test of that name.
    """
    with opened(site.settings_path, site.databases) as context:
        run = _stored(context, name, is_whole=False)
        if is_running(context, run.head):
            return Part(part(_LIVE, _values(context, run)))
        return Part(part(_LIVE, _values(context, _stored(context, name))), is_last=True)


def _stored(context: Context, name: str, *, is_whole: bool = True) -> StoredRun:
    """A stored run; without results if it is not wanted as a whole.

    Raises:
        RefusedError: there is none of that name.
    """
    try:
        return present_run(context, name) if is_whole else StoredRun(present_head(context, name))
    except UnknownBacktestError as problem:
        raise RefusedError(404, str(problem)) from problem


def _values(context: Context, run: StoredRun) -> dict[str, object]:
    """What the page and its events show."""
    values: dict[str, object] = {
        "run": run.head, "asked": asked_words(run.head.asked), "state": state_words(context, run.head),
        "is_running": is_running(context, run.head), "results": run.results,
    }  # fmt: skip
    if run.results is not None:
        approved = run.results.approved
        plots = (trade_off_plot(approved), weekly_plot(approved))
        values |= {
            "head": HEAD,
            "rows": table_rows(run.results),
            "plots": [*filter(None, plots)],
            "most_drawn": MOST_SERIES,
        }
    return values


@routes.post("/backtests")
def start(request: Request, form: Annotated[Form, Depends(read_form)]) -> Response:
    """Starts a back-test and shows its page."""
    with acting(request, form) as visit:
        head = start_backtest(visit, _asked(form))
    return RedirectResponse(f"/backtests/{head.name}?follow=1", 303)


def _asked(form: Form) -> BacktestAsked:
    """What the form asks for.

    Raises:
        RefusedError: a field is invalid.
    """
    first, last = (parsed_day(form.text(name), status=400) for name in ("first", "last"))
    router, prefixes = form.text("router"), tuple(dict.fromkeys(form.text("prefixes").split()))
    return BacktestAsked(
        first, last, (router,) if router else (), prefixes, _numbers(form, "ageing"), _numbers(form, "thresholds"),
        _numbers(form, "budgets"), with_beta=bool(form.text("beta")),
    )  # fmt: skip


def _numbers(form: Form, name: Swept) -> tuple[int, ...]:
    least, most = LEAST_MOST[name]
    given = form.text(name).split()
    if not all(
        each.isascii() and each.isdigit() and len(each) <= _MOST_DIGITS and least <= int(each) <= most for each in given
    ):
        raise RefusedError(400, f"{name}: write whole numbers from {least} to {most} with blanks between them")
    if len(given) > MOST_VALUES:
        raise RefusedError(400, f"{name}: write at most {MOST_VALUES} numbers")
    return tuple(dict.fromkeys(map(int, given)))
