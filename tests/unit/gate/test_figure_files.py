"""Figures as files: those of one candidate, whole, and none of another."""

from pathlib import Path

from hntes.gate.figure_files import INDEX, GateFigure, read_figures, write_figures

ONE, OTHER = "ab" * 32, "cd" * 32
FIGURES = (GateFigure('xe-0/0/0 "é"', "ping", "<svg>1</svg>"), GateFigure("xe-0/0/1", "throughput", "<svg>2</svg>"))


def test_figures_are_read_back_in_their_order(tmp_path: Path) -> None:
    write_figures(tmp_path, ONE, FIGURES)
    assert read_figures(tmp_path, ONE) == FIGURES
    assert read_figures(tmp_path, OTHER) == ()


def test_figures_of_another_judgement_take_their_place(tmp_path: Path) -> None:
    write_figures(tmp_path, ONE, FIGURES)
    write_figures(tmp_path, OTHER, FIGURES[:1])
    assert read_figures(tmp_path, OTHER) == FIGURES[:1]
    assert len(list(tmp_path.glob("*.svg"))) == 1


def test_what_is_lost_or_damaged_is_not_shown(tmp_path: Path) -> None:
    assert read_figures(tmp_path, ONE) == ()
    write_figures(tmp_path, ONE, FIGURES)
    next(tmp_path.glob("*-1-ping.svg")).unlink()
    assert read_figures(tmp_path, ONE) == ()
    (tmp_path / INDEX).write_text('{"candidate_hash": 1}')
    assert read_figures(tmp_path, ONE) == ()


def test_an_index_leads_nowhere_else(tmp_path: Path) -> None:
    write_figures(tmp_path / "figures", ONE, FIGURES[:1])
    (tmp_path / "secret").write_text("secret")
    index = tmp_path / "figures" / INDEX
    (name,) = (path.name for path in (tmp_path / "figures").glob("*.svg"))
    index.write_text(index.read_text().replace(name, "../secret"))
    assert read_figures(tmp_path / "figures", ONE) == ()
