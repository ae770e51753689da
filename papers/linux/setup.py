"""The numbers of `setup.toml`: what ran in the kernel, case by case."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from hntes.simulator.scenario import Congestion, from_document

_PACING: tuple[Congestion, ...] = ("bbr", "bbr3")


@dataclass(frozen=True)
class Card:
    """Of senders that have one."""

    rate_bps: float
    queue_bytes: int


@dataclass(frozen=True)
class Scavenger:
    """A policer, and the buffer of the queue that takes what is above it."""

    policed_bps: float
    burst_bytes: int
    low_buffer_bytes: int


@dataclass(frozen=True)
class TcpSender:
    """A TCP flow: its host, congestion control and start."""

    from_: str
    congestion: Congestion
    start_s: float


@dataclass(frozen=True)
class Assumed:
    """A link so fast that it takes no time, its queue, and how much later than exactly in time what comes back is."""

    endless_bps: float
    endless_queue_bytes: int
    later_us: float


@dataclass(frozen=True)
class Setup:
    """One configuration. `delay_ms` is by sender, round trip."""

    queues: Literal["alone", "two", "shared", "classes", "scavenger", "further", "bbr", "streams", "bbr3"]
    rate_bps: float
    buffer_bytes: int
    bucket_pkts: int
    framing_bytes: int
    header_bytes: int
    mtu_bytes: int
    window_bytes: int
    ping_interval_s: float
    step_s: float
    udp_datagram_bytes: int
    udp_wakeup_slack_us: float
    ping_wakeup_slack_us: float
    delay_ms: Mapping[str, float]
    card: Card
    scavenger: Scavenger
    duration_s: float
    assumed: Assumed
    flows: tuple[TcpSender, ...]
    udp_gbps: float = 0
    has_card: bool = False


@cache
def setup(experiment: str, configuration: str, seed: int = 1) -> Setup:
    """What one configuration says, over what all have in common; without flows it has one of s1.

    Where a sender paces, flows after the first start a little later or earlier with each seed, as in the kernel's runs.
    """
    common = dict(_document())
    case = dict(common.pop("cases")[experiment][configuration])
    where_paced = common.pop("where_paced")
    if "streams" in case:
        streams = case.pop("streams")
        if streams["congestion"] in _PACING:
            streams["apart_s"] = _of_seed(where_paced["apart_s"], seed)
        case["flows"] = _streams(**streams)
    elif "flows" not in case:
        case["flows"] = [{"from": "s1", "congestion": case.pop("congestion"), "start_s": 0}]
    else:
        later_s = _of_seed(where_paced["joins_later_s"], seed)
        case["flows"] = [_joining(flow, later_s) for flow in case["flows"]]
    delay_ms = common["delay_ms"] | case.get("delay_ms", {})
    assumed_where_paced = common.pop("assumed_where_paced")
    if any(flow["congestion"] in _PACING for flow in case["flows"]):
        common["assumed"] = common["assumed"] | assumed_where_paced
    return from_document(Setup, {"queues": experiment, **common, **case, "delay_ms": delay_ms})


def _of_seed(values: Sequence[float], seed: int) -> float:
    return values[(seed - 1) % len(values)]


def _joining(flow: dict[str, Any], later_s: float) -> dict[str, Any]:
    """A flow that paces and joins others, later than its configuration says."""
    if flow["congestion"] not in _PACING or flow["start_s"] == 0:
        return flow
    return flow | {"start_s": round(flow["start_s"] + later_s, 6)}


def _streams(congestion: Congestion, count: int, apart_s: float) -> list[dict[str, Any]]:
    """Parallel streams of one transfer: all of one host, each started a little after the one before."""
    return [{"from": "s1", "congestion": congestion, "start_s": round(number * apart_s, 6)} for number in range(count)]


def configurations(experiment: str) -> tuple[str, ...]:
    """Those of an experiment, in the file's order."""
    return tuple(_document()["cases"][experiment])


@cache
def _document() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "setup.toml").read_text(encoding="utf-8"))
