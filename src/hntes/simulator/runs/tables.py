"""A run as tables: a row per flow, queue or ping reply; `RunResult.intervals` has one per interval."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from types import NoneType
from typing import TYPE_CHECKING

from hntes.simulator.measures import dropped_pkts, total_goodput_bps
from hntes.simulator.results import RunResult

if TYPE_CHECKING:
    import pyarrow as pa


# Most values of a run; asking what else they are takes longer than all the rest.
_UNCHANGEABLE = frozenset({bool, int, float, str, NoneType})


def totals(result: RunResult) -> dict[str, object]:
    """All of a run but its series, as JSON has it."""
    return {name: _plain(value) for name, value in vars(result).items() if name != "series"}


def _plain(value: object) -> object:
    """Without copies of what cannot be changed, which for a thousand flows take as long as the flows."""
    if type(value) in _UNCHANGEABLE:
        return value
    if is_dataclass(value):
        return {name: _plain(one) for name, one in vars(value).items()}
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def flow_rows(result: RunResult) -> list[dict[str, object]]:
    """One row per flow: its totals, with what only TCP, UDP or ping has in columns of their own."""
    return [
        {
            "flow": flow.name,
            "goodput_bytes": flow.goodput_bytes,
            "goodput_bps": total_goodput_bps(result, [name]),
            "sent_pkts": flow.sent_pkts,
            "delivered_pkts": flow.delivered_pkts,
            "inside_pkts": flow.inside_pkts,
            "dropped_pkts": dropped_pkts([flow]),
            "retransmitted_pkts": (flow.tcp or {}).get("retransmitted_pkts"),
            "out_of_sequence_pkts": (flow.tcp or {}).get("out_of_sequence_pkts"),
            "sent_datagrams": (flow.udp or {}).get("sent_datagrams"),
            "received_datagrams": (flow.udp or {}).get("received_datagrams"),
            "ping_replies": flow.ping.received if flow.ping else None,
            "ping_mean_ms": flow.ping.mean_ms if flow.ping else None,
            "ping_sd_ms": flow.ping.sd_ms if flow.ping else None,
            "ping_max_ms": flow.ping.max_ms if flow.ping else None,
            "one_way_mean_ms": flow.one_way_delays.mean_ms if flow.one_way_delays else None,
            "one_way_p95_ms": flow.one_way_delays.p95_ms if flow.one_way_delays else None,
            "one_way_max_ms": flow.one_way_delays.max_ms if flow.one_way_delays else None,
        }
        for name, flow in result.flows.items()
    ]


def queue_rows(result: RunResult) -> list[dict[str, object]]:
    """One row per queue: what came in, what was dropped by cause, what was left, delays where a bound is given."""
    return [
        {
            "queue": queue.name,
            "enqueued_pkts": queue.enqueued_pkts,
            "backlog_bytes": queue.backlog_bytes,
            "delay_late_pkts": (queue.delays or {}).get("late_pkts"),
            "delay_mean_ms": (queue.delays or {}).get("mean_ms"),
            "delay_max_ms": (queue.delays or {}).get("max_ms"),
            **{f"dropped_{cause}_pkts": count for cause, count in queue.dropped_pkts.items()},
        }
        for queue in result.queues.values()
    ]


def window_rows(result: RunResult) -> list[dict[str, object]]:
    """One row per window and flow (goodput in bit/s) or queue (bytes waiting)."""
    return [
        {"window": window.name, "from_s": window.from_s, "to_s": window.to_s, "of": name, "measure": measure,
         "min": spread.min, "median": spread.median, "max": spread.max}
        for window in result.windows
        for measure, spreads in (("goodput_bps", window.goodput_bps), ("backlog_bytes", window.backlog_bytes))
        for name, spread in spreads.items()
    ]  # fmt: skip


def ping_table(result: RunResult) -> "pa.Table":
    """One row per reply of any ping: flow, when the request was sent, the round-trip time."""
    import pyarrow as pa  # late: commands that only print totals need no tables

    tables = [
        result.pings(name).add_column(0, "flow", pa.array([name] * result.pings(name).num_rows, pa.string()))
        for name in result.flows
        if result.is_recorded(name, "rtt_ms")
    ]
    schema = pa.schema([("flow", pa.string()), ("sent_at_s", pa.float64()), ("rtt_ms", pa.float64())])
    return pa.concat_tables(tables) if tables else schema.empty_table()
