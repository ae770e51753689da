"""What a server's back-test may be asked for, and its start, for the form of the page and for programs."""

from collections.abc import Mapping
from typing import Literal

from hntes.web.backtest_plots import MOST_SERIES
from hntes.web.errors import RefusedError
from hntes.web.request import Visit
from hntes.workflow.reports.backtest_request import BacktestAsked, LengthsError, prefix_lengths
from hntes.workflow.reports.stored_backtests import RunHead

# Days of one run.
MOST_DAYS = 400
# Values of one swept setting.
MOST_VALUES = 8
Swept = Literal["ageing", "thresholds", "budgets"]
# Days, bytes and terms.
LEAST_MOST: Mapping[Swept, tuple[int, int]] = {
    "ageing": (1, 3650), "thresholds": (1, 2**50), "budgets": (0, 1_000_000),
}  # fmt: skip


def start_backtest(visit: Visit, asked: BacktestAsked, *, status: int = 400) -> RunHead:
    """Starts a back-test in the visitor's name; `status` is that of a refusal of what is asked for.

    Raises:
        RefusedError: it asks for too much, or for what cannot be.
        CommandError: the last day is in the future.
        BacktestBusyError: another one is running.
    """
    _require_allowed(visit, asked, status)
    return visit.site.backtests.start(visit.context, visit.site.settings_path, asked, visit.visitor.identity)


def reads_lake_here(visit: Visit) -> bool:
    """Whether beta is read by the process itself: limits of a process do not hold for a cluster."""
    return visit.context.settings.analytics.kind == "duckdb"


def _require_allowed(visit: Visit, asked: BacktestAsked, status: int) -> None:
    first, last = asked.first, asked.last
    visit.context.require_come(last)
    if not 0 <= (last - first).days < MOST_DAYS:
        raise RefusedError(status, f"{first} to {last}: choose 1 to {MOST_DAYS} days, the first before the last")
    for router in asked.routers:
        visit.router(router)
    if asked.with_beta and not reads_lake_here(visit):
        raise RefusedError(status, "beta traffic is read by Spark here: use hntes backtest --beta --keep")
    for each in asked.prefixes:
        try:
            prefix_lengths(each, visit.context.settings.detection)
        except LengthsError as problem:
            raise RefusedError(status, str(problem)) from problem
    if asked.variants > MOST_SERIES:
        raise RefusedError(status, f"these are {asked.variants} variants; choose at most {MOST_SERIES}")
