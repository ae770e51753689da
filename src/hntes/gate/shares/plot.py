"""The advice on one port as a figure: the measured days, and the effect of every split at the demand."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from hntes.format import gbps
from hntes.gate.shares.advice import Advice
from hntes.settings.model import Gate

# Okabe and Ito's palette, which colour-blind readers can distinguish; line styles and markers differ as well.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#555555"
GBPS = 1e9
PLAIN = FuncFormatter(lambda value, _: f"{value:g}")
# Losses and delays span decades and are 0 for most splits: linear below this.
LOSS_LINEAR_PCT, DELAY_LINEAR_MS = 0.1, 0.1


def advice_figure(advice: Advice, gate: Gate) -> Figure:
    """Four panels: beta peaks by day; and against the beta share: beta loss, beta delay, alpha goodput."""
    figure = Figure(figsize=(10, 7), layout="constrained")
    axes = figure.subplots(2, 2)
    port = advice.port
    figure.suptitle(f"{port.router} {port.name}: alpha and beta shares of {gbps(port.rate_bps)}")
    _days(axes[0][0], advice)
    _loss(axes[0][1], advice, gate)
    _delay(axes[1][0], advice, gate)
    _goodput(axes[1][1], advice)
    _legend(figure)
    return figure


def write_figure(figure: Figure, path: Path) -> tuple[Path, Path]:
    """Writes `path`.svg and `path`.png; the same figure gives the same SVG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    svg, png = path.with_name(f"{path.name}.svg"), path.with_name(f"{path.name}.png")
    with mpl.rc_context({"svg.hashsalt": "hntes", "svg.fonttype": "none"}):
        figure.savefig(svg, metadata={"Date": None})
    figure.savefig(png, dpi=120)
    return svg, png


def _legend(figure: Figure) -> None:
    """One legend for all panels: the present and the advised split are in three of them."""
    found: dict[str, Artist] = {}
    for each in figure.axes:
        handles, labels = each.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    figure.legend(list(found.values()), list(found), loc="outside lower center", ncols=4, fontsize="small")


def _days(axes: Axes, advice: Advice) -> None:
    days = advice.port.days
    when = [float(date2num(day.day)) for day in days]  # type: ignore[no-untyped-call]
    peaks = [day.chosen_bps / GBPS for day in days]
    errors = [(day.sd_bps or 0) / GBPS for day in days]
    axes.errorbar(when, peaks, yerr=errors, fmt="none", ecolor=GREY, elinewidth=1)
    for complete, face, label in ((True, BLUE, "complete day"), (False, "white", "incomplete day")):
        chosen = [(x, y) for x, y, day in zip(when, peaks, days, strict=True) if day.complete == complete]
        if chosen:
            axes.plot(*zip(*chosen, strict=True), "o", color=BLUE, markerfacecolor=face, label=label)
    axes.axhline(advice.needed.needed_bps / GBPS, color=ORANGE, linestyle=":", label="needed, with margin")
    if advice.present is not None:
        share = advice.present.beta_share_pct
        guaranteed = advice.port.rate_bps * share / 100 / GBPS
        axes.axhline(guaranteed, color=GREY, linestyle="--", label=f"guaranteed now ({share}%)")
    wanted = [float(date2num(day)) for day in (*(day.day for day in days), *advice.port.unmeasured)]  # type: ignore[no-untyped-call]
    if wanted:
        axes.set_xlim(min(wanted) - 1, max(wanted) + 1)
    which = "peak minute" if all(day.is_peak_minute for day in days) else "minute at the percentile"
    axes.set(title=f"Beta traffic, {which} of each day", ylabel="beta load on the wire (Gb/s)", ylim=(0, None))
    locator = AutoDateLocator(minticks=2, maxticks=6)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    axes.set_xlabel("day (UTC)")


def _loss(axes: Axes, advice: Advice, gate: Gate) -> None:
    _against_share(axes, advice, [one.beta_loss_pct for one in advice.outcomes], BLUE, "o-", "beta loss")
    axes.axhline(gate.beta_loss_pct, color=ORANGE, linestyle=":", label=f"limit {gate.beta_loss_pct:g}%")
    axes.set_yscale("symlog", linthresh=LOSS_LINEAR_PCT)
    axes.set(title=_title("Beta loss", advice), ylabel="loss of beta traffic (%)", ylim=(-LOSS_LINEAR_PCT / 4, 100))
    axes.yaxis.set_major_formatter(PLAIN)


def _delay(axes: Axes, advice: Advice, gate: Gate) -> None:
    limit_ms = gate.beta_delay_increase_ms
    _against_share(axes, advice, [one.beta_delay_increase_ms for one in advice.outcomes], BLUE, "o-", "beta delay")
    axes.axhline(limit_ms, color=ORANGE, linestyle=":", label=f"limit {limit_ms:g} ms")
    axes.set_yscale("symlog", linthresh=DELAY_LINEAR_MS)
    axes.set(title=_title("Beta delay", advice), ylabel="round trip above idle, mean (ms)")
    axes.set_ylim(bottom=-DELAY_LINEAR_MS / 4)
    axes.yaxis.set_major_formatter(PLAIN)


def _goodput(axes: Axes, advice: Advice) -> None:
    goodputs = [one.alpha_goodput_bps / GBPS for one in advice.outcomes]
    guarantees = [advice.port.rate_bps * one.split.alpha_share_pct / 100 / GBPS for one in advice.outcomes]
    _against_share(axes, advice, goodputs, GREEN, "s-", "goodput with the beta load")
    axes.plot(
        [one.split.beta_share_pct for one in advice.outcomes], guarantees, ":", color=GREEN, label="guaranteed rate"
    )
    axes.set(title=_title("Alpha", advice), ylabel="one alpha flow (Gb/s)", ylim=(0, None))


def _against_share(axes: Axes, advice: Advice, values: list[float], color: str, style: str, label: str) -> None:
    axes.plot([one.split.beta_share_pct for one in advice.outcomes], values, style, color=color, ms=4, label=label)
    if advice.present is not None:
        axes.axvline(advice.present.beta_share_pct, color=GREY, linestyle="--", label=f"now {advice.present}")
    if advice.advised is not None:
        axes.axvline(
            advice.advised.beta_share_pct, color=GREEN, linewidth=2, alpha=0.6, label=f"advised {advice.advised}"
        )
    axes.set_xlabel("beta share (% of the port)")
    axes.grid(alpha=0.3)


def _title(what: str, advice: Advice) -> str:
    return f"{what} while {gbps(advice.needed.needed_bps)} of beta traffic arrives"
