"""The published cells, and how many runs each kind of cell asks for."""

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from simulator.reproduction.verdicts import PublishedCell

REFERENCE = Path(__file__).parent / "reference"

# Kinds of cells whose value is the median of several seeds: what depends on chance.
CHANCY = frozenset({"reordering", "transient", "factor", "at_most", "predicted"})


def load_cells(number: int) -> list[PublishedCell]:
    """The published cells of an experiment, 1 to 7, in the order of its tables."""
    return [PublishedCell(experiment=number, **cell) for cell in _reference(number)["cells"]]


def seeds_needed(cells: Iterable[PublishedCell], seeds: int) -> int:
    """How often a case with these cells is run."""
    chancy = (cell.kind in CHANCY if cell.chancy is None else cell.chancy for cell in cells)
    return seeds if any(chancy) else 1


@cache
def _reference(number: int) -> dict[str, Any]:
    return tomllib.loads((REFERENCE / f"experiment{number}.toml").read_text(encoding="utf-8"))
