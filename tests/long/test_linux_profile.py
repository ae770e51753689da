"""Every run of the kernel beside the engine's."""

import pytest

from simulator.papers.cells import CellVerdict
from simulator.reproduction.reproduce import reproduce
from simulator.reproduction.selection import parse_selections

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]


# docs/reference/simulator-linux-6.md says why: with UDP in one queue and no card the kernel loses TCP alone; single
# segments decide whether a second recovery follows the first (CUBIC, two unlike flows), or which flow loses (Reno);
# where packets overtake one another the kernel puts off its timeout.
MISSED = {
    ("shared", "htcp"): {"start_retransmissions"},
    ("alone", "cubic-50-ms"): {"goodput_gbps", "queueing_mean_ms", "later_retransmissions"},
    ("further", "two-htcp-unlike"): {
        "goodput_gbps",
        "tcp1_gbps_6_13",
        "tcp1_gbps_13_20",
        "tcp2_gbps_6_13",
        "tcp2_gbps_13_20",
        "loss_s_2",
    },
    ("further", "two-reno-unlike"): {"tcp1_gbps_9_15", "tcp2_gbps_4_9", "tcp2_gbps_9_15"},
    ("further", "scavenger-htcp-1-gbps"): {"timeouts"},
    ("further", "scavenger-reno-1-gbps"): {"timeouts"},
}


def test_all_but_the_known_misses_are_as_in_the_kernel() -> None:
    found = reproduce(parse_selections([], "linux"), jobs=1).outcomes
    assert all(isinstance(one, CellVerdict) for one in found)
    missed: dict[tuple[str, str], set[str]] = {}
    for one in found:
        if isinstance(one, CellVerdict) and one.word == "missed":
            missed.setdefault((one.cell.experiment, one.cell.configuration), set()).add(one.cell.measure)
    assert missed == MISSED
