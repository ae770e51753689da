"""The report of a reproduction: what was run, verdicts, misses with their believed cause, figures, parameters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from base.wording import counted
from simulator.reproduction.document import Block, Bullets, Heading, Image, Paragraph, Table, to_markdown
from simulator.reproduction.reproduce import Reproduction
from simulator.reproduction.rows import HEADER, VERDICTS, CellRow, cells_of_row, counts, number, rows_of
from simulator.reproduction.wording import COLUMN_RULES, READING, explain
from simulator.testbed.experiments import load_experiment


@dataclass(frozen=True)
class FigureNote:
    """A figure that has been drawn: of which experiment, under which name, what it shows."""

    experiment: int
    stem: str
    caption: str


def report(reproduction: Reproduction, figures: Sequence[FigureNote]) -> list[Block]:
    """The whole report; equal reproductions give equal reports."""
    rows = rows_of(reproduction)
    blocks: list[Block] = [
        Heading(1, "Published experiments, reproduced"),
        Paragraph(_what_was_run(reproduction)),
        _count_table(reproduction, rows),
        Paragraph(READING),
        *_misses(rows),
        *_reported(rows),
    ]
    for selection in reproduction.selections:
        here = [row for row in rows if row.experiment == selection.number]
        notes = [note for note in figures if note.experiment == selection.number]
        blocks += _experiment(reproduction, selection.number, here, notes)
    return [*blocks, *_measures(rows), *_parameters(reproduction)]


def to_markdown_table(rows: Sequence[CellRow]) -> str:
    """Only the table, in Markdown."""
    return to_markdown([Table(HEADER, tuple(map(cells_of_row, rows)))])


def _what_was_run(reproduction: Reproduction) -> str:
    runs = counted(sum(len(case.runs) for case in reproduction.cases), "run")
    seeds = "seed 1 was run" if reproduction.seeds == 1 else f"seeds 1 to {reproduction.seeds} were run"
    return (
        f"{runs} of {counted(len(reproduction.cases), 'configuration')} by the {reproduction.engine} engine (version "
        f"`{reproduction.engine_version}`), with one set of host and router parameters for all, listed at the end. "
        f"Where a result depends on chance, {seeds} and the median counts; the "
        "published values are single runs."
    )


def _count_table(reproduction: Reproduction, rows: Sequence[CellRow]) -> Table:
    lines = []
    for selection in reproduction.selections:
        found = counts(row for row in rows if row.experiment == selection.number)
        title = load_experiment(selection.number).table["title"]
        lines.append((str(selection.number), title, *(str(found[word]) for word in VERDICTS)))
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
    reproduction: Reproduction, experiment: int, rows: Sequence[CellRow], figures: Iterable[FigureNote]
) -> list[Block]:
    table = load_experiment(experiment).table
    cases = reproduction.of_experiment(experiment)
    seeds = sorted({len(case.runs) for case in cases})
    runs = " or ".join(counted(count, "seed") for count in seeds)
    between = "->".join(table["port"])
    simulated_s = number(cases[0].case.experiment.table["duration_s"])
    blocks: list[Block] = [
        Heading(2, f"Experiment {experiment}: {table['title']}"),
        Paragraph(f"{counted(len(cases), 'configuration')}, {simulated_s} s each, {runs}; queues at port `{between}`."),
    ]
    if experiment == 3:
        blocks.append(Paragraph(COLUMN_RULES))
    shown = tuple(cells_of_row(row)[1:] for row in rows)
    blocks.append(Table(HEADER[1:], shown))
    skipped = sorted({row.cause for row in rows if row.verdict == "not applicable"})
    if skipped:
        blocks.append(Bullets(tuple(skipped)))
    return [*blocks, *(Image(figure.stem, figure.caption) for figure in figures)]


def _measures(rows: Sequence[CellRow]) -> list[Block]:
    used = list(dict.fromkeys(row.measure for row in rows))
    return [
        Heading(2, "Measures"),
        Table(("measure", "what it is"), tuple((name, explain(name)) for name in used)),
    ]


def _parameters(reproduction: Reproduction) -> list[Block]:
    lines = tuple(
        (f"{section}.{name}", str(value).lower() if isinstance(value, bool) else f"{value}")
        for section, values in reproduction.parameters.items()
        for name, value in values.items()
    )
    text = "One set for all experiments; `docs/reference/simulator-parameters.md` says where each comes from."
    return [Heading(2, "Parameters"), Paragraph(text), Table(("parameter", "value"), lines)]
