"""Draws what CUBIC gets beside BBR: `python -m scripts.draw_controls FOLDER`, from docs/concepts/cubic-and-bbr.csv."""

import argparse
from pathlib import Path

from matplotlib.figure import Figure

from hntes.simulator.plots import blank, save_svg
from scripts.compare_controls import NUMBERS, Compared, Found, read

FIGURE = "cubic-beside-bbr"
# A control's share of what both get, if both got the same.
_EVEN_PCT = 50


def main() -> None:
    """Draws into the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    save_svg(drawn(read(NUMBERS)), parser.parse_args().folder, FIGURE)


def drawn(found: dict[Compared, Found]) -> Figure:
    """CUBIC's part by queue length, in round trips; a line per round trip, in one queue and in one each."""
    figure = blank(8, 4.5)
    axes = figure.subplots()
    for number, round_trip_ms in enumerate(dict.fromkeys(each.round_trip_ms for each in found)):
        for own_queue, style in ((False, "o-"), (True, "s:")):
            points = [
                (each.queue_ms / round_trip_ms, values.cubic_part_pct)
                for each, values in found.items()
                if (each.round_trip_ms, each.own_queue, each.streams) == (round_trip_ms, own_queue, 1)
            ]
            label = f"{round_trip_ms:g} ms" + (", a queue each" if own_queue else "")
            axes.plot(*zip(*sorted(points), strict=True), style, color=f"C{number}", label=label)
    axes.axhline(_EVEN_PCT, color="grey", linewidth=0.8)
    axes.set(xscale="log", ylim=(0, 100), xlabel="length of the alpha queue, round trips")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylabel("CUBIC's part of what both get, %")
    axes.legend(title="round trip", fontsize="small", ncols=2)
    return figure


if __name__ == "__main__":
    main()
