"""A paper: what it ran, what it printed, what had to be assumed."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from hntes.papers.cells import CellVerdict, PublishedCell
from hntes.simulator.results import RunResult
from hntes.simulator.runs.task import FinishedRun
from hntes.simulator.scenario import Parameters, Scenario


class Case(Protocol):
    """One configuration of an experiment under one variant of its traffic; the variant may be empty."""

    @property
    def name(self) -> str:
        """Names it among all cases of all papers, such as `experiment3/2-queues/udp-1`."""

    @property
    def experiment_name(self) -> str:
        """The paper's name of the experiment or table: `3`, `table-2`."""

    @property
    def configuration(self) -> str:
        """The configuration."""

    @property
    def variant(self) -> str:
        """The traffic."""

    def scenario(self, seed: int, parameters: Any = None) -> Scenario:
        """The scenario for the engine; `parameters` of the paper's own kind replace what its cases assume."""


@dataclass(frozen=True)
class OtherValue:
    """An alternative assumption: in words, and as parameters of the paper's cases."""

    value: str
    parameters: Any


@dataclass(frozen=True)
class Assumption:
    """An assumption on a value that the paper does not state.

    `fitted_on` names the experiment and configuration that it was fitted on, if it was: `under/per-flow`. `others` are
    tried by studies of sensitivity.
    """

    name: str
    value: str
    why: str
    fitted_on: str = ""
    others: tuple[OtherValue, ...] = ()


@dataclass(frozen=True)
class Address:
    """A reference to a publication: a DOI or another permanent URL, and its content."""

    url: str
    leads_to: str


@dataclass(frozen=True)
class Paper:
    """A paper by the name that commands know it by.

    Attributes:
        name: One word.
        publication: Authors, title, where and when.
        address: Where to read it; None if no lasting address is known.
        experiments: What each experiment or table is about, by its name, in the paper's order.
        cells_folder: Files of published cells, `<experiment>.toml`.
        cases_of: All cases of an experiment.
        measure: The value of a measure, by its name; raises KeyError for a name there is not.
        explain: A measure in words; empty without an explanation.
        setup_of: Sentences that say what ran in an experiment.
        assess_whole: What holds for an experiment as a whole, given all of its verdicts.
        stem_prefix: Stands before an experiment's name in the names of files.
        figures: The module that draws its figures: a function `draw` of the experiment's name and its CaseRuns.
        assumptions: What had to be assumed.
        fluid_parameters: What its cases run with on the fluid engine, where that cannot run what they run else.
    """

    name: str
    publication: str
    experiments: Mapping[str, str]
    cells_folder: Path
    cases_of: Callable[[str], Sequence[Case]]
    measure: Callable[[str, Any, RunResult], float]
    explain: Callable[[str], str]
    setup_of: Callable[[str], Sequence[str]]
    assess_whole: Callable[[Sequence[CellVerdict]], Sequence[CellVerdict]] = lambda _: ()
    figures: str = ""
    stem_prefix: str = ""
    assumptions: tuple[Assumption, ...] = ()
    address: Address | None = None
    fluid_parameters: Callable[[], Parameters] | None = None

    def stem(self, experiment: str) -> str:
        """The name of an experiment in names of files."""
        return f"{self.stem_prefix or f'{self.name}-'}{experiment}"

    def cells(self, experiment: str) -> list[PublishedCell]:
        """The published cells of an experiment, in the order of its tables."""
        return [
            PublishedCell(paper=self.name, experiment=experiment, **cell)
            for cell in _cells(self.cells_folder / f"{experiment}.toml")
        ]


@dataclass(frozen=True)
class CaseRuns:
    """The runs of one case, one per seed, from seed 1 on."""

    paper: Paper
    case: Case
    runs: tuple[FinishedRun, ...]

    @property
    def experiment(self) -> tuple[str, str]:
        """The names of paper and experiment."""
        return self.paper.name, self.case.experiment_name

    @property
    def results(self) -> list[RunResult]:
        """The results there are, by seed."""
        return [run.result for run in self.runs if run.result is not None]


@cache
def _cells(path: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["cells"]
    return cells
