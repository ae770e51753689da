"""What programs send to start a back-test, and what they are told of the stored ones."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from hntes.rules.backtest.weekly import weekly_shares
from hntes.web.api.bodies import Body
from hntes.web.api.texts import Day, Lengths, RouterName
from hntes.web.backtesting import LEAST_MOST, MOST_DAYS, MOST_VALUES, Swept
from hntes.workflow.context import Context
from hntes.workflow.reports.backtest_request import BacktestAsked
from hntes.workflow.reports.backtest_results import BacktestResults, VariantResult
from hntes.workflow.reports.backtest_words import RunState, routers_of, run_state, state_words
from hntes.workflow.reports.stored_backtests import RunHead

MOST_ROUTERS = 200


def _from_to(name: Swept) -> Any:
    least, most = LEAST_MOST[name]
    return Field(ge=least, le=most)


def _list_of(most: int, description: str, name: Swept | None = None) -> Any:
    of = "" if name is None else "; each {} to {}".format(*LEAST_MOST[name])
    return Field(default_factory=list, max_length=most, description=f"{description}{of}; at most {most}.")


_Ageing = Annotated[int, _from_to("ageing")]
_Threshold = Annotated[int, _from_to("thresholds")]
_Budget = Annotated[int, _from_to("budgets")]


class BacktestBody(Body):
    """Days and settings of a back-test; an empty list means the value in the settings, several values are swept.

    All combinations of their values are variants, at most 8.
    """

    first: Annotated[Day, Field(description="First day (UTC), not after the last.")]
    last: Annotated[Day, Field(description=f"Last day (UTC), not in the future; at most {MOST_DAYS} days in all.")]
    routers: Annotated[list[RouterName], _list_of(MOST_ROUTERS, "Names; none: all routers")]
    prefixes: Annotated[
        list[Lengths],
        _list_of(MOST_VALUES, "Prefix lengths: 24, 32:24 (source:destination), 24,64 (IPv4,IPv6)"),
    ]
    ageing_days: Annotated[list[_Ageing], _list_of(MOST_VALUES, "Ageing intervals", "ageing")]
    threshold_bytes: Annotated[
        list[_Threshold], _list_of(MOST_VALUES, "Not below that of the stored alpha flows", "thresholds")
    ]
    term_budgets: Annotated[list[_Budget], _list_of(MOST_VALUES, "Terms per router", "budgets")]
    with_beta: Annotated[bool, Field(description="Read the beta traffic from the lake, too, which takes long.")] = False


@dataclass(frozen=True)
class BacktestState:
    """A back-test without its results.

    Attributes:
        name: Its name, which is its address below `/api/backtests/`.
        who: Who started it, as in the audit log.
        begun_ms: When it was begun.
        ended_ms: When it was done or failed, null before.
        asked: What was asked for; an empty list means the value in the settings.
        state: `ended`: its process was ended, by its limit of time or with its server, and left no results.
        words: The state as the page says it, with the reason of a failure.
        done_routers: Routers that are replayed.
        routers: Routers that it replays.
    """

    name: str
    who: str
    begun_ms: int
    ended_ms: int | None
    asked: BacktestAsked
    state: RunState
    words: str
    done_routers: int
    routers: int


@dataclass(frozen=True)
class BacktestList:
    """Stored back-tests, the newest first. `next_offset` is null on the last page."""

    backtests: tuple[BacktestState, ...]
    total: int
    next_offset: int | None


@dataclass(frozen=True)
class VariantCurve:
    """A variant as the figures draw it, if every evening's candidate is approved.

    Attributes:
        label: The variant in a few words.
        mean_terms: Filter terms, the mean over the days, all routers together.
        effectiveness_pct: The share of the alpha bytes that would be queued, null without alpha traffic.
        weekly_pct: The same of the last 7 days up to each day.
    """

    label: str
    mean_terms: float
    effectiveness_pct: float | None
    weekly_pct: tuple[float | None, ...]


@dataclass(frozen=True)
class BacktestDetail:
    """A back-test with its results, which are null before it is done; `curves` has an entry per variant."""

    about: BacktestState
    results: BacktestResults | None
    curves: tuple[VariantCurve, ...]


def state_document(context: Context, head: RunHead) -> BacktestState:
    """A run without its results."""
    return BacktestState(
        name=head.name, who=head.who, begun_ms=head.begun_ms, ended_ms=head.ended_ms, asked=head.asked,
        state=run_state(context, head), words=state_words(context, head), done_routers=head.done_routers,
        routers=routers_of(context, head),
    )  # fmt: skip


def curve_of(one: VariantResult) -> VariantCurve:
    """The curve of a variant."""
    share = one.effectiveness
    weekly = weekly_shares([each.queued_bytes for each in one.days], [each.alpha_bytes for each in one.days])
    return VariantCurve(one.label, one.mean_terms, None if share is None else 100 * share, tuple(weekly))
