"""The seeds that are run: as many as settle each case's verdicts, and no more."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hntes.papers.cells import CellVerdict
from hntes.papers.paper import Paper
from hntes.papers.reproduction.reproduce import Reproduction, reproduce
from hntes.papers.reproduction.selection import CaseSelection
from hntes.simulator.runs.task import FinishedRun, RunTask
from hntes.simulator.scenario import Scenario, Tcp

# The measured value by configuration and seed; published is 10, within a tenth.
VALUES = {
    "agree": [10.0, 10.1, 9.9, 99.0, 99.0],
    "late": [10.0, 99.0, 98.0, 10.1, 10.2],
    "fourth": [99.0, 10.0, 10.1, 10.2, 99.0],
    "below-and-above": [1.0, 99.0, 1.0, 99.0, 10.0],
    "no-chance": [10.0],
    "higher": [12.0, 12.0, 12.0, 1.0, 1.0],
    "lower": [11.0] * 5,
    "hardly-higher": [12.0, 12.0, 9.0, 12.0, 9.0],
}


@dataclass(frozen=True)
class _Case:
    configuration: str
    experiment_name: str = "1"
    variant: str = ""

    @property
    def name(self) -> str:
        return f"paper/{self.configuration}"

    def scenario(self, seed: int, parameters: Any = None) -> Scenario:
        del parameters
        return Scenario(self.configuration, 1.0, seed, (), (), (), Tcp(), ())


@dataclass
class _Observer:
    spared: list[str] = field(default_factory=list)

    def moved(self, task: RunTask, share: float) -> None:
        """Not looked at here."""

    def finished(self, run: FinishedRun) -> None:
        """Not looked at here."""

    def note(self, text: str) -> None:
        raise AssertionError(text)

    def spare(self, tasks: Iterable[RunTask]) -> None:
        self.spared = [task.name for task in tasks]


def _cells(folder: Path) -> None:
    lines = []
    for name in VALUES:
        kinds = {"no-chance": "points", "higher": "order", "hardly-higher": "order", "lower": "reported"}
        kind = kinds.get(name, "transient")
        above = {"higher": "agree", "hardly-higher": "lower"}.get(name)
        more = f'above = "{above}"' if kind == "order" else "chancy = true" if kind == "reported" else ""
        lines.append(f'[[cells]]\nconfiguration = "{name}"\nvariant = ""\nmeasure = "m"\nkind = "{kind}"\n'
                     f'within = 0.1\npublished = 10.0\n{more}\n')  # fmt: skip
    (folder / "1.toml").write_text("\n".join(lines))


@pytest.fixture
def reproduction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Reproduction, _Observer]:
    _cells(tmp_path)
    cases = tuple(_Case(name) for name in VALUES)
    paper = Paper(
        "paper", "somebody", {"1": "one"}, tmp_path, lambda _: cases,
        measure=lambda _measure, case, result: VALUES[case.configuration][int(result.trace_hash)],
        explain=str, setup_of=lambda _: ("",),
    )  # fmt: skip

    def run_all(tasks: Sequence[RunTask], **_: object) -> list[FinishedRun]:
        return [FinishedRun(task, _Result(str(task.scenario.seed - 1))) for task in tasks]

    module = sys.modules[reproduce.__module__]  # its name in the package is that of the function
    monkeypatch.setattr(module, "run_all", run_all)
    monkeypatch.setattr(module, "engine_version", lambda: "made up")
    observer = _Observer()
    return reproduce([CaseSelection(paper, "1", cases, True)], observer=observer), observer


@dataclass(frozen=True)
class _Result:
    trace_hash: str


def test_a_case_ends_when_its_verdict_is_settled(reproduction: tuple[Reproduction, _Observer]) -> None:
    runs = {one.case.configuration: len(one.runs) for one in reproduction[0].cases}
    assert runs == {
        "agree": 3, "late": 5, "fourth": 4, "below-and-above": 5, "no-chance": 1, "higher": 3, "lower": 4,
        "hardly-higher": 4,
    }  # fmt: skip


def test_the_words_are_those_of_all_seeds(reproduction: tuple[Reproduction, _Observer]) -> None:
    words = {one.cell.configuration: one.word for one in reproduction[0].outcomes if isinstance(one, CellVerdict)}
    assert words == {
        "agree": "reproduced", "late": "reproduced", "fourth": "reproduced", "below-and-above": "reproduced",
        "no-chance": "reproduced", "higher": "reproduced", "lower": "reported", "hardly-higher": "reproduced",
    }  # fmt: skip


def test_the_observer_hears_what_is_not_needed(reproduction: tuple[Reproduction, _Observer]) -> None:
    assert reproduction[1].spared == [
        "paper/agree seed 4", "paper/agree seed 5", "paper/fourth seed 5", "paper/higher seed 4", "paper/higher seed 5",
        "paper/lower seed 5", "paper/hardly-higher seed 5",
    ]  # fmt: skip
