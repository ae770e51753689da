"""Draws the ping through one queue and through two: `python -m scripts.draw_ping FILE.svg`.

Experiment 2 of the published testbed, simulated: huge TCP flows and a ping share a 10 Gb/s port. Seed 1 of each
configuration.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from hntes.papers.reproduction.reproduce import reproduce
from hntes.papers.reproduction.selection import parse_selections
from hntes.simulator.measures import round_trips_ms
from hntes.simulator.plots import save_svg
from hntes.simulator.runs.store import MemoryRuns

# Okabe and Ito's palette, as in other figures.
_LINES = {"1-queue": ("one queue for all", "#D55E00"), "2-queues": ("a queue for alpha flows", "#0072B2")}


def main(target: Path) -> None:
    figure = Figure(figsize=(7.6, 2.9), layout="constrained")
    axes = figure.subplots()
    found = reproduce(parse_selections(["2"], "hntes"), seeds=1, store=MemoryRuns())
    for case in found.cases:
        words, colour = _LINES[case.case.configuration]
        run = case.results[0]
        round_trips = round_trips_ms(run, "ping")
        axes.plot(
            run.of_ping("ping", "sent_at_s"), round_trips, color=colour, linewidth=1.6,
            label=f"{words}: {np.mean(round_trips):.3g} ms in the mean",
        )  # fmt: skip
    axes.set(xlabel="time (s)", ylabel="round trip of a ping (ms)", ylim=(0, 135), xlim=(0, 200))
    axes.legend(frameon=False, loc="upper right")
    axes.spines[["top", "right"]].set_visible(False)
    figure.patch.set_facecolor("white")
    save_svg(figure, target.parent, target.stem)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
