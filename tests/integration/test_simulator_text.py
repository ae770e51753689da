"""Scenario text beyond the network: groups of flows, web sessions, one-way delays, windows of time."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from hntes.simulator import NotApplicableError, Scenario, run
from hntes.simulator.runs.files import read_run, write_run
from hntes.simulator.runs.tables import flow_rows, totals, window_rows
from tests.support.scenarios import completed_of

WEB = {"kind": "web", "objects_per_page": 4, "mean_object_bytes": 5000, "mean_think_s": 0.2}


def _scenario() -> Scenario:
    """30 web sessions and a probe through 20 Mb/s; `office` is 1 ms away from the router."""
    sessions = {
        "name": "clients", "count": 30, "from": "camera", "to": "office",
        "start_s": {"kind": "uniform", "least": 0, "most": 1},
        "access_delay_us": {"kind": "uniform", "least": 10_000, "most": 20_000},
        "traffic": {"kind": "tcp", "congestion": "reno", "data": WEB},
    }  # fmt: skip
    probe = {"name": "probe", "from": "camera", "to": "office", "one_way_delays": True,
             "traffic": {"kind": "udp", "rate_bps": 1e5, "datagram_bytes": 100}}  # fmt: skip
    return completed_of(
        {
            "name": "text", "seed": 2, "duration_s": 10, "interval_s": 0.1,
            "hosts": [{"name": name, "interrupt_gap_us": 0, "stalls_per_s": 0} for name in ("camera", "office")],
            "routers": ["r"],
            "links": [{"from": "camera", "to": "r", "rate_bps": 1e9, "delay_us": 100},
                      {"from": "r", "to": "office", "rate_bps": 2e7, "delay_us": 1000}],
            "ports": [{"at": "r", "to": "office", "buffer_bytes": 200_000, "default_class": "rest",
                       "queues": [{"class": name, "rate_share_pct": 50, "buffer_share_pct": 50}
                                  for name in ("web", "rest")],
                       "classifier": [{"class": "web", "flow": "clients"}]}],
            "flows": [sessions, probe],
            "windows": [{"name": "late", "from_s": 5, "to_s": 10, "flows": ["clients", "probe"]}],
        }
    )  # fmt: skip


def test_a_group_of_sessions_runs_and_windows_are_those_of_the_series(tmp_path: Path) -> None:
    result = run(_scenario())
    assert result.imbalances == ()
    sessions = [f"clients-{number}" for number in range(30)]
    least_s = 2 * 2 * (0.010 + 0.001)  # two round trips of the nearest host
    for name in sessions:
        objects = result.flows[name].transfers
        assert len(objects) > 4
        assert all(one.completed_s - one.started_s > least_s for one in objects)
        # objects of a page follow one another; after the fourth somebody reads
        gaps = [later.started_s - one.completed_s for one, later in pairwise(objects)]
        assert all((gap > 1e-9) == (number % 4 == 0) for number, gap in enumerate(gaps, 1))
    assert {name for name in result.queues if name.endswith("/web")} == {"r->office/web"}
    assert result.queues["r->office/web"].enqueued_pkts > 0
    (window,) = result.windows
    for name in (*sessions, "probe"):
        bps = result.of_flow(name, "goodput_bytes")[50:100] * 8 / 0.1
        found = window.goodput_bps[name]
        assert (found.min, found.median, found.max) == pytest.approx((bps.min(), median(bps), bps.max()))
    backlog = result.of_queues("backlog_bytes")["r->office/web"][50:100]
    found = window.backlog_bytes["r->office/web"]
    assert (found.min, found.median, found.max) == (backlog.min(), np.median(backlog), backlog.max())
    assert len(window_rows(result)) == 31 + 2
    digest = write_run(tmp_path / "run.parquet", "key", result)
    kept = read_run(tmp_path / "run.parquet", "key")
    assert (kept.digest, totals(kept.result)) == (digest, totals(result))


def test_a_probe_tells_how_long_packets_of_its_class_take() -> None:
    result = run(_scenario())
    delays = result.flows["probe"].one_way_delays
    assert delays is not None
    assert delays.delivered == (result.flows["probe"].udp or {})["received_datagrams"]
    # propagation, and 166 bytes of link time on each link; a full packet of the other class may be under way
    idle_ms = 1.1 + 166 * 8e3 * (1 / 1e9 + 1 / 2e7)
    assert delays.min_ms == pytest.approx(idle_ms, rel=1e-6)
    assert delays.min_ms <= delays.median_ms <= delays.p95_ms <= delays.p99_ms <= delays.max_ms
    assert delays.max_ms < idle_ms + 200_000 * 8e3 / 2e7
    (row,) = [row for row in flow_rows(result) if row["flow"] == "probe"]
    assert (row["one_way_mean_ms"], row["one_way_max_ms"]) == (delays.mean_ms, delays.max_ms)


def test_the_fluid_engine_refuses_what_single_packets_decide() -> None:
    scenario = _scenario()
    fast = tuple(replace(link, rate_bps=1e9) for link in scenario.links)
    probe = replace(scenario, flows=scenario.flows[-1:], windows=(), ports=(), links=fast)
    with pytest.raises(NotApplicableError, match=r"flows\[0\].one_way_delays"):
        run(probe, engine="fluid")
