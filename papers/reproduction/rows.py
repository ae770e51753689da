"""The table of a reproduction: one row per published cell, as text, CSV, JSON and Parquet."""

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields

import pyarrow as pa

from hntes.format import agreeing, counted
from hntes.papers.cells import CellVerdict, PublishedCell
from hntes.papers.reproduction.reproduce import Reproduction, SkippedCell

# In the order in which they are counted.
VERDICTS = ("reproduced", "missed", "reported", "predicted", "not applicable")


@dataclass(frozen=True)
class CellRow:
    """A published cell beside what was simulated; None where there is no such number.

    `simulated` is the median of the runs, `lowest` and `highest` their spread, `ratio` simulated over published.
    `cause` is the believed cause of a miss or of a reported value's distance, or why the engine does not apply.
    `predicted_blind` is what was simulated before the published value was known.
    """

    paper: str
    experiment: str
    configuration: str
    variant: str
    measure: str
    published: float | None
    simulated: float | None
    lowest: float | None
    highest: float | None
    ratio: float | None
    tolerance: str
    verdict: str
    cause: str
    predicted_blind: float | None = None


SCHEMA = pa.schema(
    [
        *(pa.field(name, pa.string()) for name in ("paper", "experiment", "configuration", "variant", "measure")),
        *(pa.field(name, pa.float64()) for name in ("published", "simulated", "lowest", "highest", "ratio")),
        *(pa.field(name, pa.string()) for name in ("tolerance", "verdict", "cause")),
        pa.field("predicted_blind", pa.float64()),
    ]
)


def rows_of(reproduction: Reproduction) -> list[CellRow]:
    """The table, in the order of the experiments and of their published tables."""
    return [row_of(outcome, reproduction.engine) for outcome in reproduction.outcomes]


def row_of(outcome: CellVerdict | SkippedCell, engine: str) -> CellRow:
    """One row."""
    cell = outcome.cell
    verdict = outcome if isinstance(outcome, CellVerdict) else None
    if isinstance(outcome, SkippedCell):
        cause = f"{engine} engine does not apply: {outcome.reason}"
    else:
        cause = cell.cause if outcome.word in {"missed", "reported"} else ""
    return CellRow(
        cell.paper,
        cell.experiment,
        cell.configuration,
        cell.variant,
        cell.measure,
        cell.published,
        simulated=_finite(verdict.simulated) if verdict else None,
        lowest=_finite(verdict.lowest) if verdict else None,
        highest=_finite(verdict.highest) if verdict else None,
        ratio=_finite(verdict.ratio) if verdict else None,
        tolerance=tolerance(cell),
        verdict=verdict.word if verdict else "not applicable",
        cause=cause,
        predicted_blind=cell.predicted_blind,
    )


def tolerance(cell: PublishedCell) -> str:
    """The tolerance of the simulated value, in words."""
    match cell.kind:
        case "arithmetic" | "transient":
            return f"±{cell.within * 100:g} %"
        case "factor" | "reordering":
            return f"within a factor of {cell.within:g}"
        case "points":
            return f"±{cell.within:g} {agreeing(cell.within, 'percentage point')}"
        case "absolute":
            return f"±{cell.within:g}"
        case "order":
            return f"above {cell.above}"
        case "exact":
            return "exactly"
        case "at_most":
            return f"at most {cell.within:g}"
    return "not judged"


def counts(rows: Iterable[CellRow]) -> dict[str, int]:
    """The number of cells per verdict, in the order of VERDICTS."""
    words = [row.verdict for row in rows]
    return {word: words.count(word) for word in VERDICTS}


def closing_lines(rows: Sequence[CellRow]) -> list[str]:
    """A line for each paper: cells judged, reproduced, missed with their believed causes, predicted, and the rest."""
    return [
        f"{paper}: {_closing([row for row in rows if row.paper == paper])}"
        for paper in dict.fromkeys(row.paper for row in rows)
    ]


def _closing(rows: Sequence[CellRow]) -> str:
    found = counts(rows)
    judged = found["reproduced"] + found["missed"]
    parts = [f"{counted(judged, 'cell')} judged", f"{found['reproduced']} reproduced", f"{found['missed']} missed"]
    causes = Counter(row.cause or "cause not known" for row in rows if row.verdict == "missed")
    if causes:
        parts[-1] += " (" + "; ".join(f"{count}: {cause}" for cause, count in causes.most_common()) + ")"
    parts += [f"{found['predicted']} predicted"]
    parts += [f"{found[word]} {word}" for word in ("reported", "not applicable") if found[word]]
    return ", ".join(parts)


def number(value: float | None) -> str:
    """Four significant digits; whole numbers from 1,000 on; nothing for None."""
    if value is None:
        return ""
    return f"{value:.4g}" if abs(value) < 1e3 else f"{value:.0f}"


HEADER = (
    "paper", "experiment", "configuration", "variant", "measure", "published", "simulated", "seeds", "ratio",
    "tolerance", "verdict",
)  # fmt: skip


def cells_of_row(row: CellRow) -> tuple[str, ...]:
    """A row as text under HEADER, for tables that people read."""
    place = (row.paper, row.experiment, row.configuration, row.variant, row.measure)
    values = (number(row.published), number(row.simulated), spread(row), number(row.ratio))
    return (*place, *values, row.tolerance, row.verdict)


def spread(row: CellRow) -> str:
    """From the lowest to the highest seed; nothing where they do not differ."""
    lowest, highest = number(row.lowest), number(row.highest)
    return f"{lowest} to {highest}" if lowest != highest else ""


def to_csv(rows: Sequence[CellRow]) -> str:
    """All columns, numbers in full."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(CellRow)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return text.getvalue()


def to_json(rows: Sequence[CellRow]) -> str:
    """A list of objects; no number is null."""
    return json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_arrow(rows: Sequence[CellRow]) -> pa.Table:
    """The same as an Arrow table of schema SCHEMA."""
    return pa.Table.from_pylist([asdict(row) for row in rows], schema=SCHEMA)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
