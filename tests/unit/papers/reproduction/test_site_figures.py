"""Figures of the published report: those that are not kept are drawn, with the values that cells.csv has."""

import re
from pathlib import Path

import numpy as np
import pytest

from hntes.papers.reproduction.catalogue import PAPERS
from hntes.papers.reproduction.site_figures import figures, main, missing_figures

REPORT = Path(__file__).parents[4] / "docs" / "reference" / "reproduction" / "report.md"
CELLS = REPORT.with_name("cells.csv")
HEADER = CELLS.read_text(encoding="utf-8").partition("\n")[0]


def test_each_figure_that_is_not_kept_belongs_to_an_experiment_with_figures() -> None:
    stems = [f"{paper.stem(each)}-" for paper in PAPERS.values() if paper.figures for each in paper.experiments]
    missing = missing_figures(REPORT)
    assert missing
    assert [stem for stem in missing if not stem.startswith(tuple(stems))] == []


def test_a_figure_of_medians_shows_them_beside_the_published_values() -> None:
    (drawn,) = figures({"experiment4-throughput"}, CELLS)
    (axes,) = drawn.figure.axes
    published = next(line for line in axes.lines if line.get_label() == "published")
    cells = [line.split(",") for line in CELLS.read_text(encoding="utf-8").splitlines()]
    wanted = [float(cell[5]) for cell in cells if cell[:2] == ["hntes", "4"] and cell[4] == "tcp_gbps" and cell[5]]
    assert sorted(np.asarray(published.get_ydata())) == sorted(wanted)
    (simulated,) = (bars for bars in axes.containers if "simulated" in str(bars.get_label()))
    medians = [float(cell[6]) for cell in cells if cell[:2] == ["hntes", "4"] and cell[4] == "tcp_gbps"]
    assert sorted(np.asarray(simulated[0].get_ydata())) == sorted(medians)


def test_values_that_are_not_known_are_left_out(tmp_path: Path) -> None:
    row = "hntes,3,2-queues,udp-1,tcp_gbps,8.0,8.1,8.0,8.2,1.0,,reproduced,,"
    (tmp_path / "cells.csv").write_text(f"{HEADER}\n{row}\n", encoding="utf-8")
    (drawn,) = figures({"experiment3-throughput"}, tmp_path / "cells.csv")
    points = [line for axes in drawn.figure.axes for line in axes.lines if line.get_label() == "published"]
    assert [list(np.asarray(line.get_xydata()).ravel()) for line in points] == [[1.0, 8.0]]


def test_a_figure_that_no_experiment_draws_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "report.md").write_text("![x](figures/experiment9-x.svg) ![y](figures/experiment4-throughput.svg)\n")
    (tmp_path / "cells.csv").write_text(CELLS.read_text(encoding="utf-8"), encoding="utf-8")
    assert main([str(tmp_path / "report.md"), str(tmp_path / "out")]) == 1
    assert re.search(r"report\.md: no experiment draws figure experiment9-x\n$", capsys.readouterr().err)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["experiment4-throughput.svg"]
