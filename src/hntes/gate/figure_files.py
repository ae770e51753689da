"""The figures of a judgement as SVG files of their own, with `figures.json`, which names them and their candidate."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from hntes.files import write_changed_text

FigureKind = Literal["ping", "throughput"]
INDEX = "figures.json"
CAPTIONS: dict[FigureKind, str] = {
    "ping": "round-trip times of other traffic with four alpha flows: this plan and a single queue",
    "throughput": "goodput of an alpha flow with the beta load: this plan and a single queue",
}


@dataclass(frozen=True)
class GateFigure:
    """One figure: its port, its caption, and its SVG text."""

    port: str
    kind: FigureKind
    svg: str

    @property
    def caption(self) -> str:
        return CAPTIONS[self.kind]


@dataclass(frozen=True)
class _FigureFile:
    port: str
    kind: FigureKind
    file: str


@dataclass(frozen=True)
class _Index:
    candidate_hash: str
    figures: tuple[_FigureFile, ...]


_INDEX = TypeAdapter(_Index)


def write_figures(folder: Path, candidate_hash: str, figures: Sequence[GateFigure]) -> None:
    """Writes the figures of a candidate's judgement in the place of those that the folder has.

    Files are named by the candidate and the index is written behind them: a reader never sees another candidate's.
    """
    files = [
        _FigureFile(each.port, each.kind, f"figure-{candidate_hash[:16]}-{number}-{each.kind}.svg")
        for number, each in enumerate(figures, 1)
    ]
    for figure, file in zip(figures, files, strict=True):
        write_changed_text(folder / file.file, figure.svg)
    index = asdict(_Index(candidate_hash, tuple(files)))
    write_changed_text(folder / INDEX, json.dumps(index, indent=2, ensure_ascii=False) + "\n")
    for path in set(folder.glob("figure-*.svg")) - {folder / each.file for each in files}:
        path.unlink()


def read_figures(folder: Path, candidate_hash: str) -> tuple[GateFigure, ...]:
    """The figures of a candidate's judgement; none where the folder has none, or those of another candidate."""
    try:
        index = _INDEX.validate_json((folder / INDEX).read_bytes())
        if index.candidate_hash != candidate_hash:
            return ()
        return tuple(
            GateFigure(each.port, each.kind, (folder / Path(each.file).name).read_text(encoding="utf-8"))
            for each in index.figures
        )
    except (FileNotFoundError, ValidationError, UnicodeDecodeError):
        return ()  # lost or damaged figures are left out of a page
