"""Closed forms of the sawtooth behind one full tail-drop queue, as oracles of the fluid engine.

N flows with equal round trips R that are all cut to a share beta when window and buffer are full, W each, and never
leave the link of c packets a second empty: the round-trip time is N w / c, so that w dw = a(t) c / N dt, a(t) segments
being added each round trip. Reno adds 1/b with b segments an acknowledgement; H-TCP (Leith and Shorten 2004) adds
2 (1 - beta) s f(t), f(t) = 1 + 10 (t - 1) + (t - 1)^2 / 4 from one second after the last loss on, and s = R / 100 ms
within 0.1 to 2 as in Linux.
"""

from typing import Any

import numpy as np
import pytest

from hntes.simulator import RunResult, load_experiment
from hntes.simulator.results import EngineName
from hntes.simulator.testbed.files import load_parameters
from tests.support.packet_medians import with_longer_links
from tests.support.scenarios import document_of, run

FRAMING_BYTES = 38
BETA = 0.5
ACK_EVERY = 2


def _sawtooth(
    congestion: str, flows: int, rate_bps: float, rtt_ms: float, duration_s: float, data_bytes: int
) -> dict[str, Any]:
    """Flows over one link with 100 ms of buffer; hosts are ten times as fast and acknowledge every second segment."""
    parameters = document_of(load_parameters())
    unlimited = 10**12
    names = [f"tcp{number}" for number in range(flows)]
    host = {**parameters["host"], "nic_queue_bytes": unlimited, "interrupt_gap_us": 0.0, "stalls_per_s": 0.0}
    windows = {"window_bytes": 4 * 10**9, "clamped_window_bytes": 4 * 10**9, "clamp_held_bytes": unlimited}
    ways = [{"from": name, "to": "router", "rate_bps": 10 * rate_bps, "delay_us": 1.0} for name in names]
    return {
        "name": f"sawtooth/{congestion}",
        "duration_s": duration_s,
        "interval_s": 0.1,
        "seed": 1,
        "hosts": [{**host, "name": name} for name in [*names, "sink"]],
        "routers": ["router"],
        "links": [*ways, {"from": "router", "to": "sink", "rate_bps": rate_bps, "delay_us": 500 * rtt_ms}],
        "ports": [
            {
                "at": "router",
                "to": "sink",
                "buffer_bytes": int(rate_bps / 80),
                "scheduler": {"kind": "priority_wfq"},
                "reopen_bytes": 0,
                "queues": [{"class": "all", "rate_share_pct": 100, "buffer_share_pct": 100, "priority": 0}],
                "classifier": [],
                "default_class": "all",
            }
        ],
        "tcp": {**parameters["tcp"], **windows, "segment_data_bytes": data_bytes, "merge_segments": 1},
        "flows": [
            {
                "name": name,
                "from": name,
                "to": "sink",
                "intervals_s": [[0, duration_s]],
                "traffic": {"kind": "tcp", "congestion": congestion},
            }
            for name in names
        ],
    }


def _measured(scenario: dict[str, Any]) -> tuple[float, float]:
    """Mean time between overflows in seconds and mean queueing delay in ms, over whole epochs after the first two."""
    result: RunResult = run(scenario, engine="fluid")
    assert result.imbalances == ()
    series, step_s = result.series, scenario["interval_s"]
    lost = sum(np.asarray(series[f"flow/{flow['name']}/dropped_pkts"]) for flow in scenario["flows"])
    times = np.flatnonzero(lost) * step_s
    starts = times[np.diff(times, prepend=-np.inf) > 2.0][2:]
    assert len(starts) >= 4, starts
    backlog = np.asarray(series["queue/router->sink/all/backlog_bytes"], dtype=float)
    whole = backlog[round(starts[0] / step_s) : round(starts[-1] / step_s)]
    return float(np.diff(starts).mean()), float(whole.mean() * 8e3 / scenario["links"][-1]["rate_bps"])


