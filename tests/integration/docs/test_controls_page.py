"""The page on CUBIC beside BBR: its table and its figure are of the numbers beside it."""

from pathlib import Path

from hntes.simulator.plots import save_svg
from scripts.compare_controls import NUMBERS, PAGE, QUEUES_MS, ROUND_TRIPS_MS, Compared, read, with_table
from scripts.draw_controls import FIGURE, drawn


def test_the_table_is_of_the_numbers() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page, read(NUMBERS)) == page


def test_the_figure_has_a_line_for_each_round_trip_and_arrangement(tmp_path: Path) -> None:
    figure = drawn(read(NUMBERS))
    (axes,) = figure.axes
    lengths = [len(line.get_xdata()) for line in axes.get_lines()]
    assert lengths == [*[len(QUEUES_MS), 2] * len(ROUND_TRIPS_MS), 2]
    save_svg(figure, tmp_path, FIGURE)
    assert "<svg" in (tmp_path / f"{FIGURE}.svg").read_text(encoding="utf-8")


def test_a_queue_of_its_own_keeps_cubic_alive() -> None:
    found = read(NUMBERS)
    assert all(values.cubic_part_pct > 40 for each, values in found.items() if each.own_queue)
    assert found[Compared(80, 55)].cubic_part_pct < 25
