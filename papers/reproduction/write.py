"""Everything a reproduction leaves in a folder. Each file is written whole; none depends on when or where."""

import importlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather

from hntes.files import replacing, write_text
from hntes.papers.paper import CaseRuns
from hntes.papers.reproduction.document import to_html, to_markdown
from hntes.papers.reproduction.report import FigureNote, report
from hntes.papers.reproduction.reproduce import Reproduction
from hntes.papers.reproduction.rows import rows_of, to_arrow, to_csv, to_json
from hntes.papers.reproduction.sensitivity import Effect
from hntes.simulator.plots import save
from hntes.simulator.results import RunResult
from hntes.simulator.runs.folder import write_parquet
from hntes.simulator.runs.tables import flow_rows, ping_table, queue_rows, totals


def write_reproduction(reproduction: Reproduction, folder: Path, effects: Sequence[Effect] = ()) -> None:
    """Write tables, series, figures and the report in Markdown and HTML; the report comes last.

    `effects` are those of other assumptions, if they were looked for.
    """
    rows = rows_of(reproduction)
    write_text(folder / "cells.csv", to_csv(rows))
    write_text(folder / "cells.json", to_json(rows))
    table = to_arrow(rows)
    write_parquet(folder / "cells.parquet", table)
    with replacing(folder / "cells.arrow") as fresh:
        feather.write_feather(table, str(fresh), compression="uncompressed")
    _write_totals(reproduction, folder)
    for selection in reproduction.selections:
        stem = selection.paper.stem(selection.experiment)
        _write_series(reproduction.of_selection(selection), folder, stem)
    notes = _write_figures(reproduction, folder / "figures")
    blocks = report(reproduction, notes, effects)
    svgs = {note.stem: (folder / "figures" / f"{note.stem}.svg").read_bytes() for note in notes}
    write_text(folder / "report.md", to_markdown(blocks))
    write_text(folder / "report.html", to_html(blocks, svgs))


def _runs(cases: Iterable[CaseRuns]) -> list[tuple[dict[str, object], RunResult]]:
    """Every run that has a result, with the columns that name it."""
    return [
        (
            {
                "paper": runs.paper.name,
                "experiment": runs.case.experiment_name,
                "configuration": runs.case.configuration,
                "variant": runs.case.variant,
                "seed": run.result.seed,
            },
            run.result,
        )
        for runs in cases
        for run in runs.runs
        if run.result is not None
    ]


def _write_totals(reproduction: Reproduction, folder: Path) -> None:
    runs = _runs(reproduction.cases)
    named = [{**key, **totals(result)} for key, result in runs]
    write_text(folder / "runs.json", json.dumps(named, indent=1, ensure_ascii=False) + "\n")
    if runs:
        flows = [{**key, **row} for key, result in runs for row in flow_rows(result)]
        queues = [{**key, **row} for key, result in runs for row in queue_rows(result)]
        write_parquet(folder / "flows.parquet", pa.Table.from_pylist(flows))
        write_parquet(folder / "queues.parquet", pa.Table.from_pylist(queues))


def _write_series(cases: Iterable[CaseRuns], folder: Path, stem: str) -> None:
    runs = _runs(cases)
    if runs:
        intervals = [_keyed(key, result.intervals()) for key, result in runs]
        pings = [_keyed(key, ping_table(result)) for key, result in runs]
        write_parquet(folder / "series" / f"{stem}.parquet", pa.concat_tables(intervals, promote_options="permissive"))
        write_parquet(folder / "pings" / f"{stem}.parquet", pa.concat_tables(pings, promote_options="permissive"))


def _keyed(key: dict[str, object], table: pa.Table) -> pa.Table:
    columns = {name: pa.array([value] * table.num_rows) for name, value in key.items()}
    columns = {name: array.cast(pa.string()) if isinstance(key[name], str) else array.cast(pa.int64())
               for name, array in columns.items()}  # fmt: skip
    return pa.table({**columns, **{name: table.column(name) for name in table.column_names}})


def _write_figures(reproduction: Reproduction, folder: Path) -> list[FigureNote]:
    notes = []
    for selection in reproduction.selections:
        if not selection.paper.figures:
            continue
        draw = importlib.import_module(selection.paper.figures).draw
        for drawn in draw(selection.experiment, reproduction.of_selection(selection)):
            save(drawn.figure, folder, drawn.stem)
            notes.append(FigureNote(selection.paper.name, selection.experiment, drawn.stem, drawn.caption))
    return notes