def _expected(added_by: Any, flows: int, pkts_per_s: float, rtt_s: float) -> tuple[float, float]:
    """The same by the closed form; `added_by(t)` is the integral of a up to t, per flow."""
    full = pkts_per_s * (rtt_s + 0.1) / flows
    age_s = np.linspace(0.0, 2000.0, 2_000_001)
    window = np.sqrt((BETA * full) ** 2 + 2 * pkts_per_s / flows * added_by(age_s))
    epoch = window <= full
    delay_s = flows * window[epoch] / pkts_per_s - rtt_s
    assert delay_s.min() >= 0, "the queue would empty, which the closed form leaves out"
    return float(age_s[epoch][-1]), float(delay_s.mean() * 1e3)


def _htcp_added(rtt_s: float) -> Any:
    scale = min(max(rtt_s / 0.1, 0.1), 2.0)

    def added(age_s: Any) -> Any:
        max_record_delay_s = np.maximum(age_s - 1.0, 0.0)
        return 2 * (1 - BETA) * scale * (age_s + 5 * max_record_delay_s**2 + max_record_delay_s**3 / 12)

    return added


def _assert_near(measured: tuple[float, float], expected: tuple[float, float], rtt_ms: float) -> None:
    """An epoch is never shorter than the closed form's, which leaves out notice and recovery, and Linux's counting.

    Those take up to three round trips through the full buffer. The counter is set back to nought at the acknowledgement
    that adds a segment, which loses half of one to two of the 75 or more between two segments: up to 2 %.
    """
    (got_s, got_ms), (epoch_s, delay_ms) = measured, expected
    assert epoch_s <= got_s <= 1.02 * epoch_s + 3 * (rtt_ms + 100) / 1e3
    assert got_ms == pytest.approx(delay_ms, abs=2.0)


def test_the_closed_form_gives_renos_known_mean() -> None:
    # Mean window of a sawtooth that grows as the square root of time: 2/3 (1 - 1/8) / (1 - 1/4) = 0.778 of its top.
    _, delay_ms = _expected(lambda age_s: age_s / ACK_EVERY, 1, 8000.0, 0.02)
    assert delay_ms == pytest.approx(0.7778 * 120 - 20, abs=0.1)


@pytest.mark.parametrize("rtt_ms", [10.0, 40.0])
def test_reno_sawtooth(rtt_ms: float) -> None:
    rate_bps, data_bytes = 1e8, 1448
    scenario = _sawtooth("reno", 1, rate_bps, rtt_ms, 800.0, data_bytes)
    pkts_per_s = rate_bps / 8 / (data_bytes + 52 + FRAMING_BYTES)
    epoch_s, delay_ms = _expected(lambda age_s: age_s / ACK_EVERY, 1, pkts_per_s, rtt_ms / 1e3)
    _assert_near(_measured(scenario), (epoch_s, delay_ms), rtt_ms)


@pytest.mark.parametrize(("flows", "rtt_ms"), [(1, 50.0), (2, 50.0), (2, 89.0)])
def test_htcp_sawtooth(flows: int, rtt_ms: float) -> None:
    # 10 Gb/s and frames of 9000 bytes: epochs of 19.9, 14.8 and 13.4 s, mean delays of 51, 51 and 38 ms.
    rate_bps, data_bytes = 1e10, 8948
    scenario = _sawtooth("htcp", flows, rate_bps, rtt_ms, 200.0, data_bytes)
    pkts_per_s = rate_bps / 8 / (data_bytes + 52 + FRAMING_BYTES)
    epoch_s, delay_ms = _expected(_htcp_added(rtt_ms / 1e3), flows, pkts_per_s, rtt_ms / 1e3)
    _assert_near(_measured(scenario), (epoch_s, delay_ms), rtt_ms)


@pytest.mark.parametrize("rtt_ms", [10.0, 100.0])
def test_data_arrives_after_a_handshake(rtt_ms: float) -> None:
    # The request there, the answer back, the first data there: one and a half round trips.
    scenario = {**_sawtooth("reno", 1, 1e9, rtt_ms, 1.0, 1448), "interval_s": 0.001}
    goodput = np.asarray(run(scenario, engine="fluid").series["flow/tcp0/goodput_bytes"])
    assert np.flatnonzero(goodput)[0] == pytest.approx(1.5 * rtt_ms, abs=2.0)


