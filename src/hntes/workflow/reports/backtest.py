"""Back-tests on the stored history, which is read once per router for all variants."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import product
from pathlib import Path

import pyarrow as pa

from hntes.etl.lake.parts import write_table
from hntes.rules.backtest.advice import recommendation
from hntes.rules.backtest.backtest import BackTest, Past, Variant, sweep, together
from hntes.rules.backtest.observed import Observed
from hntes.rules.lifetime.evenings import Policy
from hntes.rules.lifetime.history import PrefixLengths
from hntes.settings.model import Router
from hntes.sql import day_status, observations, overrides
from hntes.sql.entries import DetectionRule, FlowKey
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.protected import built_in_exclusions
from hntes.workflow.reports.backtest_request import BacktestAsked, prefix_lengths
from hntes.workflow.stages.past_beta import past_beta

__all__ = [
    "BackTest",
    "BacktestRequest",
    "PrefixLengths",
    "recommendation",
    "run_asked",
    "run_backtest",
    "write_figures",
    "write_rows",
]

_TYPES = {name: pa.string() for name in ("router", "reading", "detection_rule")} | {"day": pa.date32()}
StepCallback = Callable[[int, int, str], object]


@dataclass(frozen=True)
class BacktestRequest:
    """The variants to sweep; an empty list means the value in the settings.

    `rule` and `flow_key` are those that the stored alpha flows must have been found by.
    """

    lengths: tuple[PrefixLengths, ...] = ()
    ageing_days: tuple[int, ...] = ()
    threshold_bytes: tuple[int, ...] = ()
    term_budgets: tuple[int, ...] = ()
    rules: tuple[DetectionRule, ...] = field(default=())
    flow_key: FlowKey | None = None
    with_beta: bool = False


def run_backtest(
    context: Context, routers: Sequence[Router], first: date, last: date, asked: BacktestRequest, progress: StepCallback
) -> tuple[list[BackTest], list[BackTest]]:
    """The back-tests of each variant in both readings, for all routers together and for each router.

    Raises:
        CommandError: the days are in the wrong order or in the future, or the stored observations do not suffice.
    """
    context.require_come(last)
    if last < first:
        raise CommandError(f"the last day, {last}, is before the first, {first}; swap them")
    found: list[list[BackTest]] = []
    for number, router in enumerate(routers):
        progress(number, len(routers), router.name)
        _check_stored(context, router, last, asked)
        past = _past(context, router, first, last, asked)
        found.append(sweep(_variants(context, router, asked), past, first, last))
    each = [one for of_router in found for one in of_router]
    return [together(variant) for variant in zip(*found, strict=True)], each


def run_asked(context: Context, asked: BacktestAsked, progress: StepCallback) -> tuple[list[BackTest], list[BackTest]]:
    """As `run_backtest`, of what a command line or a form asked for.

    Raises:
        CommandError: as `run_backtest`, or a router is not in the settings.
        LengthsError: a prefix length is none.
    """
    detection = context.settings.detection
    wanted = BacktestRequest(
        tuple(prefix_lengths(each, detection) for each in asked.prefixes), asked.ageing_days, asked.threshold_bytes,
        asked.term_budgets, asked.rules, asked.flow_key, asked.with_beta,
    )  # fmt: skip
    return run_backtest(context, context.chosen(asked.routers), asked.first, asked.last, wanted, progress)


def write_rows(found: Sequence[BackTest], path: Path) -> None:
    """Writes one row per router, variant, reading and day as Parquet."""
    rows = [row for one in found for row in _rows(one)]
    write_table(path, pa.Table.from_pylist(rows, pa.schema([(name, _TYPES.get(name, pa.int64())) for name in rows[0]])))


def write_figures(found: Sequence[BackTest], path: Path) -> tuple[Path, Path]:
    """Writes the figure of all variants as SVG and PNG, in the reading in which every change is approved."""
    from hntes.gate.shares.plot import write_figure  # imported here: Matplotlib loads slowly
    from hntes.rules.backtest.figures import backtest_figure

    return write_figure(backtest_figure([one for one in found if one.reading == "approved"]), path)


def _past(context: Context, router: Router, first: date, last: date, asked: BacktestRequest) -> Past:
    with reading(context.database) as session:
        flows = observations.seen_flows(session, router.name, last)
        statuses = day_status.day_statuses(session, router.name, last)
        pins = overrides.pins(session, router.name)
        stored = [entry for entry in overrides.exclusions(session) if entry.covers(router.name)]
    exclusions = (*stored, *built_in_exclusions(context))
    beta, beta_days = past_beta(context, router, first, last, _lengths(context, asked)) if asked.with_beta else ([], [])
    complete = tuple(status.day for status in statuses if status.complete)
    observed = Observed.of(flows, beta, beta_days)
    return Past(router.name, observed, complete, tuple(pins), exclusions, router.sampling_error_pct)


def _variants(context: Context, router: Router, asked: BacktestRequest) -> list[Variant]:
    chosen = context.settings
    rules: tuple[str, ...] = asked.rules or (chosen.detection.rule,)
    return [
        Variant(Policy(lengths, ageing_days, chosen.detection.weak_evidence, budget), threshold, rule)
        for lengths, ageing_days, threshold, budget, rule in product(
            _lengths(context, asked),
            asked.ageing_days or (chosen.ageing.days,),
            asked.threshold_bytes or (None,),
            asked.term_budgets or (router.term_budget,),
            rules,
        )
    ]


def _lengths(context: Context, asked: BacktestRequest) -> tuple[PrefixLengths, ...]:
    chosen = context.settings.detection
    ipv4, ipv6 = chosen.ipv4_prefix_length, chosen.ipv6_prefix_length
    return asked.lengths or (PrefixLengths((ipv4, ipv4), (ipv6, ipv6)),)


def _check_stored(context: Context, router: Router, last: date, asked: BacktestRequest) -> None:
    """Refuses requests that need the flows themselves."""
    with reading(context.database) as session:
        stored = observations.rule_counts(session, router.name, date.min + timedelta(days=1), last)
    for one in stored:
        where = f"{router.name}: the alpha flows of {one.first_day} to {one.last_day} were found"
        mend = (
            f"change [detection] and run hntes data backfill --from {one.first_day} --to {one.last_day} on a copy first"
        )
        lower = [each for each in asked.threshold_bytes if each < one.threshold_bytes]
        if lower:
            raise CommandError(
                f"{where} above {one.threshold_bytes} bytes; flows above {min(lower)} are in the lake alone: {mend}"
            )
        other = [each for each in asked.rules if each != one.rule]
        if other:
            raise CommandError(f"{where} by the rule {one.rule}; the rule {other[0]} needs the lake: {mend}")
        if asked.flow_key not in (None, one.flow_key):
            raise CommandError(f"{where} as {one.flow_key}; {asked.flow_key} needs the lake: {mend}")


def _rows(one: BackTest) -> list[dict[str, object]]:
    policy = one.variant.policy
    fixed: dict[str, object] = {
        "router": " ".join(one.routers), "reading": one.reading,
        "ipv4_source_length": policy.lengths.ipv4[0], "ipv4_destination_length": policy.lengths.ipv4[1],
        "ipv6_source_length": policy.lengths.ipv6[0], "ipv6_destination_length": policy.lengths.ipv6[1],
        "ageing_days": policy.ageing_days, "threshold_bytes": one.variant.threshold_bytes,
        "detection_rule": one.variant.detection_rule, "term_budget": policy.term_budget,
    }  # fmt: skip
    names = ("alpha_bytes", "queued_bytes", "burst_bytes", "queued_burst_bytes", "flows", "queued_flows", "terms",
             "wanted")  # fmt: skip
    return [
        fixed
        | {"day": one.first + timedelta(days=number)}
        | {name: int(getattr(one, name)[number]) for name in names}
        | {
            "beta_bytes": int(one.beta_bytes[number]) if one.is_beta_read[number] else None,
            "queued_beta_bytes": int(one.queued_beta_bytes[number]) if one.is_beta_read[number] else None,
        }
        for number in range(len(one.terms))
    ]
