"""`hntes router queue-advice`: the split between alpha and beta queues."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hntes.cli import output
from hntes.cli.options import SafePath, day_option, day_with_records, json_option, routers_option, with_context
from hntes.format import at, counted, gbps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hntes.workflow.context import Context
    from hntes.workflow.reports.share_advice import Advice, RouterAdvice


@click.command()
@routers_option
@day_option
@click.option("--days", "day_count", type=click.IntRange(1, 3650), help="Number of days up to DAY; default: settings.")
@click.option(
    "--percentile", type=click.Choice(["95", "99", "99.9", "100"]), help="Percentile of minutes; 100: the peak minute."
)
@click.option("--margin", "margin_pct", type=click.IntRange(0, 400), metavar="PCT", help="Margin above it, per cent.")
@click.option("--step", "step_pct", type=click.Choice(["1", "5"]), help="Advise multiples of this many per cent.")
@click.option("--no-simulation", is_flag=True, help="Only measurements and whether the split fits.")
@click.option("--out", type=SafePath(file_okay=False, path_type=Path), help="Folder for the plots (SVG and PNG).")
@json_option
@with_context
def shares(
    context: Context,
    router_names: tuple[str, ...],
    day: date | None,
    day_count: int | None,
    percentile: str | None,
    margin_pct: int | None,
    step_pct: str | None,
    no_simulation: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Checks the alpha/beta queue split against the load and suggests a better one.

    For every core interface: the peak minute of beta traffic in the last days, as measured from flow records every
    night, the split in force, and the smallest beta share that carries that peak (with a margin) without loss or delay
    while an alpha flow runs. Every split is rendered, parsed and simulated as by the gate (criterion 5): the two
    decisive ones packet by packet, the others with the fluid engine.

    \b
      hntes router queue-advice --router r1 --no-simulation   measurements alone
      hntes router queue-advice --router r1 --out plots       with a plot
      hntes router queue-advice --days 90 --percentile 99.9   other minutes count

    An interface needs its snmp_index in the settings, which identifies it in flow records; the command lists the
    indexes found. `hntes stage measure --day DAY` measures past days. Days with incomplete data are listed: their
    traffic counts, but missing traffic does not count as a quiet day. Nothing is changed: put the advised shares into
    the plan in the settings, and the next night's change contains them. Exit status 3: a split in force does not
    fit.
    """
    from hntes.settings.shares import Shares
    from hntes.workflow.errors import FINISHED_WITH_PROBLEMS
    from hntes.workflow.reports.share_advice import advise_router

    step = None if step_pct is None else int(step_pct)
    asked = {"days": day_count, "percentile": percentile, "margin_pct": margin_pct, "step_pct": step}
    given = {name: value for name, value in asked.items() if value is not None}
    wanted = Shares.model_validate({**context.settings.shares.model_dump(), **given})
    routers = context.chosen(router_names)
    day = day_with_records(context, day, routers)
    with output.file_progress("simulating") as progress:
        found = [advise_router(context, each, day, wanted, progress, simulate=not no_simulation) for each in routers]
    _report(context, found, out, as_json)
    if any(advice.fit.is_warning for one in found for advice in one.advices):
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


def _report(context: Context, found: Sequence[RouterAdvice], out: Path | None, as_json: bool) -> None:
    """Writes the plots, if there is a folder for them, and prints what was found."""
    from hntes.workflow.reports.share_advice import write_plots

    plots = [write_plots(context, one, out) if out is not None else {} for one in found]
    if as_json:
        output.as_json([_document(one, files) for one, files in zip(found, plots, strict=True)])
    else:
        for one, files in zip(found, plots, strict=True):
            _print(one, files)


def _print(one: RouterAdvice, plots: dict[str, tuple[Path, Path]]) -> None:
    for advice in one.advices:
        _print_port(advice)
        for path in plots.get(advice.port.name, ()):
            output.line(f"  plot     {path}")
    others = [other for other in one.load.others if other.bytes]
    if others:
        output.line(f"{one.load.router}: traffic on other interfaces, without a beta queue of HNTES")
        for other in others[:5]:
            name = f"index {other.interface_index}" if other.interface_index else "unknown (0)"
            output.line(f"  {name}: {other.share_pct:.3g}% of the bytes, {counted(other.records, 'record')}")


def _print_port(advice: Advice) -> None:
    port, needed = advice.port, advice.needed
    output.line(
        f"{port.router} {port.name}, {gbps(port.rate_bps)}, index {', '.join(map(str, port.snmp_indexes)) or '?'}"
    )
    if needed.peak is not None:
        peak = needed.peak
        error = "" if peak.sd_bps == 0 else f" +- {'unknown' if peak.sd_bps is None else gbps(peak.sd_bps)}"
        if peak.is_peak_minute:
            output.line(f"  measured {gbps(peak.chosen_bps)}{error} {at(peak.peak_ms)}, the peak minute")
        else:
            output.line(f"  measured {gbps(peak.chosen_bps)} on {peak.day}, whose peak minute reached "
                     f"{gbps(peak.peak_bps)}{error} {at(peak.peak_ms)}")  # fmt: skip
        output.line(f"  days     {needed.complete_days} of {needed.wanted_days} measured with complete data")
        output.line(f"  needed   {gbps(needed.needed_bps)} with margin")
    for note in (each for each in needed.notes if each not in advice.fit.sentence):
        output.line(f"  note     {note}")
    if advice.present is not None:
        output.line(
            f"  present  alpha/beta {advice.present}: {advice.fit.state.replace('_', ' ')}; {advice.fit.sentence}"
        )
    if advice.advised is not None:
        output.line(f"  advised  alpha/beta {advice.advised}: {advice.reason}")
    elif advice.reason != advice.fit.sentence:
        output.line(f"  advised  nothing: {advice.reason}")
    if advice.cost:
        output.line(f"  cost     {advice.cost}")


def _document(one: RouterAdvice, plots: dict[str, tuple[Path, Path]]) -> dict[str, Any]:
    return {
        "router": one.load.router,
        "ports": [
            {
                "interface": advice.port.name,
                "rate_bps": advice.port.rate_bps,
                "snmp_indexes": advice.port.snmp_indexes,
                "measured_bps": advice.needed.measured_bps if advice.needed.is_known else None,
                "peak": advice.needed.peak,
                "needed_bps": advice.needed.needed_bps if advice.needed.is_known else None,
                "complete_days": advice.needed.complete_days,
                "days": advice.port.days,
                "notes": advice.needed.notes,
                "present": advice.present,
                "state": advice.fit.state,
                "sentence": advice.fit.sentence,
                "advised": advice.advised,
                "reason": advice.reason,
                "cost": advice.cost,
                "splits": advice.outcomes,
                "plots": plots.get(advice.port.name, ()),
            }
            for advice in one.advices
        ],
        "other_interfaces": one.load.others,
    }
