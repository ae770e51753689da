"""A run as tables: a row a flow, a queue, a ping reply; `RunResult.intervals` has one an interval."""

import pyarrow as pa

from simulator.results import RunResult


def flow_rows(result: RunResult) -> list[dict[str, object]]:
    """One row a flow: its totals, with what only TCP, UDP or ping has in columns of their own."""
    return [
        {
            "flow": flow.name,
            "goodput_bytes": flow.goodput_bytes,
            "goodput_bps": flow.goodput_bytes * 8 / result.duration_s,
            "sent_pkts": flow.sent_pkts,
            "delivered_pkts": flow.delivered_pkts,
            "inside_pkts": flow.inside_pkts,
            "dropped_pkts": sum(flow.dropped_pkts.values()),
            "retransmitted_pkts": (flow.tcp or {}).get("retransmitted_pkts"),
            "out_of_sequence_pkts": (flow.tcp or {}).get("out_of_sequence_pkts"),
            "sent_datagrams": (flow.udp or {}).get("sent_datagrams"),
            "received_datagrams": (flow.udp or {}).get("received_datagrams"),
            "ping_replies": flow.ping.received if flow.ping else None,
            "ping_mean_ms": flow.ping.mean_ms if flow.ping else None,
            "ping_sd_ms": flow.ping.sd_ms if flow.ping else None,
            "ping_max_ms": flow.ping.max_ms if flow.ping else None,
        }
        for flow in result.flows.values()
    ]


def queue_rows(result: RunResult) -> list[dict[str, object]]:
    """One row a queue: what came in, what was dropped by cause, what was left."""
    return [
        {
            "queue": queue.name,
            "enqueued_pkts": queue.enqueued_pkts,
            "backlog_bytes": queue.backlog_bytes,
            **{f"dropped_{cause}_pkts": count for cause, count in queue.dropped_pkts.items()},
        }
        for queue in result.queues.values()
    ]


def ping_table(result: RunResult) -> pa.Table:
    """One row a reply of any ping: flow, when the request was sent, the round-trip time."""
    tables = [
        result.pings(name).add_column(0, "flow", pa.array([name] * result.pings(name).num_rows, pa.string()))
        for name in result.flows
        if f"flow/{name}/rtt_ms" in result.series
    ]
    schema = pa.schema([("flow", pa.string()), ("sent_at_s", pa.float64()), ("rtt_ms", pa.float64())])
    return pa.concat_tables(tables) if tables else schema.empty_table()
