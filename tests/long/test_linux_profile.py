"""Every run of the kernel beside the engine's."""

import pytest

from simulator.papers.cells import CellVerdict
from simulator.reproduction.reproduce import reproduce
from simulator.reproduction.selection import parse_selections

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]


# docs/reference/simulator-linux-6.md says why: with UDP in one queue and no card the kernel loses TCP alone, and a
# window that is no whole number of segments lets the kernel send a part of one.
MISSED = {
    ("shared", "htcp"): {"start_retransmissions"},
    ("further", "htcp-4-mb"): {"queueing_max_ms"},
}


def test_all_but_the_known_misses_are_as_in_the_kernel() -> None:
    found = reproduce(parse_selections([], "linux"), jobs=1).outcomes
    assert all(isinstance(one, CellVerdict) for one in found)
    missed: dict[tuple[str, str], set[str]] = {}
    for one in found:
        if isinstance(one, CellVerdict) and one.word == "missed":
            missed.setdefault((one.cell.experiment, one.cell.configuration), set()).add(one.cell.measure)
    assert missed == MISSED
