"""A host's delay emulator: what waits in it can leave no faster than its limit in each delay (Little's law)."""

from typing import Any

import pytest

from hntes.simulator import EngineName, Scenario, run
from tests.support.scenarios import completed_of

DELAY_MS, LIMIT = 10.0, 20
LINK_DELAY_MS = 1.0


def _scenario(emulator: dict[str, Any], traffic: dict[str, Any]) -> Scenario:
    hosts = [{"name": name, "interrupt_gap_us": 0, "stalls_per_s": 0} for name in ("far", "near")]
    return completed_of(
        {
            "name": "emulator", "seed": 1, "duration_s": 2, "routers": ["r"],
            "hosts": [{**hosts[0], "delay_emulator": emulator}, hosts[1]],
            "links": [{"from": name, "to": "r", "rate_bps": 1e9, "delay_us": 1e3 * LINK_DELAY_MS / 2}
                      for name in ("far", "near")],
            "flows": [{"name": "one", "from": "far", "to": "near", "traffic": traffic}],
        }
    )  # fmt: skip


@pytest.mark.parametrize("engine", ["packet", "fluid"])
def test_everything_waits_once_on_its_way_out(engine: EngineName) -> None:
    result = run(_scenario({"delay_us": 1e3 * DELAY_MS}, {"kind": "ping", "interval_s": 0.1}), engine=engine)
    ping = result.flows["one"].ping
    assert ping is not None
    assert ping.mean_ms == pytest.approx(DELAY_MS + 2 * LINK_DELAY_MS, abs=0.01)


def test_datagrams_pass_at_most_at_limit_over_delay() -> None:
    datagrams = {"kind": "udp", "rate_bps": 50e6, "datagram_bytes": 1000}
    result = run(_scenario({"delay_us": 1e3 * DELAY_MS, "limit_buffers": LIMIT}, datagrams))
    passed_per_s = result.flows["one"].delivered_pkts / result.duration_s
    assert passed_per_s == pytest.approx(LIMIT / (DELAY_MS * 1e-3), rel=0.02)


def test_a_sender_that_finds_it_full_loses_nothing() -> None:
    tcp = {"kind": "tcp", "congestion": "reno"}
    result = run(_scenario({"delay_us": 1e3 * DELAY_MS, "limit_buffers": LIMIT}, tcp))
    counts = result.flows["one"].tcp
    assert counts is not None
    assert counts["local_congestions"] > 0 == counts["retransmitted_pkts"]
