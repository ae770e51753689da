"""Measures of a run, on numbers that can be counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from hntes.simulator.measures import (
    deliberate_drops_pkts,
    goodput_bps,
    green_drops_pkts,
    in_span,
    jain_index,
    lost_share,
    mean_excess_bps,
    mean_goodput_bps,
    mean_green_bps,
    round_trips_ms,
    total_goodput_bps,
    udp_loss_pct,
)
from hntes.simulator.results import FlowTotals, RunResult
from tests.support.runs import made_up_run

COUNTS = np.arange(4, dtype=np.uint64)


def _run() -> RunResult:
    """Four intervals of half a second: in the n-th, TCP1 and UDP deliver n bytes, UDP sends 2n and loses n packets."""
    series = {
        "flow/TCP1/goodput_bytes": COUNTS,
        "flow/UDP/goodput_bytes": COUNTS,
        "flow/UDP/sent_bytes": 2 * COUNTS,
        "flow/UDP/dropped_pkts": COUNTS,
        "flow/ping/sent_at_s": np.array([0.0, 1.0, 1.5]),
        "flow/ping/rtt_ms": np.array([2.0, 3.0, 4.0]),
        "queue/A->B/alpha/dropped_early_pkts": COUNTS,
        "queue/A->B/alpha/dropped_policer_pkts": COUNTS,
        "queue/A->B/beta/dropped_early_pkts": COUNTS,
        "queue/A->B/beta/dropped_full_pkts": COUNTS,
    }
    return replace(made_up_run(), interval_s=0.5, series=series)


def test_goodput_is_bits_per_second_whatever_the_interval() -> None:
    assert goodput_bps(_run(), "TCP1").tolist() == [0, 16, 32, 48]


@pytest.mark.parametrize(
    ("span", "chosen"),
    [((0.0, 2.0), [0, 1, 2, 3]), ((0.5, 1.5), [1, 2]), ((0.4, 1.6), [1, 2]), ((0.6, 1.4), []), ((1.5, 9.0), [3])],
)
def test_a_span_takes_the_intervals_that_lie_in_it_as_a_whole(span: tuple[float, float], chosen: list[int]) -> None:
    assert in_span(_run(), COUNTS.astype(np.float64), span).tolist() == chosen


def test_mean_goodput_of_a_span_without_a_whole_interval_is_nothing() -> None:
    assert mean_goodput_bps(_run(), "TCP1", (0.5, 1.5)) == 24
    assert mean_goodput_bps(_run(), "TCP1", (0.6, 0.9)) == 0


def test_total_goodput_is_over_the_whole_run() -> None:
    run = made_up_run(mbps=800.0)
    assert total_goodput_bps(run, ["TCP1"]) == 800e6
    assert total_goodput_bps(run, ["TCP1", "ping"]) == 800e6


def test_a_ping_counts_when_its_request_was_sent() -> None:
    assert round_trips_ms(_run(), "ping").tolist() == [2.0, 3.0, 4.0]
    assert round_trips_ms(_run(), "ping", (1.0, 1.5)).tolist() == [3.0]


def test_udp_loss_is_a_share_of_the_payload_sent() -> None:
    assert udp_loss_pct(_run(), "UDP", [(0.5, 1.0), (1.5, 2.0)]) == 50


def test_without_a_dropped_packet_nothing_is_lost_even_if_datagrams_are_under_way() -> None:
    # the first interval dropped nothing; with its one byte still under way it would look like a loss of everything
    run = replace(_run(), series={**_run().series, "flow/UDP/sent_bytes": COUNTS + np.uint64(1)})
    assert udp_loss_pct(run, "UDP", [(0.0, 0.5)]) == 0
    assert udp_loss_pct(run, "UDP", [(0.0, 1.0)]) > 0


def test_deliberate_drops_are_early_ones_and_those_of_policers_in_all_queues() -> None:
    assert deliberate_drops_pkts(_run()).tolist() == [0, 3, 6, 9]
    assert deliberate_drops_pkts(replace(_run(), series={})).tolist() == []


def test_lost_share_is_by_packets_of_all_flows() -> None:
    lossy = FlowTotals("a", 0, 8, 5, 0, {"full": 2, "early": 1})
    assert lost_share([lossy, FlowTotals("b", 0, 2, 2, 0, {"full": 0})]) == pytest.approx(0.3)
    assert lost_share([]) == 0


@pytest.mark.parametrize(
    ("rates", "index"), [([7, 7, 7], 1.0), ([1, 0], 0.5), ([1, 0, 0, 0], 0.25), ([2, 1], 0.9), ([0, 0], 0.0)]
)
def test_jain_index(rates: list[float], index: float) -> None:
    assert jain_index(rates) == pytest.approx(index)


def test_a_measure_that_was_not_recorded_is_named() -> None:
    assert not _run().is_recorded("UDP", "retransmitted_pkts")
    with pytest.raises(KeyError, match="flow/UDP/retransmitted_pkts"):
        _run().of_flow("UDP", "retransmitted_pkts")


def test_rates_and_drops_by_colour() -> None:
    plain = _run()
    by_colour = {
        "flow/TCP1/received_green_ip_bytes": 3 * COUNTS,
        "flow/TCP1/received_yellow_ip_bytes": COUNTS,
        "flow/TCP1/received_red_ip_bytes": COUNTS,
        "queue/A->B/alpha/dropped_green_early_pkts": COUNTS,
        "queue/A->B/alpha/dropped_green_policer_pkts": 10 * COUNTS,
    }
    told = replace(plain, series={**plain.series, **by_colour})
    # bytes of half a second: 16 times as many bits per second, of which the second and third interval bring 1 and 2
    assert mean_green_bps(told, "TCP1", (0.5, 1.5)) == 3 * 1.5 * 16
    assert mean_excess_bps(told, "TCP1", (0.5, 1.5)) == 2 * 1.5 * 16
    assert green_drops_pkts(told).tolist() == [0, 11, 22, 33]
    # all drops on purpose are counted as before
    assert deliberate_drops_pkts(told).tolist() == deliberate_drops_pkts(plain).tolist()
    with pytest.raises(KeyError):
        mean_green_bps(plain, "TCP1", (0.5, 1.5))
    with pytest.raises(KeyError, match="were not recorded"):
        green_drops_pkts(plain)
