"""A stored back-test in words: in its list, on its page, for programs, and on the command line."""

from typing import Literal

from hntes.format import counted, gigabytes, listed, minute
from hntes.workflow.context import Context
from hntes.workflow.reports.backtest_process import has_died
from hntes.workflow.reports.backtest_request import BacktestAsked
from hntes.workflow.reports.stored_backtests import RunHead


def asked_words(asked: BacktestAsked) -> str:
    """Days, routers and what is swept."""
    swept = (
        ("prefixes", asked.prefixes),
        ("ageing days", asked.ageing_days),
        ("thresholds", tuple(map(gigabytes, asked.threshold_bytes))),
        ("budgets", asked.term_budgets),
        ("rules", asked.rules),
    )
    parts = [f"{name} {listed(tuple(map(str, values)))}" for name, values in swept if values]
    routers = listed(asked.routers) if asked.routers else "all routers"
    beta = ["with beta"] if asked.with_beta else []
    return ", ".join([f"{asked.first} to {asked.last}", routers, *parts, *beta])


# `ended`: its process is not alive and left no results.
RunState = Literal["running", "done", "failed", "ended"]


def run_state(context: Context, head: RunHead) -> RunState:
    """What has become of it: a stored run says `running` also after its process was killed."""
    return "ended" if has_died(context, head) else head.state


def is_running(context: Context, head: RunHead) -> bool:
    """Whether its process is alive."""
    return run_state(context, head) == "running"


def routers_of(context: Context, head: RunHead) -> int:
    """The number of routers that it replays."""
    return len(head.asked.routers) or len(context.settings.routers)


def state_words(context: Context, head: RunHead) -> str:
    """Whether it runs, how far it has come, when it ended, or why it failed."""
    if head.state == "failed":
        return f"failed: {head.reason}"
    if head.ended_ms is not None:
        took_s = (head.ended_ms - head.begun_ms) // 1000
        return f"done {minute(head.ended_ms)} UTC, after {took_s} s"
    if is_running(context, head):
        return f"running, {head.done_routers} of {counted(routers_of(context, head), 'router')} replayed"
    return "ended without results: it reached its limit of time, or the server that had started it was stopped"
