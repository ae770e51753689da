"""The command that replays past days under other settings."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hntes.cli import output
from hntes.cli.options import DAY, SafePath, json_option, routers_option, with_context

if TYPE_CHECKING:
    from hntes.workflow.context import Context
    from hntes.workflow.reports.backtest import BackTest, PrefixLengths

_PREFIX = re.compile(r"(\d{1,2})(?::(\d{1,2}))?(?:,(\d{1,3})(?::(\d{1,3}))?)?")


class Lengths(click.ParamType[tuple[int, int, int | None, int | None]]):
    """Prefix lengths: 24, 32:24 (source, destination), 24,64 (IPv4, IPv6)."""

    name = "lengths"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = _PREFIX.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            self.fail(f"{value!r} is not a prefix length; write 24, 32:24 (source:destination) or 24,64 (IPv4,IPv6)",
                      param, ctx)  # fmt: skip
        source, end, source6, end6 = (None if text is None else int(text) for text in found.groups())
        lengths = (source, source if end is None else end, source6, source6 if end6 is None else end6)
        if any(length is not None and not 8 <= length <= most for length, most in zip(lengths, _MOST, strict=True)):
            self.fail(f"{value!r}: lengths are 8 to 32 for IPv4 and 8 to 128 for IPv6", param, ctx)
        return lengths


_MOST = (32, 32, 128, 128)


@click.command()
@click.option("--from", "first", type=DAY, required=True, help="First day of traffic, UTC.")
@click.option("--to", "last", type=DAY, required=True, help="Last day of traffic, UTC.")
@routers_option
@click.option("--prefix", "prefixes", type=Lengths(), multiple=True, metavar="LENGTHS",
              help="Prefix lengths: 24, 32, 32:24 (source:destination), 24,64 (IPv4,IPv6).")  # fmt: skip
@click.option(
    "--ageing", "ageing_days", type=click.IntRange(1, 3650), multiple=True, metavar="DAYS", help="Ageing days."
)
@click.option("--threshold", "threshold_bytes", type=click.IntRange(1), multiple=True, metavar="BYTES",
              help="Detection threshold, not below that of the stored alpha flows.")  # fmt: skip
@click.option("--budget", "term_budgets", type=click.IntRange(0, 1_000_000), multiple=True, metavar="TERMS",
              help="Term budget per router.")  # fmt: skip
@click.option("--rule", "rules", type=click.Choice(["window", "report"]), multiple=True, help="Detection rule.")
@click.option("--flow-key", type=click.Choice(["five_tuple", "host_pair"]), help="Definition of one alpha flow.")
@click.option("--beta", "with_beta", is_flag=True, help="Also count the beta traffic that the rules would have queued.")
@click.option("--out", type=SafePath(file_okay=False, path_type=Path), help="Folder for rows (Parquet) and figures.")
@json_option
@with_context
def backtest(
    context: Context, first: date, last: date, router_names: tuple[str, ...], prefixes: tuple[Any, ...],
    out: Path | None, as_json: bool, **asked: Any,
) -> None:  # fmt: skip
    """Replays past days with the rules known on the evening before each.

    Matches each day's alpha flows against the rules known on the evening before. Repeatable options are swept: every
    combination is a variant. Nothing is changed.

    \b
      hntes backtest --from 2026-05-01 --to 2026-11-20 --prefix 24 --prefix 32
      hntes backtest --from 2026-05-01 --to 2026-11-20 --ageing 7 --ageing 30
      hntes backtest --from 2026-11-01 --to 2026-11-20 --beta --out plots

    Where the term budget overflows, or a pin ends on a day with incomplete data, rules also depend on approvals. The
    table assumes that every evening's candidate was approved; the column "if none" assumes no approval, where that
    differs. A lower threshold, detection rule or flow key other than that of the stored alpha flows would need the flow
    records and is refused.
    """
    from hntes.workflow.reports.backtest import BacktestRequest, run_backtest, write_figures, write_rows

    lengths = tuple(_lengths(context, each) for each in prefixes)
    with output.file_progress("replaying") as progress:
        chosen = context.chosen(router_names)
        found, each = run_backtest(context, chosen, first, last, BacktestRequest(lengths=lengths, **asked), progress)
    files = []
    if out is not None:
        files = [out / "backtest.parquet"]
        write_rows(each, files[0])
        files += write_figures(found, out / "backtest")
    if as_json:
        output.as_json(
            {"variants": [_document(one) for one in found], "recommended": _recommended(found), "files": files}
        )
        return
    _print(found)
    for path in files:
        output.line(f"  file {path}")


def _lengths(context: Context, asked: tuple[int, int, int | None, int | None]) -> PrefixLengths:
    from hntes.workflow.reports.backtest import PrefixLengths

    source, end, source6, end6 = asked
    ipv6 = context.settings.detection.ipv6_prefix_length
    return PrefixLengths((source, end), (ipv6 if source6 is None else source6, ipv6 if end6 is None else end6))


def _print(found: list[BackTest]) -> None:
    approved = [one for one in found if one.reading == "approved"]
    others = [one for one in found if one.reading != "approved"]
    output.table(
        ("prefixes", "ageing", "threshold", "budget", "alpha", "queued", "share", "if none", "of bursts", "flows",
         "terms", "most", "beta along", "of queue"),
        [_row(one, other) for one, other in zip(approved, others, strict=True)],
    )  # fmt: skip
    for sentence in _recommended(found):
        output.line(sentence)


def _row(one: BackTest, other: BackTest) -> tuple[object, ...]:
    policy = one.variant.policy
    beta_days = int(one.is_beta_read.sum())
    return (
        policy.lengths, policy.ageing_days, one.variant.threshold_bytes or "as stored", policy.term_budget,
        output.gigabytes(int(one.alpha_bytes.sum())), output.gigabytes(int(one.queued_bytes.sum())),
        _pct(one.effectiveness), "same" if _is_same(one, other) else _pct(other.effectiveness),
        _pct(one.burst_effectiveness) if one.variant.threshold_bytes is None else "as stored",
        f"{int(one.queued_flows.sum())} of {int(one.flows.sum())}", f"{one.terms.mean():.1f}", int(one.terms.max()),
        f"{output.gigabytes(int(one.queued_beta_bytes.sum()))} in {beta_days} days" if beta_days else "not read",
        _pct(one.dragged_share),
    )  # fmt: skip


def _recommended(found: list[BackTest]) -> list[str]:
    from hntes.workflow.reports.backtest import recommendation

    return recommendation([one for one in found if one.reading == "approved"])


def _is_same(one: BackTest, other: BackTest) -> bool:
    return bool((one.queued_bytes == other.queued_bytes).all())


def _pct(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}%"


def _document(one: BackTest) -> dict[str, Any]:
    policy = one.variant.policy
    columns = ("alpha_bytes", "queued_bytes", "burst_bytes", "queued_burst_bytes", "flows", "queued_flows", "terms",
               "wanted", "beta_bytes", "queued_beta_bytes", "is_beta_read")  # fmt: skip
    days = zip(*(getattr(one, name).tolist() for name in columns), strict=True)
    return {
        "routers": one.routers,
        "reading": one.reading,
        "lengths": policy.lengths,
        "ageing_days": policy.ageing_days,
        "threshold_bytes": one.variant.threshold_bytes,
        "detection_rule": one.variant.detection_rule,
        "term_budget": policy.term_budget,
        "effectiveness": one.effectiveness,
        "burst_effectiveness": one.burst_effectiveness,
        "dragged_share": one.dragged_share,
        "days": [
            {"day": one.first + timedelta(days=number), **dict(zip(columns, values, strict=True))}
            for number, values in enumerate(days)
        ],
    }
