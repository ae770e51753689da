"""Runs made up for tests: results and verdicts that no engine gave."""

from dataclasses import fields

import numpy as np

from hntes.simulator.results import FlowTotals, PingTotals, QueueTotals, RunResult

NO_DROPS = {"early": 0, "full": 0, "link": 0, "policer": 0}


def made_up_run(seed: int = 1, mbps: float = 800.0) -> RunResult:
    """Two seconds of one TCP flow at an even rate and a ping of 2 ms."""
    goodput = np.full(2, round(mbps * 1e6 / 8), "<u8")
    tcp = FlowTotals("TCP1", int(goodput.sum()), 10, 9, 1, NO_DROPS, tcp={"retransmitted_pkts": 3})
    ping = FlowTotals("ping", 0, 4, 4, 0, NO_DROPS, ping=PingTotals(2, 2, 2.0, 0.0, 2.0, 2.0, 2.0, 2.0))
    counted = {field.name: 9 for field in fields(QueueTotals)}
    return RunResult(
        engine="packet",
        scenario="made up",
        seed=seed,
        duration_s=2.0,
        interval_s=1.0,
        trace_hash="0123456789abcdef",
        events=42,
        imbalances=(),
        flows={"TCP1": tcp, "ping": ping},
        queues={"A->B": QueueTotals(**{**counted, "name": "A->B", "dropped_pkts": NO_DROPS, "delays": None})},
        series={
            "flow/TCP1/goodput_bytes": goodput,
            "flow/ping/sent_at_s": np.array([0.0, 1.0]),
            "flow/ping/rtt_ms": np.array([2.0, 2.0]),
        },
    )
