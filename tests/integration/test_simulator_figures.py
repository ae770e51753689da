"""Figures of all seven experiments, from real runs on a testbed a thousand times slower."""

import tomllib
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from hntes.papers.drawn import DrawnFigure
from hntes.papers.hntes.figures import draw
from hntes.papers.hntes.paper import HNTES
from hntes.papers.paper import CaseRuns
from hntes.simulator import Scenario, load_experiment, run
from hntes.simulator.plots import save
from hntes.simulator.runs.task import FinishedRun, RunTask
from tests.support.scenarios import document_of, scenario_of

CELLS = HNTES.cells_folder
FIGURES = {1: 2, 2: 3, 3: 5, 4: 5, 5: 3, 6: 6, 7: 3}
SLOWER = 1000


def _slower(published: Scenario) -> Scenario:
    scenario = document_of(published)
    for link in scenario["links"]:
        link["rate_bps"] /= SLOWER
        link["buffer_bytes"] //= SLOWER
    for port in scenario["ports"]:
        port["buffer_bytes"] //= SLOWER
        port["reopen_bytes"] = 0
        for conditioner in port["conditioners"]:
            conditioner["meter"]["rate_bps"] /= SLOWER
    for flow in scenario["flows"]:
        if flow["traffic"]["kind"] == "udp":
            flow["traffic"]["rate_bps"] /= SLOWER
    return scenario_of(scenario)


def _drawn(number: int) -> list[DrawnFigure]:
    cases = []
    for case in load_experiment(number).cases():
        task = RunTask(case.name, _slower(case.scenario(seed=1)))
        cases.append(CaseRuns(HNTES, case, (FinishedRun(task, run(task.scenario)),)))
    return draw(str(number), cases)


@pytest.mark.parametrize("number", FIGURES)
def test_every_experiment_has_its_figures_with_labels_and_units(number: int) -> None:
    drawn = _drawn(number)
    assert len({figure.stem for figure in drawn}) == len(drawn) == FIGURES[number]
    for one in drawn:
        assert one.stem.startswith(f"experiment{number}-")
        assert one.caption.startswith(f"Experiment {number}")
        labels = {axes.get_ylabel() for axes in one.figure.axes} - {""}
        assert labels
        assert all("(" in label or "segments" in label for label in labels)
        assert all(axes.lines or axes.patches for axes in one.figure.axes), one.stem


def test_published_points_stand_where_they_were_published() -> None:
    (summary, *_) = _drawn(3)
    shown: dict[str, list[tuple[float, float]]] = {
        axes.get_title(): [
            (float(x), float(y))
            for line in axes.lines
            if line.get_label() == "published"
            for x, y in np.asarray(line.get_xydata())
        ]
        for axes in summary.figure.axes
    }
    expected: dict[str, list[tuple[float, float]]] = {}
    for cell in tomllib.loads((CELLS / "3.toml").read_text(encoding="utf-8"))["cells"]:
        point = (float(cell["variant"].removeprefix("udp-")), float(cell["published"]))
        expected.setdefault(cell["configuration"], []).append(point)
    assert {name: sorted(points) for name, points in shown.items()} == {
        name: sorted(points) for name, points in expected.items()
    }


def test_figures_are_the_same_each_time_and_touch_no_global_state(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    for name in ("first", "second"):
        save(_drawn(7)[0].figure, tmp_path / name, "figure")
    for kind in ("svg", "png"):
        assert (tmp_path / "first" / f"figure.{kind}").read_bytes() == (
            tmp_path / "second" / f"figure.{kind}"
        ).read_bytes()
    assert b"<dc:date>" not in (tmp_path / "first" / "figure.svg").read_bytes()
    assert dict(mpl.rcParams) == before


def test_nothing_run_is_nothing_drawn() -> None:
    assert draw("3", []) == []
