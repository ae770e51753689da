"""Every run of the kernel beside the engine's."""

import pytest

from simulator.papers.cells import CellVerdict
from simulator.reproduction.reproduce import reproduce
from simulator.reproduction.selection import parse_selections

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]


# With UDP in one queue and no card before it, the kernel loses TCP alone (docs/reference/simulator-linux-6.md).
MISSED = {("shared", "htcp", "start_retransmissions")}


def test_all_but_the_known_misses_are_as_in_the_kernel() -> None:
    found = reproduce(parse_selections([], "linux"), jobs=1).outcomes
    assert all(isinstance(one, CellVerdict) for one in found)
    missed = [one.cell for one in found if isinstance(one, CellVerdict) and one.word == "missed"]
    assert {(cell.experiment, cell.configuration, cell.measure) for cell in missed} == MISSED
