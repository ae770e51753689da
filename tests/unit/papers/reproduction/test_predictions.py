"""Predictions as tables of configurations and measures, whichever are fewer in columns."""

from hntes.papers.reproduction.document import to_markdown
from hntes.papers.reproduction.predictions import predictions
from hntes.papers.reproduction.rows import CellRow


def _row(
    configuration: str, measure: str, simulated: float, blind: float | None = None, spread: float = 0.0
) -> CellRow:
    return CellRow("p", "1", configuration, "v", measure, None, simulated, simulated - spread, simulated + spread, None,
                   "not judged", "predicted", "", blind)  # fmt: skip


def test_each_configuration_has_a_line() -> None:
    rows = [
        _row("a", "x", 1.0),
        _row("a", "y", 2.0, spread=0.5),
        _row("b", "x", 3.0, blind=4.0),
        _row("c", "y", 5.0, 5.0),
    ]
    assert to_markdown(predictions(rows)).splitlines()[2:] == [
        "| configuration | x | y |",
        "| --- | --- | --- |",
        "| a, v | 1 | 2 (1.5 to 2.5) |",
        "| b, v | 3 (blind 4) |  |",
        "| c, v |  | 5 |",
    ]


def test_more_measures_than_configurations_are_lines() -> None:
    assert to_markdown(predictions([_row("a", "x", 1.0), _row("a", "y", 2.0)])).splitlines()[2:] == [
        "| measure | a, v |",
        "| --- | --- |",
        "| x | 1 |",
        "| y | 2 |",
    ]


def test_nothing_predicted_is_no_table() -> None:
    assert predictions([]) == []
