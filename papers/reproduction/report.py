"""The report of a reproduction: what was run, verdicts, misses with their believed cause, figures, parameters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hntes.format import counted
from hntes.papers.paper import Paper
from hntes.papers.reproduction.document import (
    Block,
    Bullets,
    Contents,
    Heading,
    Image,
    Link,
    Paragraph,
    Table,
    to_markdown,
)
from hntes.papers.reproduction.predictions import predictions
from hntes.papers.reproduction.reproduce import Reproduction
from hntes.papers.reproduction.rows import HEADER, VERDICTS, CellRow, cells_of_row, counts, number, rows_of
from hntes.papers.reproduction.selection import CaseSelection
from hntes.papers.reproduction.sensitivity import Effect
from hntes.papers.reproduction.sensitivity_table import blocks_of
from hntes.papers.reproduction.wording import READING
from hntes.simulator.scenario import to_document

# Paper and experiment stand above an experiment's own table.
_PLACE_COLUMNS = 2


@dataclass(frozen=True)
class FigureNote:
    """A figure that has been drawn: of which paper and experiment, under which name, what it shows."""

    paper: str
    experiment: str
    stem: str
    caption: str


def report(reproduction: Reproduction, figures: Sequence[FigureNote], effects: Sequence[Effect] = ()) -> list[Block]:
    """The whole report; equal reproductions give equal reports. `effects` are those of other assumptions."""
    rows = rows_of(reproduction)
    several = len(reproduction.papers) > 1
    blocks: list[Block] = [
        Heading(1, "Published experiments, reproduced"),
        Paragraph(_what_was_run(reproduction)),
        *([_paper_matrix(reproduction, rows)] if several else []),
        Paragraph(READING),
        _contents(reproduction, several),
    ]
    for paper in reproduction.papers:
        here = [row for row in rows if row.paper == paper.name]
        notes = [note for note in figures if note.paper == paper.name]
        blocks += _lowered_if(several, paper, _paper(reproduction, paper, here, notes, effects))
    return [*blocks, *_parameters(reproduction)]


def to_markdown_table(rows: Sequence[CellRow]) -> str:
    """Only the table, in Markdown."""
    return to_markdown([Table(HEADER, tuple(map(cells_of_row, rows)))])


def _what_was_run(reproduction: Reproduction) -> str:
    runs = counted(sum(len(case.runs) for case in reproduction.cases), "run")
    seeds = (
        "seed 1 was run"
        if reproduction.seeds == 1
        else f"up to {reproduction.seeds} seeds were run (as many as settle the verdicts on a configuration's cells) "
        "and the median counts"
    )
    return (
        f"{runs} of {counted(len(reproduction.cases), 'configuration')} by the {reproduction.engine} engine (version "
        f"`{reproduction.engine_version}`), each paper with one set of parameters for all. Where a result depends on "
        f"chance, {seeds}; the published values are single runs."
    )


def _contents(reproduction: Reproduction, several: bool) -> Contents:
    entries: list[tuple[int, str]] = []
    for paper in reproduction.papers:
        if several:
            entries.append((0, paper.name))
        here = [one for one in reproduction.selections if one.paper.name == paper.name]
        entries += [(int(several), _experiment_title(one)) for one in here]
    return Contents(tuple(entries))


def _experiment_title(selection: CaseSelection) -> str:
    return f"Experiment {selection.experiment}: {selection.paper.experiments[selection.experiment]}"


_CAUSES_IN_TABLE = 2
# What was judged is the sum of the two after it.
_COUNTS = ("judged", "reproduced", "missed", "believed cause", "reported", "predicted", "not applicable")


def _matrix_row(rows: Sequence[CellRow]) -> tuple[str, ...]:
    """The number of judged cells by verdict."""
    found = counts(rows)
    judged = found["reproduced"] + found["missed"]
    shown = (found[word] for word in VERDICTS[2:])
    return (str(judged), str(found["reproduced"]), str(found["missed"]), _main_causes(rows), *map(str, shown))


def _main_causes(rows: Sequence[CellRow]) -> str:
    """The most frequent reasons of misses with counts; the others are listed below the table."""
    groups = _by_cause(rows, "missed")
    named, others = groups[:_CAUSES_IN_TABLE], groups[_CAUSES_IN_TABLE:]
    parts = [f"{_cause(of[0])} ({len(of)})" for of in named]
    if others:
        parts.append(f"{counted(len(others), 'other cause')} ({sum(map(len, others))}), under Misses")
    return "; ".join(parts)


def _by_cause(rows: Sequence[CellRow], verdict: str) -> list[list[CellRow]]:
    """Cells with a verdict, those of one cause together, the largest group first."""
    groups: dict[str, list[CellRow]] = {}
    for row in rows:
        if row.verdict == verdict:
            groups.setdefault(_cause(row), []).append(row)
    return sorted(groups.values(), key=len, reverse=True)


def _paper_matrix(reproduction: Reproduction, rows: Sequence[CellRow]) -> Table:
    lines = [
        (paper.name, *_matrix_row([row for row in rows if row.paper == paper.name])) for paper in reproduction.papers
    ]
    lines.append(("all", *_total_row(rows)))
    return _without_empty(("paper", *_COUNTS), lines)


def _total_row(rows: Sequence[CellRow]) -> tuple[str, ...]:
    """The sums alone."""
    return tuple(
        "" if name == "believed cause" else text for name, text in zip(_COUNTS, _matrix_row(rows), strict=True)
    )


def _without_empty(header: Sequence[str], lines: Sequence[tuple[str, ...]]) -> Table:
    """A table without the columns that say nothing in any row."""
    kept = [place for place in range(len(header)) if any(line[place] for line in lines)]
    return Table(tuple(header[place] for place in kept), tuple(tuple(line[p] for p in kept) for line in lines))


def _paper(
    reproduction: Reproduction,
    paper: Paper,
    rows: Sequence[CellRow],
    figures: Sequence[FigureNote],
    effects: Sequence[Effect],
) -> list[Block]:
    """A paper's part of the report."""
    blocks: list[Block] = [*_publication(paper), _experiment_matrix(reproduction, paper, rows)]
    blocks += [*_misses(rows), *_reported(rows)]
    for selection in reproduction.selections:
        if selection.paper.name == paper.name:
            here = [row for row in rows if row.experiment == selection.experiment]
            notes = [note for note in figures if note.experiment == selection.experiment]
            blocks += _experiment(reproduction, selection, here, notes)
    return [*blocks, *_assumptions(paper), *blocks_of(effects, paper.name), *_measures(paper, rows)]


