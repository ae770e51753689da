"""The report of a reproduction: what was run, verdicts, misses with their believed cause, figures, parameters."""

from collections.abc import Sequence
from dataclasses import dataclass

from base.wording import counted
from simulator.papers.paper import Paper
from simulator.reproduction.document import Block, Bullets, Heading, Image, Link, Paragraph, Table, to_markdown
from simulator.reproduction.reproduce import Reproduction
from simulator.reproduction.rows import HEADER, VERDICTS, CellRow, cells_of_row, counts, number, rows_of
from simulator.reproduction.selection import CaseSelection
from simulator.reproduction.sensitivity import Effect
from simulator.reproduction.sensitivity_table import blocks_of
from simulator.reproduction.wording import READING

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
        *([_paper_table(reproduction, rows)] if several else []),
        Paragraph(READING),
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


def _paper_table(reproduction: Reproduction, rows: Sequence[CellRow]) -> Table:
    lines = []
    for paper in reproduction.papers:
        found = counts(row for row in rows if row.paper == paper.name)
        lines.append((paper.name, paper.publication, *(str(found[word]) for word in VERDICTS)))
    lines.append(("", "all", *(str(count) for count in counts(rows).values())))
    return Table(("paper", "publication", *VERDICTS), tuple(lines))


def _paper(
    reproduction: Reproduction,
    paper: Paper,
    rows: Sequence[CellRow],
    figures: Sequence[FigureNote],
    effects: Sequence[Effect],
) -> list[Block]:
    """A paper's part of the report."""
    blocks: list[Block] = [*_publication(paper), _experiment_table(reproduction, paper, rows)]
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
    """What was published, and where it can be read."""
    name = Paragraph(f"{paper.publication}.")
    if paper.address is None:
        return [name, Paragraph("No lasting address of it is known here.")]
    return [name, Link("Where to read it:", paper.address.leads_to, paper.address.url)]


def _lowered(block: Block) -> Block:
    return Heading(block.level + 1, block.text) if isinstance(block, Heading) else block


def _experiment_table(reproduction: Reproduction, paper: Paper, rows: Sequence[CellRow]) -> Table:
    lines = []
    for selection in reproduction.selections:
        if selection.paper.name == paper.name:
            found = counts(row for row in rows if row.experiment == selection.experiment)
            about = paper.experiments[selection.experiment]
            lines.append((selection.experiment, about, *(str(found[word]) for word in VERDICTS)))
    lines.append(("", "all", *(str(count) for count in counts(rows).values())))
    return Table(("experiment", "about", *VERDICTS), tuple(lines))


def _misses(rows: Sequence[CellRow]) -> list[Block]:
    missed = [row for row in rows if row.verdict == "missed"]
    if not missed:
        return [Heading(2, "Misses"), Paragraph("None: every judged cell is within its tolerance.")]
    return [Heading(2, "Misses"), Bullets(tuple(map(_miss, missed)))]


def _miss(row: CellRow) -> str:
    return f"{_beside(row)} ({row.tolerance} was asked). Believed cause: {_cause(row)}."


def _reported(rows: Sequence[CellRow]) -> list[Block]:
    reported = [row for row in rows if row.verdict == "reported"]
    if not reported:
        return []
    lines = tuple(f"{_beside(row)}. Believed cause of the distance: {_cause(row)}." for row in reported)
    return [Heading(2, "Reported, not judged"), Bullets(lines)]


def _beside(row: CellRow) -> str:
    """A cell's place, and the published value beside the simulated one."""
    place = ", ".join(part for part in (row.configuration, row.variant) if part)
    published = f"published {number(row.published)}, " if row.published is not None else ""
    ratio = f", ratio {number(row.ratio)}" if row.ratio is not None else ""
    return f"experiment {row.experiment}, {place}, `{row.measure}`: {published}simulated {number(row.simulated)}{ratio}"


def _cause(row: CellRow) -> str:
    return row.cause.rstrip(".") or "not known"


def _experiment(
    reproduction: Reproduction, selection: CaseSelection, rows: Sequence[CellRow], figures: Sequence[FigureNote]
) -> list[Block]:
    paper, experiment = selection.paper, selection.experiment
    cases = reproduction.of_selection(selection)
    seeds = sorted({len(case.runs) for case in cases})
    runs = " or ".join(counted(count, "seed") for count in seeds)
    setup = paper.setup_of(experiment)
    blocks: list[Block] = [
        Heading(2, f"Experiment {experiment}: {paper.experiments[experiment]}"),
        Paragraph(f"{counted(len(cases), 'configuration')}, {runs}; {setup[0]}"),
        *map(Paragraph, setup[1:]),
    ]
    blocks.append(_cell_table(rows))
    skipped = sorted({row.cause for row in rows if row.verdict == "not applicable"})
    if skipped:
        blocks.append(Bullets(tuple(skipped)))
    return [*blocks, *(Image(figure.stem, figure.caption) for figure in figures)]


def _cell_table(rows: Sequence[CellRow]) -> Table:
    """The cells; with a column for what was predicted blind, if anything was."""
    header, lines = HEADER[_PLACE_COLUMNS:], [cells_of_row(row)[_PLACE_COLUMNS:] for row in rows]
    if any(row.predicted_blind is not None for row in rows):
        blind = [number(row.predicted_blind) for row in rows]
        lines = [(*line, text) for line, text in zip(lines, blind, strict=True)]
        header = (*header, "predicted blind")
    return Table(header, tuple(lines))


def _assumptions(paper: Paper) -> list[Block]:
    if not paper.assumptions:
        return []
    lines = tuple((one.name, one.value, one.why, one.fitted_on) for one in paper.assumptions)
    text = "What the paper does not say. What was fitted on a table is not judged on it."
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
    lines = tuple(
        (f"{section}.{name}", str(value).lower() if isinstance(value, bool) else f"{value}")
        for section, values in reproduction.parameters.items()
        for name, value in values.items()
    )
    text = (
        "One set for all experiments of `hntes`; `docs/reference/simulator-parameters.md` says where each comes from."
    )
    return [Heading(2, "Parameters"), Paragraph(text), Table(("parameter", "value"), lines)]
