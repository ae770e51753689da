"""Puts a finished reproduction into the documentation: `python -m benchmarks.reproduction_page FOLDER`.

FOLDER is what `hntes reproduce --out FOLDER` wrote. Takes its report, its table of cells, and the figures that show a
whole experiment at a glance; the other figures' lines are left out of the report.
"""

import argparse
import re
import shutil
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "reproduction"
FIGURES = (
    "experiment1-shares",
    "experiment2-1-queue",
    "experiment3-throughput",
    "experiment4-throughput",
    "experiment5-fairness",
    "experiment6-losses-and-delays",
    "experiment7-1-queue",
    "experiment7-2-queues",
    "laatu-under-throughput",
    "gara-congestion-over-time",
    "gara-manager-manager",
    "gara-manager-unadapted",
    "gara-manager-none",
    "habib-simple-by-round-trip",
    "christin-1-over-time",
    "christin-2-class1-throughput",
)
_IMAGE = re.compile(r"!\[[^\]]*\]\(figures/(?P<stem>[^)]*)\.svg\)\n\n\*[^\n]*\*\n\n?")


def main() -> None:
    """Writes docs/reference/reproduction anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what `hntes reproduce --paper all --out FOLDER` wrote")
    source = parser.parse_args().folder
    report = (source / "report.md").read_text(encoding="utf-8")
    shutil.rmtree(PAGE, ignore_errors=True)
    (PAGE / "figures").mkdir(parents=True)
    kept = _IMAGE.sub(lambda image: image.group() if image["stem"] in FIGURES else "", report)
    (PAGE / "report.md").write_text(kept.rstrip() + "\n", encoding="utf-8")
    shutil.copyfile(source / "cells.csv", PAGE / "cells.csv")
    for stem in FIGURES:
        shutil.copyfile(source / "figures" / f"{stem}.svg", PAGE / "figures" / f"{stem}.svg")


if __name__ == "__main__":
    main()
