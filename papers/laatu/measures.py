"""The paper's measures: shares of what was committed and of the excess, Jain's index of both, throughput."""

import re

from hntes.papers.laatu.cases import LaatuCase, measured_flows
from hntes.papers.laatu.setup import setup
from hntes.simulator.measures import jain_index
from hntes.simulator.results import RunResult

_PART = "committed|excess|total"
_EXPLAINED = {
    "jain_committed": "Jain's index of the flows' green throughput; 1 is equal",
    "jain_excess": "Jain's index of the flows' yellow and red throughput; 1 is equal",
    "jain_total": "Jain's index of the flows' whole throughput; 1 is equal",
    "aggregate_kbps": "throughput of the four flows together, IP bytes, in kb/s",
    "mean_util_committed": "green throughput over the committed rate, mean of the four flows",
    "largest_over_smallest": "throughput of the fastest flow over that of the slowest",
}


def measure(name: str, case: LaatuCase, result: RunResult) -> float:
    """The value of a measure; raises KeyError for a name there is not."""
    del case
    jain = re.fullmatch(rf"jain_({_PART})", name)
    if jain:
        return jain_index(_bps(result, jain[1]))
    total_bps = _bps(result, "total")
    if name == "aggregate_kbps":
        return sum(total_bps) / 1e3
    if name == "mean_util_committed":
        committed = _bps(result, "committed")
        return sum(committed) / len(committed) / setup().rates_bps["flow"].committed
    if name == "largest_over_smallest":
        return max(total_bps) / min(total_bps)
    raise KeyError(f"no measure is called {name!r}")


def explain(name: str) -> str:
    """A measure in words; nothing for one there is not."""
    return _EXPLAINED.get(name, "")


def _bps(result: RunResult, part: str) -> list[float]:
    """IP throughput of each flow: in profile, out of profile, or both."""
    found = []
    for flow in measured_flows():
        received = result.flows[flow].received_ip_bytes
        if received is None:
            raise KeyError(f"{flow}: the engine does not tell what arrived by colour")
        excess = received["yellow"] + received["red"]
        byte_count = {"committed": received["green"], "excess": excess, "total": received["green"] + excess}[part]
        found.append(byte_count * 8 / result.duration_s)
    return found
