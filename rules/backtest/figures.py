"""The back-test as figures: effectiveness and terms over time, beta dragged along, and the cost of a larger share."""

from collections.abc import Sequence
from datetime import timedelta

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure

from hntes.rules.backtest.advice import label, mean_terms
from hntes.rules.backtest.backtest import BackTest
from hntes.rules.backtest.weekly import weekly_shares
from hntes.rules.columns import Whole

# Okabe and Ito's palette, which colour-blind readers can distinguish; markers differ as well.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vP*"


def backtest_figure(found: Sequence[BackTest]) -> Figure:
    """Four panels; each variant has its own line and marker."""
    figure = Figure(figsize=(11, 8), layout="constrained")
    axes = figure.subplots(2, 2)
    figure.suptitle(f"Back-test of {', '.join(found[0].routers)}")
    for number, one in enumerate(found):
        color, when = COLORS[number % len(COLORS)], _days(one)
        axes[0][0].plot(when, _weekly(one.queued_bytes, one.alpha_bytes), color=color, label=label(one))
        axes[0][1].plot(when, one.terms, color=color)
        beta = np.where(one.is_beta_read, one.queued_beta_bytes / 1e9, np.nan)
        axes[1][0].plot(when, beta, color=color, marker=MARKERS[number % len(MARKERS)], markersize=3)
    _label(axes[0][0], "Effectiveness, over 7 days", "alpha bytes queued (%)")
    _label(axes[0][1], "Terms in the filter", "terms")
    _label(axes[1][0], "Beta dragged along, where it was read", "beta bytes in the alpha queue (GB)")
    axes[0][0].set_ylim(0, 101)
    _trade_off(axes[1][1], found)
    figure.legend(loc="outside lower center", fontsize="small", ncols=2)
    return figure


def _trade_off(axes: Axes, found: Sequence[BackTest]) -> None:
    for number, one in enumerate(found):
        share = one.effectiveness
        if share is not None:
            marker, color = MARKERS[number % len(MARKERS)], COLORS[number % len(COLORS)]
            axes.plot(mean_terms(one), 100 * share, marker, color=color)
    axes.set(title="Cost of a larger share", xlabel="terms, mean over the days", ylabel="alpha bytes queued (%)")


def _label(axes: Axes, title: str, what: str) -> None:
    axes.set(title=title, ylabel=what, ylim=(0, None), xlabel="day (UTC)")
    locator = AutoDateLocator(minticks=2, maxticks=6)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]


def _days(one: BackTest) -> list[float]:
    return [float(date2num(one.first + timedelta(days=number))) for number in range(len(one.terms))]  # type: ignore[no-untyped-call]


def _weekly(part: Whole, total: Whole) -> list[float]:
    """Shares of the last 7 days in per cent; a gap where there was nothing."""
    shares = weekly_shares(part.tolist(), total.tolist())
    return [float("nan") if each is None else each for each in shares]
