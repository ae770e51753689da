"""The paper's measures: throughput of aggregates, who has more of it, and how evenly the excess is shared."""

import re
from collections.abc import Callable, Mapping
from statistics import fmean

from hntes.papers.habib.cases import HabibCase
from hntes.papers.habib.setup import setup
from hntes.simulator.results import RunResult

_EXPLAINED = {
    "longer_over_shorter": "throughput of the flow with the longer round trip over that of the other",
    "larger_share_of_excess": "share of the excess over the committed rates that the better flow has; 0.5 is even",
    "shorts_over_longs": "mean throughput of the short flows F3 and F5 over that of the long ones F1 and F2",
    "longs_over_shorts": "mean throughput of the long flows F1 and F2 over that of the short ones F3 and F5",
    "f3_over_longs": "throughput of F3 over the mean of F1 and F2",
    "f3_over_others": "throughput of F3 over the mean of F1, F2 and F4",
    "others_over_f3": "mean throughput of F1, F2 and F4 over that of F3",
    "spread_of_others": "largest over smallest throughput of F1, F2 and F4",
    "packet_delay_ms": "time from a packet's writing to its acknowledgement, mean over all packets of sessions, in ms",
    "session_delay_s": "time from a session's start to the acknowledgement of its last packet, mean of all, in s",
    "object_response_s": "time from asking for a web object to its last acknowledgement, mean of all, in s",
    "page_response_s": "time from asking for the first of five web objects to the last one's end, mean of all, in s",
}
_FLOW = re.compile(r"f(\d)_mbps")


def measure(name: str, case: HabibCase, result: RunResult) -> float:
    """The value of a measure; raises KeyError for a name there is not."""
    if name in _OF_SESSIONS:
        return _OF_SESSIONS[name](result)
    mbps = throughputs_mbps(case, result)
    found = _FLOW.fullmatch(name)
    if found:
        return mbps[f"f{found[1]}"]
    if name == "longer_over_shorter":
        return _longer_over_shorter(case, mbps)
    if name == "larger_share_of_excess":
        return _larger_share_of_excess(case, mbps)
    return _MEASURES[name](mbps)


def explain(name: str) -> str:
    """A measure in words; nothing for one there is not."""
    found = _FLOW.fullmatch(name)
    return f"throughput of flow {found[1]}, IP bytes, in Mb/s" if found else _EXPLAINED.get(name, "")


def throughputs_mbps(case: HabibCase, result: RunResult) -> dict[str, float]:
    """IP bytes of each aggregate that arrived over the whole run, in Mb/s."""
    return {
        flow.name: sum(_received_bytes(result, name) for name in flow.microflows()) * 8e-6 / result.duration_s
        for flow in case.flows()
    }


def _received_bytes(result: RunResult, flow: str) -> int:
    received = result.flows[flow].received_ip_bytes
    if received is None:
        raise KeyError(f"{flow}: the engine does not tell what arrived by colour")
    return sum(received.values())


def _longer_over_shorter(case: HabibCase, mbps: Mapping[str, float]) -> float:
    one, other = sorted(case.flows(), key=lambda flow: flow.source_ms + flow.sink_ms)
    return mbps[other.name] / mbps[one.name]


def _larger_share_of_excess(case: HabibCase, mbps: Mapping[str, float]) -> float:
    """One flow has all of it if the other does not reach its committed rate."""
    excess = [max(value - case.committed_bps() / 1e6, 0.0) for value in mbps.values()]
    return max(excess) / sum(excess) if any(excess) else float("nan")


def _mean(mbps: Mapping[str, float], *names: str) -> float:
    return sum(mbps[name] for name in names) / len(names)


def _spread(values: list[float]) -> float:
    return max(values) / min(values)


_MEASURES: dict[str, Callable[[Mapping[str, float]], float]] = {
    "shorts_over_longs": lambda mbps: _mean(mbps, "f3", "f5") / _mean(mbps, "f1", "f2"),
    "longs_over_shorts": lambda mbps: _mean(mbps, "f1", "f2") / _mean(mbps, "f3", "f5"),
    "f3_over_longs": lambda mbps: mbps["f3"] / _mean(mbps, "f1", "f2"),
    "f3_over_others": lambda mbps: mbps["f3"] / _mean(mbps, "f1", "f2", "f4"),
    "others_over_f3": lambda mbps: _mean(mbps, "f1", "f2", "f4") / mbps["f3"],
    "spread_of_others": lambda mbps: _spread([mbps[name] for name in ("f1", "f2", "f4")]),
}


def _packet_delay_ms(result: RunResult) -> float:
    return 1e3 * fmean(one.completed_s - one.started_s for flow in result.flows.values() for one in flow.transfers)


def _session_delay_s(result: RunResult) -> float:
    """Pauses are part of a session; they are the same for all conditioners."""
    sessions = [flow.transfers for flow in result.flows.values() if flow.transfers]
    return fmean(packets[-1].completed_s - packets[0].started_s for packets in sessions)


def _object_response_s(result: RunResult) -> float:
    return fmean(one.completed_s - one.started_s for flow in result.flows.values() for one in flow.transfers)


def _page_response_s(result: RunResult) -> float:
    """Of whole pages: a session ends in the midst of one."""
    count = setup().web.objects
    return fmean(
        flow.transfers[first + count - 1].completed_s - flow.transfers[first].started_s
        for flow in result.flows.values()
        for first in range(0, len(flow.transfers) - count + 1, count)
    )


_OF_SESSIONS: dict[str, Callable[[RunResult], float]] = {
    "packet_delay_ms": _packet_delay_ms,
    "session_delay_s": _session_delay_s,
    "object_response_s": _object_response_s,
    "page_response_s": _page_response_s,
}
