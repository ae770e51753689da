"""Every run of the kernel beside the engine's."""

import pytest

from simulator.papers.cells import CellVerdict
from simulator.reproduction.reproduce import reproduce
from simulator.reproduction.selection import parse_selections

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]


# docs/reference/simulator-linux-6.md says why: with UDP in one queue and no card the kernel loses TCP alone, and where
# two flows overflow a queue, single segments decide which of them loses.
MISSED = {
    ("shared", "htcp"): {"start_retransmissions"},
    ("further", "two-cubic-1-gbps"): {"tcp2_gbps_13_20"},
    ("further", "two-htcp-unlike"): {
        "goodput_gbps",
        "tcp1_gbps_6_13",
        "tcp1_gbps_13_20",
        "tcp2_gbps_6_13",
        "tcp2_gbps_13_20",
        "loss_s_2",
    },
    ("further", "two-reno-unlike"): {"tcp2_gbps_4_9"},
}


def test_all_but_the_known_misses_are_as_in_the_kernel() -> None:
    found = reproduce(parse_selections([], "linux"), jobs=1).outcomes
    assert all(isinstance(one, CellVerdict) for one in found)
    missed: dict[tuple[str, str], set[str]] = {}
    for one in found:
        if isinstance(one, CellVerdict) and one.word == "missed":
            missed.setdefault((one.cell.experiment, one.cell.configuration), set()).add(one.cell.measure)
    assert missed == MISSED
