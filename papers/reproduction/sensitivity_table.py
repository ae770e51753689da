"""The results of a sensitivity study as text: one row per alternative value."""

from collections.abc import Sequence

from hntes.format import counted
from hntes.papers.cells import CellVerdict
from hntes.papers.reproduction.document import Block, Heading, Paragraph, Table
from hntes.papers.reproduction.rows import number
from hntes.papers.reproduction.sensitivity import Effect, VerdictChange

HEADER = ("paper", "assumption", "as assumed", "otherwise", "configurations", "judged cells", "verdicts that change")

_READING = (
    "Each assumption's other values in turn, everything else as it is, with seed 1 in all runs: configurations that "
    "run otherwise, their judged cells, and which of these have another verdict then. With one seed a cell near its "
    "limit changes by chance; the row of another seed shows how many do. Cells that are only reported or predicted, "
    "among them all that something was fitted on, are not counted."
)


def blocks_of(effects: Sequence[Effect], paper: str) -> list[Block]:
    """The part of a paper's report; nothing for a paper without effects."""
    here = [effect for effect in effects if effect.variation.paper.name == paper]
    if not here:
        return []
    rows = tuple(row_of(effect)[1:] for effect in here)
    return [Heading(2, "Sensitivity"), Paragraph(_READING), Table(HEADER[1:], rows)]


def row_of(effect: Effect) -> tuple[str, ...]:
    """An effect as text."""
    assumption, variation = effect.variation.assumption, effect.variation
    changes = "; ".join(map(_change, effect.changes)) or "none"
    counts = (str(effect.configurations), str(effect.judged))
    return (variation.paper.name, assumption.name, assumption.value, variation.value, *counts, changes)


def summary(effects: Sequence[Effect]) -> str:
    """The number of alternative values that change a verdict."""
    moving = sum(1 for effect in effects if effect.changes)
    return f"{counted(len(effects), 'variation')}, {moving} of them with a verdict that changes"


def _change(change: VerdictChange) -> str:
    cell = change.before.cell
    place = "/".join(part for part in (cell.experiment, cell.configuration, cell.variant) if part)
    order = f" above {cell.above}" if cell.above else ""
    return f"{place} `{cell.measure}`{order}: {_verdict(change.before)}, then {_verdict(change.after)}"


def _verdict(verdict: CellVerdict) -> str:
    return f"{verdict.word} ({number(verdict.simulated)})"
