"""Back-tests for programs: the stored ones, one with its results and its progress, and the start of another."""

from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, Path
from starlette.responses import Response

from hntes.web.api.backtest_documents import (
    BacktestBody,
    BacktestDetail,
    BacktestList,
    BacktestState,
    curve_of,
    state_document,
)
from hntes.web.api.bodies import reader_of
from hntes.web.api.caller import Backtester, Reader
from hntes.web.api.describing import Limit, Offset, answers, body_of
from hntes.web.api.paging import next_offset
from hntes.web.api.problem import document_of
from hntes.web.api.texts import Described
from hntes.web.backtesting import start_backtest
from hntes.web.errors import RefusedError
from hntes.web.request import parsed_day
from hntes.workflow.reports.backtest_process import BacktestBusyError, present_head, present_run
from hntes.workflow.reports.backtest_request import BacktestAsked
from hntes.workflow.reports.stored_backtests import UnknownBacktestError, stored_heads

routes = APIRouter(prefix="/api/backtests", tags=["back-tests"])
Value = TypeVar("Value", int, str)
Name = Annotated[
    str, Path(max_length=64, description="Its name, as the list has it."),
    Described("[0-9]{8}T[0-9]{6}Z-[0-9a-f]{4}"),
]  # fmt: skip


@routes.get("", summary="List", responses=answers(400, ok_200=BacktestList))
def every(caller: Reader, limit: Limit = 100, offset: Offset = 0) -> Response:
    """The stored back-tests without results, the newest first; the newest 30 are kept."""
    with caller.reading() as visit:
        heads = stored_heads(visit.context)
        page = tuple(state_document(visit.context, each) for each in heads[offset : offset + limit])
    return document_of(BacktestList, BacktestList(page, len(heads), next_offset(offset, limit, len(heads))))


@routes.post(
    "", status_code=202, summary="Start", openapi_extra=body_of(BacktestBody),
    responses=answers(400, 404, 409, 413, 415, 422, ok_202=BacktestState),
)  # fmt: skip
def start(caller: Backtester, asked: Annotated[BacktestBody, Depends(reader_of(BacktestBody))]) -> Response:
    """Starts a back-test with the limits of the page's form; `Location` is the address of its progress.

    One runs at a time in an installation: 409 while another does. It ends after 30 minutes of processor time or an
    hour, and with the server.
    """
    wanted = _asked(asked)
    with caller.deciding() as visit:
        try:
            head = start_backtest(visit, wanted, status=422)
        except BacktestBusyError as problem:
            raise RefusedError(409, str(problem)) from problem
        found = state_document(visit.context, head)
    answer = document_of(BacktestState, found, 202)
    answer.headers["Location"] = f"/api/backtests/{head.name}/progress"
    return answer


@routes.get("/{name}", summary="Show", responses=answers(400, 404, ok_200=BacktestDetail))
def one(caller: Reader, name: Name) -> Response:
    """A back-test with its results: each variant day by day in both readings, and the curves of the page's figures."""
    with caller.reading() as visit:
        try:
            run = present_run(visit.context, name)
        except UnknownBacktestError as problem:
            raise RefusedError(404, str(problem)) from problem
        curves = tuple(map(curve_of, run.results.approved)) if run.results else ()
        found = BacktestDetail(state_document(visit.context, run.head), run.results, curves)
    return document_of(BacktestDetail, found)


@routes.get("/{name}/progress", summary="Show its progress", responses=answers(400, 404, ok_200=BacktestState))
def progress(caller: Reader, name: Name) -> Response:
    """How far a back-test has come, without its results; ask again until `state` is not `running`."""
    with caller.reading() as visit:
        try:
            found = state_document(visit.context, present_head(visit.context, name))
        except UnknownBacktestError as problem:
            raise RefusedError(404, str(problem)) from problem
    return document_of(BacktestState, found)


def _asked(asked: BacktestBody) -> BacktestAsked:
    """What is asked for; a value that is given twice is one variant.

    Raises:
        RefusedError: a day is none.
    """
    first, last = (parsed_day(text, status=422) for text in (asked.first, asked.last))
    return BacktestAsked(
        first, last, _once(asked.routers), _once(asked.prefixes), _once(asked.ageing_days),
        _once(asked.threshold_bytes), _once(asked.term_budgets), with_beta=asked.with_beta,
    )  # fmt: skip


def _once(values: list[Value]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(values))