def test_the_first_segments_are_acknowledged_one_by_one() -> None:
    # Flights of 3, 6 and 12 segments; of the 12 the first 7 end the sixteen, the others are acknowledged two by two.
    scenario = {**_sawtooth("reno", 1, 1e8, 100.0, 0.6, 1448), "interval_s": 0.1}
    scenario["tcp"] = {**scenario["tcp"], "initial_window_pkts": 3, "quick_acks": 16}
    goodput = np.asarray(run(scenario, engine="fluid").series["flow/tcp0/goodput_bytes"]) / 1448
    assert goodput[1:5] == pytest.approx([3, 6, 12, 21.5], abs=0.6)


def _in_order_by_10_ms(delayed_ack_ms: float, engine: EngineName) -> Any:
    scenario = {**_sawtooth("reno", 1, 1e8, 100.0, 1.2, 1448), "interval_s": 0.01}
    timers = {"initial_window_pkts": 3, "quick_acks": 16, "delayed_ack_ms": delayed_ack_ms}
    scenario["tcp"] = {**scenario["tcp"], **timers}
    return np.asarray(run(scenario, engine=engine).series["flow/tcp0/goodput_bytes"]) / 1448


def test_a_segment_that_waits_for_the_timer_starts_a_flight_of_its_own() -> None:
    """Of the flight of 12 segments (above) 7 are acknowledged one by one and 4 two by two: 9 acknowledgements.

    They let 11 + 9 segments out. The acknowledgement of the last waits 40 ms and lets 2 more out, so much later. Later
    on the fluid engine knows only how often a flight is odd.
    """
    fluid = _in_order_by_10_ms(40.0, "fluid")
    assert fluid[[35, 45, 49]] == pytest.approx([12, 20, 2], abs=0.6)
    late = slice(49, 110, 10)
    assert fluid[late].sum() == pytest.approx(_in_order_by_10_ms(40.0, "packet")[late].sum(), rel=0.1)
    # With a round trip shorter than the timer the next flight's acknowledgements come first; without one none waits.
    for delayed_ack_ms in (200.0, 0.0):
        assert _in_order_by_10_ms(delayed_ack_ms, "fluid")[49:90:10].sum() == 0


def test_a_flight_that_joins_a_busy_queue_is_drawn_apart() -> None:
    """Experiment 5, different round trips: the flow that joins grows by g each round trip.

    The other flow fills the link, so that a flight of n segments of t each that comes within D leaves within D + n t;
    after many round trips that is n t g / (g - 1). The receiver looks once a gap G, so that the flight makes
    n t g / (g - 1) / G acknowledgements and one more, and each of these lets out one segment more: (g - 1)^2 = g t / G.
    """
    case = load_experiment(5).case("2-queues", "different-rtt")
    scenario = with_longer_links(document_of(case.scenario(1, load_parameters())))
    start_s, rtt_s = 51.0, 0.0525
    scenario |= {"duration_s": 52.0, "interval_s": 0.001}
    for flow in scenario["flows"]:
        flow["intervals_s"] = [[flow["intervals_s"][0][0], 52.0]]
    cwnd = np.asarray(run(scenario, engine="fluid").series["flow/TCP2/cwnd_pkts"], dtype=float)
    share = 1538 * 8 / 10e9 / (scenario["hosts"][0]["interrupt_gap_us"] * 1e-6)
    growth = 1 + (share + np.sqrt(share**2 + 4 * share)) / 2
    assert growth == pytest.approx(1.248, abs=0.001)
    # The one acknowledgement more adds 1 / (g - 1) to what grows by g.
    flights = cwnd[[round((start_s + rounds * rtt_s) * 1e3) for rounds in (10, 18)]] + 1 / (growth - 1)
    assert (flights[1] / flights[0]) ** (1 / 8) == pytest.approx(growth, rel=0.02)
