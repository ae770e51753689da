"""What the gate keeps of a run: enough for its criteria and figures, small enough to be stored."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from base.errors import HntesError
from gate.verdict import Engine
from simulator import RunResult

FORMAT = 1


class TraceError(HntesError):
    """A stored trace that cannot be read."""


@dataclass(frozen=True)
class FlowTrace:
    """One flow; one value an interval. `dropped_pkts` counts both directions, `sent_bytes` is UDP payload.

    `out_of_sequence_pkts`: arrivals at a TCP receiver above a gap.
    """

    goodput_bytes: tuple[int, ...]
    dropped_pkts: tuple[int, ...]
    sent_bytes: tuple[int, ...] = ()
    out_of_sequence_pkts: tuple[int, ...] = ()
    sent_datagrams: int = 0
    received_datagrams: int = 0


@dataclass(frozen=True)
class Trace:
    """One run. `deliberate_pkts`: dropped by policers and early drops, an interval each, all queues together.

    `ping_sent_at_s` and `ping_rtt_ms`: one value a reply. Flows are in order of name.
    """

    engine: Engine
    seed: int
    duration_s: float
    interval_s: float
    flows: tuple[tuple[str, FlowTrace], ...]
    deliberate_pkts: tuple[int, ...]
    ping_sent_at_s: tuple[float, ...]
    ping_rtt_ms: tuple[float, ...]

    def flow(self, name: str) -> FlowTrace:
        """A flow by name; raises KeyError for one there is not."""
        return dict(self.flows)[name]

    @property
    def interval_count(self) -> int:
        return round(self.duration_s / self.interval_s)


def trace_of(result: RunResult, engine: Engine) -> Trace:
    """What is kept of a run."""
    series = result.series
    deliberate: np.ndarray[tuple[int], np.dtype[np.uint64]] = np.zeros(0, dtype=np.uint64)
    for name, values in series.items():
        if name.endswith(("/dropped_early_pkts", "/dropped_policer_pkts")):
            counts = np.asarray(values, dtype=np.uint64)
            deliberate = counts if not len(deliberate) else deliberate + counts
    pings = [name for name, flow in result.flows.items() if flow.ping is not None]
    ping = f"flow/{pings[0]}" if pings else ""
    return Trace(
        engine=engine,
        seed=result.seed,
        duration_s=result.duration_s,
        interval_s=result.interval_s,
        flows=tuple((name, _flow(result, name)) for name in sorted(result.flows)),
        deliberate_pkts=_counts(deliberate),
        ping_sent_at_s=tuple(round(float(v), 6) for v in series[f"{ping}/sent_at_s"]) if ping else (),
        ping_rtt_ms=tuple(round(float(v), 6) for v in series[f"{ping}/rtt_ms"]) if ping else (),
    )


def to_json(trace: Trace) -> str:
    """One line of JSON."""
    return json.dumps({"format": FORMAT, **asdict(trace)}, sort_keys=True, separators=(",", ":"))


def from_json(text: str) -> Trace:
    """The trace that `to_json` wrote.

    Raises:
        TraceError: it is none, or one of another format.
    """
    try:
        content: dict[str, Any] = json.loads(text)
        if content.pop("format") != FORMAT:
            raise TraceError(f"not of format {FORMAT}")
        content["flows"] = tuple((name, _read_flow(values)) for name, values in content["flows"])
        for name in ("deliberate_pkts", "ping_sent_at_s", "ping_rtt_ms"):
            content[name] = tuple(content[name])
        return Trace(**content)
    except (ValueError, TypeError, KeyError, AttributeError) as cause:
        raise TraceError(f"no trace of a run: {cause}") from cause


def _read_flow(values: Mapping[str, Any]) -> FlowTrace:
    read: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    return FlowTrace(**read)


def _flow(result: RunResult, name: str) -> FlowTrace:
    totals = result.flows[name]

    def series(measure: str) -> tuple[int, ...]:
        return _counts(result.series.get(f"flow/{name}/{measure}", ()))

    udp = totals.udp or {}
    return FlowTrace(
        goodput_bytes=series("goodput_bytes"),
        dropped_pkts=series("dropped_pkts"),
        sent_bytes=series("sent_bytes"),
        out_of_sequence_pkts=series("out_of_sequence_pkts"),
        sent_datagrams=int(udp.get("sent_datagrams", 0)),
        received_datagrams=int(udp.get("received_datagrams", 0)),
    )


def _counts(values: object) -> tuple[int, ...]:
    return tuple(int(value) for value in np.asarray(values))
