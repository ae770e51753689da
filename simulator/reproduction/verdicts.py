"""Verdicts: whether a simulated number counts as the published one, by the kind of cell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class PublishedCell:
    """A published number and how near a simulated one must come.

    `kind` is one of: arithmetic, transient (relative difference up to `within`); factor, reordering (ratio up to
    `within` either way); points (absolute difference); exact; at_most (simulated value up to `within`); reported
    (shown only); predicted (nothing published). `chancy` says whether the value is the median of several seeds; if not
    given, the kind does. `cause` is the believed cause of a miss, or of the distance of a reported value.
    """

    experiment: int
    configuration: str
    variant: str
    measure: str
    kind: str
    within: float
    published: float | None = None
    chancy: bool | None = None
    cause: str = ""


@dataclass(frozen=True)
class CellVerdict:
    """A cell with what was simulated: the median, lowest and highest of its runs."""

    cell: PublishedCell
    simulated: float
    lowest: float
    highest: float
    ratio: float | None
    word: str


def assess(cell: PublishedCell, simulated: float, lowest: float, highest: float) -> CellVerdict:
    """What becomes of one cell."""
    ratio = simulated / cell.published if cell.published else None
    return CellVerdict(cell, simulated, lowest, highest, ratio, _word(cell, simulated, ratio))


def assess_columns(verdicts: Sequence[CellVerdict]) -> list[CellVerdict]:
    """What holds for the policed columns of experiment 3 as a whole: nearness, fall with UDP, collapse at 2.5 Gb/s."""
    table = {(v.cell.configuration, v.cell.variant): v for v in verdicts if v.cell.experiment == 3}
    policed = [verdict for verdict in table.values() if verdict.cell.kind == "reordering"]
    if not policed:
        return []
    distances = [abs(math.log(verdict.ratio)) if verdict.ratio else math.inf for verdict in policed]
    factor = math.exp(sum(distances) / len(distances))
    found = [_summary("all policed", "geometric_mean_factor", factor, 1.8)]
    for column in dict.fromkeys(verdict.cell.configuration for verdict in policed):
        values = [verdict.simulated for verdict in policed if verdict.cell.configuration == column]
        rises = sum(later > earlier for earlier, later in pairwise(values))
        found.append(_summary(column, "rises_with_udp", float(rises), 0.0))
        highest = max(
            table[column, rate].simulated / table["2-queues", rate].simulated for rate in ("udp-2.5", "udp-3")
        )
        found.append(_summary(column, "share_of_2_queues_at_2.5", highest, 0.2))
    return found


def _summary(configuration: str, measure: str, value: float, limit: float) -> CellVerdict:
    return assess(PublishedCell(3, configuration, "", measure, "at_most", limit), value, value, value)


def _word(cell: PublishedCell, simulated: float, ratio: float | None) -> str:
    if cell.kind in {"reported", "predicted"}:
        return cell.kind
    return "reproduced" if _holds(cell, simulated, ratio) else "missed"


def _holds(cell: PublishedCell, simulated: float, ratio: float | None) -> bool:
    published = cell.published or 0.0
    match cell.kind:
        case "arithmetic" | "transient":
            return abs(simulated - published) <= cell.within * abs(published)
        case "factor" | "reordering":
            return ratio is not None and 1 / cell.within <= ratio <= cell.within
        case "points":
            return abs(simulated - published) <= cell.within
        case "exact":
            return simulated == published
        case "at_most":
            return simulated <= cell.within
    raise ValueError(f"unknown kind of cell {cell.kind!r}")
