"""The command that replays past days under other settings."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hntes.cli import output
from hntes.cli.options import DAY, SafePath, json_option, routers_option, with_context
from hntes.identity import process_identity

if TYPE_CHECKING:
    from hntes.workflow.context import Context
    from hntes.workflow.reports.backtest_results import BacktestResults


class Lengths(click.ParamType[str]):
    """Prefix lengths: 24, 32:24 (source, destination), 24,64 (IPv4, IPv6)."""

    name = "lengths"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from hntes.settings.model import Detection
        from hntes.workflow.reports.backtest_request import LengthsError, prefix_lengths

        try:
            prefix_lengths(value, Detection())
        except LengthsError as problem:
            self.fail(str(problem), param, ctx)
        return str(value)


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
@click.option("--keep", "is_kept", is_flag=True, help="Keep the result for `hntes data backtests` and the review page.")
@json_option
@with_context
def backtest(
    context: Context, first: date, last: date, router_names: tuple[str, ...], out: Path | None, is_kept: bool,
    as_json: bool, **swept: Any,
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
    from hntes.workflow.reports.backtest import run_asked, write_figures, write_rows
    from hntes.workflow.reports.backtest_request import BacktestAsked
    from hntes.workflow.reports.backtest_results import results_of
    from hntes.workflow.reports.stored_backtests import keep_results

    asked = BacktestAsked(first, last, router_names, **swept)
    with output.file_progress("replaying") as progress:
        found, each = run_asked(context, asked, progress)
    results, files = results_of(found), []
    if out is not None:
        files = [out / "backtest.parquet"]
        write_rows(each, files[0])
        files += write_figures(found, out / "backtest")
    kept = keep_results(context, asked, process_identity(), results) if is_kept else None
    if as_json:
        output.as_json({"variants": results.variants, "recommended": results.recommended, "files": files, "kept": kept})
        return
    print_results(results)
    for path in files:
        output.line(f"  file {path}")
    if kept:
        output.line(f"  kept as {kept}")


def print_results(results: BacktestResults) -> None:
    """The table of variants, and what is recommended."""
    from hntes.workflow.reports.backtest_results import HEAD, table_rows

    output.table(HEAD, table_rows(results))
    for sentence in results.recommended:
        output.line(sentence)


@click.command()
@click.argument("name", required=False)
@json_option
@with_context
def stored(context: Context, name: str | None, as_json: bool) -> None:
    """Lists the stored back-tests, or shows the results of one.

    Those that were started on the review page, and those of `hntes backtest --keep`, the newest first.
    """
    from hntes.workflow.reports.backtest_process import present_run
    from hntes.workflow.reports.backtest_words import asked_words, state_words
    from hntes.workflow.reports.stored_backtests import stored_heads

    if name is None:
        heads = stored_heads(context)
        if as_json:
            output.as_json(heads)
            return
        output.table(
            ("name", "by", "days and settings", "state"),
            [(each.name, each.who, asked_words(each.asked), state_words(context, each)) for each in heads],
            empty="no back-test is stored; `hntes backtest --keep` and the review page store some",
        )
        return
    run = present_run(context, name)
    if as_json:
        output.as_json(run)
        return
    output.line(f"{asked_words(run.head.asked)}: {state_words(context, run.head)}")
    if run.results is not None:
        print_results(run.results)
