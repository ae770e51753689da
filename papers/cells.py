"""Published cells, and whether a simulated number counts as the published one, by the kind of cell."""

from dataclasses import dataclass

# Kinds of cells whose value is the median of several seeds: what depends on chance.
CHANCY = frozenset({"reordering", "transient", "factor", "at_most", "predicted", "order"})


@dataclass(frozen=True)
class PublishedCell:
    """A published number and how near a simulated one must come.

    `kind` is one of: arithmetic, transient (relative difference up to `within`); factor, reordering (ratio up to
    `within` either way); points, absolute (absolute difference, in percentage points or in the measure's unit); exact;
    at_most (simulated value up to `within`); order (above the same measure and variant of configuration `above`);
    reported (shown only); predicted (nothing published). `chancy` says whether the value is the median of several
    seeds; if not given, the kind does. `cause` is the believed cause of a miss, or of the distance of a reported value.
    `predicted_blind` is what was simulated before the published value was known.
    """

    paper: str
    experiment: str
    configuration: str
    variant: str
    measure: str
    kind: str
    within: float
    published: float | None = None
    chancy: bool | None = None
    cause: str = ""
    above: str = ""
    predicted_blind: float | None = None

    @property
    def depends_on_chance(self) -> bool:
        """Whether its value is the median of several seeds."""
        return self.kind in CHANCY if self.chancy is None else self.chancy


@dataclass(frozen=True)
class CellVerdict:
    """A cell with what was simulated: the median, lowest and highest of its runs."""

    cell: PublishedCell
    simulated: float
    lowest: float
    highest: float
    ratio: float | None
    word: str


def assess(
    cell: PublishedCell, simulated: float, lowest: float, highest: float, other: float | None = None
) -> CellVerdict:
    """The result of one cell; `other` is the simulated value that an order is about."""
    ratio = simulated / cell.published if cell.published else None
    return CellVerdict(cell, simulated, lowest, highest, ratio, _word(cell, simulated, ratio, other))


def _word(cell: PublishedCell, simulated: float, ratio: float | None, other: float | None) -> str:
    if cell.kind in {"reported", "predicted"}:
        return cell.kind
    return "reproduced" if _holds(cell, simulated, ratio, other) else "missed"


def _holds(cell: PublishedCell, simulated: float, ratio: float | None, other: float | None) -> bool:
    published = cell.published or 0.0
    match cell.kind:
        case "arithmetic" | "transient":
            return abs(simulated - published) <= cell.within * abs(published)
        case "factor" | "reordering":
            return ratio is not None and 1 / cell.within <= ratio <= cell.within
        case "points" | "absolute":
            return abs(simulated - published) <= cell.within
        case "exact":
            return simulated == published
        case "at_most":
            return simulated <= cell.within
        case "order":
            return other is not None and simulated > other
    raise ValueError(f"unknown kind of cell {cell.kind!r}")
