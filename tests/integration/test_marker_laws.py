"""A plan's marker in the packet engine: what arrives by colour is what RFC 2697 and RFC 2698 say of a constant stream.

The RFCs' token counts are kept here in bytes and seconds, apart from the engine's.
"""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from hntes.simulator import MarkerPlan, PortPlan, QueuePlan, RunResult, load_experiment
from hntes.simulator.measures import green_drops_pkts, mean_excess_bps, mean_green_bps
from hntes.simulator.testbed.marker_plan import COLOURS, Colour
from tests.support.scenarios import document_of
from tests.support.scenarios import run as simulate

QUEUES = (QueuePlan("alpha", 60, 60), QueuePlan("beta", 40, 40))
CIR, PIR, CBS, EBS = 100e6, 250e6, 31_000, 62_000
ONE_RATE, TWO_RATES = (MarkerPlan(CIR, CBS, EBS, per_flow=True, peak_rate_bps=peak) for peak in (None, PIR))
PAYLOAD_BYTES, IP_BYTES = 1_000, 1_028
ON_S, RUN_S = 1.9, 2.0


def streams(marker: MarkerPlan, ip_bps: Sequence[float]) -> RunResult:
    """Even streams of datagrams in the alpha class, from a host of their own each, behind a marker."""
    plan = PortPlan(QUEUES, "alpha", "beta", marker=marker)
    scenario = document_of(load_experiment(2).case("2-queues").scenario(seed=1, plan=plan))
    names = [f"stream{number}" for number in range(len(ip_bps))]
    (port,) = scenario["ports"]
    port["classifier"] = [{"class": "alpha", "flow": name} for name in names]
    scenario["duration_s"] = RUN_S
    scenario["flows"] = [
        {
            "name": name, "from": host, "to": "W1", "intervals_s": [[0, ON_S]],
            "traffic": {
                "kind": "udp", "rate_bps": rate_bps * PAYLOAD_BYTES / IP_BYTES, "datagram_bytes": PAYLOAD_BYTES,
                "jitter": 0,
            },
        }
        for name, rate_bps, host in zip(names, ip_bps, ("E2", "E1"), strict=False)
    ]  # fmt: skip
    result = simulate(scenario)
    assert result.imbalances == ()
    return result


def arrived(result: RunResult, flow: str = "stream0") -> dict[Colour, int]:
    return {colour: int(result.of_flow(flow, f"received_{colour}_ip_bytes").sum()) for colour in COLOURS}


def colours_of(marker: MarkerPlan, ip_bps: float) -> Iterator[Colour]:
    """Packet by packet as RFC 2697 (3) and RFC 2698 (3) write it, colour-blind, tokens in bytes."""
    gap_s = IP_BYTES * 8 / ip_bps
    committed, excess = float(marker.committed_burst_bytes), float(marker.excess_burst_bytes)
    for _ in range(round(ON_S / gap_s)):
        if marker.peak_rate_bps is None:
            if committed >= IP_BYTES:
                committed -= IP_BYTES
                yield "green"
            elif excess >= IP_BYTES:
                excess -= IP_BYTES
                yield "yellow"
            else:
                yield "red"
            come = marker.committed_rate_bps / 8 * gap_s
            over = max(0.0, committed + come - marker.committed_burst_bytes)
            committed, excess = committed + come - over, min(excess + over, marker.excess_burst_bytes)
        else:
            if excess < IP_BYTES:
                yield "red"
            elif committed < IP_BYTES:
                excess -= IP_BYTES
                yield "yellow"
            else:
                committed, excess = committed - IP_BYTES, excess - IP_BYTES
                yield "green"
            committed = min(committed + marker.committed_rate_bps / 8 * gap_s, marker.committed_burst_bytes)
            excess = min(excess + marker.peak_rate_bps / 8 * gap_s, marker.excess_burst_bytes)


@pytest.mark.parametrize("ip_bps", [90e6, 200e6, 400e6])
@pytest.mark.parametrize("marker", [ONE_RATE, TWO_RATES], ids=["rfc2697", "rfc2698"])
def test_a_constant_stream_has_the_colours_of_the_rfcs(marker: MarkerPlan, ip_bps: float) -> None:
    expected = dict.fromkeys(COLOURS, 0)
    for colour in colours_of(marker, ip_bps):
        expected[colour] += IP_BYTES
    found = arrived(streams(marker, [ip_bps]))
    # tokens counted in floating point, and the first and last packet's place in the interval: two packets
    assert found == {colour: pytest.approx(expected[colour], abs=2 * IP_BYTES) for colour in COLOURS}


@pytest.mark.parametrize(
    ("marker", "shares"),
    [
        # in the long run: CIR is green; without a second rate the rest is red, else what is below PIR is yellow
        (ONE_RATE, {"green": CIR / 400e6, "yellow": 0.0, "red": 1 - CIR / 400e6}),
        (TWO_RATES, {"green": CIR / 400e6, "yellow": (PIR - CIR) / 400e6, "red": 1 - PIR / 400e6}),
    ],
    ids=["rfc2697", "rfc2698"],
)
def test_shares_of_colours_are_rates_over_the_rate(marker: MarkerPlan, shares: Mapping[Colour, float]) -> None:
    found = arrived(streams(marker, [400e6]))
    sent = 400e6 / 8 * ON_S
    # both buckets come on top, once
    bursts = (CBS + EBS + 2 * IP_BYTES) / sent
    assert {colour: byte_count / sent for colour, byte_count in found.items()} == {
        colour: pytest.approx(share, abs=bursts) for colour, share in shares.items()
    }


def test_each_pair_has_its_own_tokens_or_all_have_the_same() -> None:
    own = streams(TWO_RATES, [200e6, 400e6])
    span = (0.0, 1.0)
    for flow in ("stream0", "stream1"):
        assert mean_green_bps(own, flow, span) == pytest.approx(CIR + CBS * 8, rel=0.01)
    assert mean_excess_bps(own, "stream0", span) == pytest.approx(200e6 - CIR, rel=0.01)
    together = streams(MarkerPlan(CIR, CBS, EBS, per_flow=False, peak_rate_bps=PIR), [200e6, 400e6])
    green = [mean_green_bps(together, flow, span) for flow in ("stream0", "stream1")]
    assert sum(green) == pytest.approx(CIR + CBS * 8, rel=0.01)
    assert min(green) > 0


def test_what_a_marker_drops_does_not_arrive_and_is_no_green_packet() -> None:
    result = streams(MarkerPlan(CIR, CBS, EBS, per_flow=True, peak_rate_bps=PIR, yellow="drop", red="drop"), [400e6])
    found = arrived(result)
    assert (found["yellow"], found["red"]) == (0, 0)
    assert found["green"] == pytest.approx(CIR / 8 * ON_S + CBS, abs=2 * IP_BYTES)
    assert not green_drops_pkts(result).any()
    dropped_pkts = sum(series.sum() for series in result.of_queues("dropped_policer_pkts").values())
    assert dropped_pkts == (result.flows["stream0"].sent_pkts * IP_BYTES - found["green"]) / IP_BYTES