def _lowered_if(several: bool, paper: Paper, blocks: Sequence[Block]) -> list[Block]:
    """A paper's part under a heading of its own, but only among others."""
    return [Heading(2, paper.name), *map(_lowered, blocks)] if several else list(blocks)


def _publication(paper: Paper) -> list[Block]:
    """The publication and its references."""
    name = Paragraph(f"{paper.publication}.")
    if paper.address is None:
        return [name, Paragraph("No lasting address of it is known here.")]
    return [name, Link("Where to read it:", paper.address.leads_to, paper.address.url)]


def _lowered(block: Block) -> Block:
    return Heading(block.level + 1, block.text) if isinstance(block, Heading) else block


def _experiment_matrix(reproduction: Reproduction, paper: Paper, rows: Sequence[CellRow]) -> Table:
    lines = []
    for selection in reproduction.selections:
        if selection.paper.name == paper.name:
            here = [row for row in rows if row.experiment == selection.experiment]
            lines.append((selection.experiment, paper.experiments[selection.experiment], *_matrix_row(here)))
    lines.append(("", "all", *_total_row(rows)))
    return _without_empty(("experiment", "about", *_COUNTS), lines)


def _misses(rows: Sequence[CellRow]) -> list[Block]:
    groups = _by_cause(rows, "missed")
    if not groups:
        return [Heading(2, "Misses"), Paragraph("None: every judged cell is within its tolerance.")]
    lines = (f"Believed cause: {_cause(of[0])}. {counted(len(of), 'cell')}: {_places(of)}." for of in groups)
    return [Heading(2, "Misses"), Bullets(tuple(lines))]


