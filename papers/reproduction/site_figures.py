"""The figures of a published report, drawn again: `python -m hntes.papers.reproduction.site_figures REPORT FOLDER`.

REPORT is a report.md beside its cells.csv. Figures that it shows and that do not lie beside it are drawn into FOLDER:
those of most experiments of the testbed from the medians of cells.csv, as their runs take minutes, others from runs.
"""

import argparse
import csv
import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from hntes.papers.drawn import DrawnFigure
from hntes.papers.hntes.figures import draw_summaries
from hntes.papers.hntes.paper import HNTES
from hntes.papers.hntes.shown import ShownCase, ShownValue
from hntes.papers.reproduction.catalogue import PAPERS
from hntes.papers.reproduction.reproduce import reproduce
from hntes.papers.reproduction.selection import CaseSelection, parse_selections
from hntes.simulator.plots import save_svg
from hntes.simulator.runs.store import MemoryRuns

_SHOWN = re.compile(r"\]\(figures/([^)]+)\.svg\)")
# One run per case, of some seconds each; cells.csv lacks what was not published.
_RUN = "1"
Values = dict[tuple[str, str, str, str], ShownValue]


def main(arguments: Sequence[str] | None = None) -> int:
    """Draws; the exit status is 1 where a figure is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    wanted = missing_figures(options.report)
    for drawn in figures(wanted, options.report.with_name("cells.csv")):
        save_svg(drawn.figure, options.folder, drawn.stem)
        wanted.discard(drawn.stem)
    for stem in sorted(wanted):
        print(f"{options.report}: no experiment draws figure {stem}", file=sys.stderr)
    return 1 if wanted else 0


def missing_figures(report: Path) -> set[str]:
    """Names of the figures that a report shows and that do not lie beside it."""
    named = set(_SHOWN.findall(report.read_text(encoding="utf-8")))
    return {stem for stem in named if not (report.parent / "figures" / f"{stem}.svg").exists()}


def figures(wanted: set[str], cells: Path) -> Iterator[DrawnFigure]:
    """The wanted figures that there are."""
    values = _values(cells)
    for name, paper in PAPERS.items():
        for experiment in paper.experiments:
            if not any(stem.startswith(f"{paper.stem(experiment)}-") for stem in wanted):
                continue
            if name == HNTES.name and experiment != _RUN:
                drawn = draw_summaries(experiment, _cases(experiment, values))
            else:
                drawn = _from_runs(parse_selections([experiment], name))
            yield from (one for one in drawn if one.stem in wanted)


def _from_runs(selections: Sequence[CaseSelection]) -> list[DrawnFigure]:
    (selection,) = selections
    draw = importlib.import_module(selection.paper.figures).draw
    found: list[DrawnFigure] = draw(selection.experiment, list(reproduce(selections, store=MemoryRuns()).cases))
    return found


def _cases(experiment: str, values: Values) -> list[ShownCase]:
    def shown(configuration: str, variant: str) -> ShownCase:
        place = (experiment, configuration, variant)
        return ShownCase(by_place[configuration, variant], lambda measure: values.get((*place, measure)))

    by_place = {(case.configuration, case.variant): case for case in HNTES.cases_of(experiment)}
    return [shown(*place) for place in by_place]


def _values(cells: Path) -> Values:
    """The testbed's values by experiment, configuration, variant and measure."""
    with cells.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["paper"] == HNTES.name and row["simulated"]]
    return {
        (row["experiment"], row["configuration"], row["variant"], row["measure"]): ShownValue(
            float(row["published"]) if row["published"] else None,
            float(row["simulated"]), float(row["lowest"]), float(row["highest"]),
        )
        for row in rows
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
