"""Predictions without published values: a table like the paper's own, by configuration and measure."""

from collections.abc import Sequence

from hntes.papers.reproduction.document import Block, Paragraph, Table
from hntes.papers.reproduction.rows import CellRow, number, spread

_READING = "Predicted, as nothing published is known: the median of the seeds, and their extremes where they differ."


def predictions(rows: Sequence[CellRow]) -> list[Block]:
    """A line for each configuration and a column for each measure, or the other way where measures are more."""
    if not rows:
        return []
    found = {(_place(row), row.measure): _value(row) for row in rows}
    places, measures = (list(dict.fromkeys(key[end] for key in found)) for end in (0, 1))
    if len(measures) > len(places):
        lines = tuple((one, *(found.get((place, one), "") for place in places)) for one in measures)
        return [Paragraph(_READING), Table(("measure", *places), lines)]
    lines = tuple((place, *(found.get((place, one), "") for one in measures)) for place in places)
    return [Paragraph(_READING), Table(("configuration", *measures), lines)]


def _place(row: CellRow) -> str:
    return ", ".join(part for part in (row.configuration, row.variant) if part)


def _value(row: CellRow) -> str:
    """The median, the extremes, and what was predicted before, if that was something else."""
    before = number(row.predicted_blind) if row.predicted_blind is not None else ""
    more = [spread(row), f"blind {before}" if before not in {"", number(row.simulated)} else ""]
    said = "; ".join(part for part in more if part)
    return f"{number(row.simulated)} ({said})" if said else number(row.simulated)