def _reported(rows: Sequence[CellRow]) -> list[Block]:
    groups = _by_cause(rows, "reported")
    if not groups:
        return []
    lines = (
        f"Believed cause of the distance: {_cause(of[0])}. {counted(len(of), 'cell')}: {_places(of)}." for of in groups
    )
    return [Heading(2, "Reported, not judged"), Bullets(tuple(lines))]


def _places(rows: Sequence[CellRow]) -> str:
    """Cells by their configurations, each simulated value beside the published one, or beside what was asked."""
    groups: dict[str, list[str]] = {}
    for row in rows:
        place = ", ".join(part for part in (f"experiment {row.experiment}", row.configuration, row.variant) if part)
        beside = f"published {number(row.published)}" if row.published is not None else row.tolerance
        groups.setdefault(place, []).append(f"`{row.measure}` {number(row.simulated)} ({beside})")
    return "; ".join(f"{place}: {', '.join(cells)}" for place, cells in groups.items())


def _cause(row: CellRow) -> str:
    return row.cause.rstrip(".") or "not known"


def _experiment(
    reproduction: Reproduction, selection: CaseSelection, rows: Sequence[CellRow], figures: Sequence[FigureNote]
) -> list[Block]:
    paper, experiment = selection.paper, selection.experiment
    cases = reproduction.of_selection(selection)
    *fewer, most = sorted({len(case.runs) for case in cases}) or [0]
    runs = " or ".join([*map(str, fewer), counted(most, "seed")])
    setup = paper.setup_of(experiment)
    blocks: list[Block] = [
        Heading(2, _experiment_title(selection)),
        Paragraph(f"{counted(len(cases), 'configuration')}, {runs}; {setup[0]}"),
        *map(Paragraph, setup[1:]),
        *(Image(figure.stem, figure.caption) for figure in figures),
        *_cell_table([row for row in rows if row.verdict != "predicted"]),
        *predictions([row for row in rows if row.verdict == "predicted"]),
    ]
    skipped = sorted({row.cause for row in rows if row.verdict == "not applicable"})
    if skipped:
        blocks.append(Bullets(tuple(skipped)))
    return blocks


def _cell_table(rows: Sequence[CellRow]) -> list[Block]:
    """The cells beside their published values, with what was predicted blind, where anything was."""
    if not rows:
        return []
    lines = [(*cells_of_row(row)[_PLACE_COLUMNS:], number(row.predicted_blind)) for row in rows]
    return [_without_empty((*HEADER[_PLACE_COLUMNS:], "predicted blind"), lines)]


def _assumptions(paper: Paper) -> list[Block]:
    if not paper.assumptions:
        return []
    lines = tuple((one.name, one.value, one.why, one.fitted_on) for one in paper.assumptions)
    text = (
        "What the paper does not say. What was fitted on a table, as the last column says, is not judged on it; what "
        "was chosen with values in view is, and the reason says so."
    )
    return [
        Heading(2, "Assumptions"), Paragraph(text), Table(("assumption", "value", "why", "fitted on"), lines),
    ]  # fmt: skip


def _measures(paper: Paper, rows: Sequence[CellRow]) -> list[Block]:
    used = list(dict.fromkeys(row.measure for row in rows))
    return [
        Heading(2, "Measures"),
        Table(("measure", "what it is"), tuple((name, paper.explain(name)) for name in used)),
    ]


def _parameters(reproduction: Reproduction) -> list[Block]:
    if not any(paper.name == "hntes" for paper in reproduction.papers):
        return []
    lines = tuple(_flat(to_document(reproduction.parameters)))
    text = (
        "One set for all experiments of `hntes`; `docs/reference/simulator-parameters.md` says where each comes from."
    )
    return [Heading(2, "Parameters"), Paragraph(text), Table(("parameter", "value"), lines)]


def _flat(tables: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in tables.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", str(value).lower() if isinstance(value, bool) else f"{value}"
