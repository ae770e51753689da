"""A figure for a writer."""

import re
from dataclasses import dataclass

from matplotlib.figure import Figure


@dataclass(frozen=True)
class DrawnFigure:
    """A figure, its name without ending, and what it shows."""

    stem: str
    caption: str
    figure: Figure


def slug(name: str) -> str:
    """A name that any file system takes."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-")
