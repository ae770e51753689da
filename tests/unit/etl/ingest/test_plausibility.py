"""No sample of a port that was full is called too fast, and what exceeds the port by far is."""

import math
from random import Random

import numpy as np
import pytest

from hntes.etl.ingest.plausibility import (
    GRANULARITY_MS,
    has_oversized_packets,
    is_faster_than_port,
    may_be_faster,
    rates_bps,
)
from hntes.etl.ingest.ports import NO_RATES, PortRates
from hntes.etl.ingest.times import Int64

TEN_GBPS = 10_000_000_000


def column(*values: int) -> Int64:
    return np.array(values, dtype=np.int64)


def too_fast(byte_count: int, packets: int, duration_ms: int, factor: int, rate_bps: int = TEN_GBPS) -> bool:
    answer = is_faster_than_port(
        column(byte_count), column(packets), column(duration_ms), factor, column(rate_bps), GRANULARITY_MS
    )
    return bool(answer[0])


@pytest.mark.parametrize("seed", range(20))
def test_a_sample_of_a_full_port_is_never_too_fast(seed: int) -> None:
    """Each packet of a port that is full is drawn by chance; the record is what an exporter makes of those drawn."""
    chance = Random(seed)
    for _ in range(20):
        rate_bps = chance.choice((10**9, 10**10, 4 * 10**11))
        factor = chance.choice((10, 100, 1000, 10_000))
        packet_bytes = chance.choice((64, 576, 1500, 9000, 65_535))
        packet_s = packet_bytes * 8 / rate_bps
        moments_s = [0.0]
        for _ in range(chance.randint(1, 300)):
            # the number of packets from one that is drawn to the next: geometric
            skipped = math.ceil(math.log(1 - chance.random()) / math.log(1 - 1 / factor))
            moments_s.append(moments_s[-1] + max(skipped, 1) * packet_s)
        first, last = (int(1000 * moment) for moment in (moments_s[0], moments_s[-1]))
        packets = len(moments_s) * factor
        assert not too_fast(packets * packet_bytes, packets, last - first, factor, rate_bps)


@pytest.mark.parametrize(
    ("byte_count", "packets", "duration_ms", "factor", "expected"),
    [
        # 1.25 GB a second and a tenth of it more: (1 s + 0.1 s) x 1.375 GB, less the first packet
        (1_512_500_000, 1_000_000, 1000, 1, False),
        (1_513_000_000, 1_000_000, 1000, 1, True),
        # a carrier's record: 633 sampled packets without a duration
        (84_309_000, 633_000, 0, 1000, False),
        # one sampled packet tells nothing of its flow's time
        (1_073_741_824, 16_383, 0, 16_383, False),
        # ten of them within a tenth of a second: 10 GB, where 0.14 GB fit
        (10_737_418_240, 163_830, 0, 16_383, True),
        # true packets of an exporter that samples none, multiplied by a forged million: 100 in a second
        (150_000_000_000, 100_000_000, 1000, 1_000_000, True),
        # 1.2 GB in 60 s, sampled at 1:100
        (1_200_000_000, 800_000, 60_000, 100, False),
        # 80 GB in 60 s are 10.7 Gb/s, 7 % above the rate; 100 GB are a third too many
        (80_000_000_000, 53_333_000, 60_000, 1000, False),
        (100_000_000_000, 66_666_000, 60_000, 1000, True),
        (0, 0, 0, 1, False),
        (0, 0, 0, 100, False),
    ],
)
def test_by_hand(byte_count: int, packets: int, duration_ms: int, factor: int, expected: bool) -> None:
    assert too_fast(byte_count, packets, duration_ms, factor) == expected


def test_counters_at_their_limit_are_judged_without_a_warning() -> None:
    with np.errstate(all="raise"):
        assert too_fast(1 << 52, 1 << 52, (1 << 31) - 1, 1)
        assert too_fast(1 << 52, 1 << 52, 0, 1_000_000, 400 * 10**9)


@pytest.mark.parametrize("factor", [1, 100, 16_383])
def test_what_is_faster_than_its_port_is_among_what_may_be(factor: int) -> None:
    chance = np.random.default_rng(factor)
    packets = (10 ** chance.uniform(0, 15, 5000)).astype(np.int64) * factor % (1 << 50)
    byte_count = np.minimum(packets * 10 ** chance.uniform(-1, 5, 5000), 2.0**52).astype(np.int64)
    packets[::7] = 0
    duration = chance.integers(0, 10 ** chance.integers(1, 9, 5000))
    rates = chance.choice(np.array([0, 10**9, 10**10, 4 * 10**11]), 5000)
    faster = is_faster_than_port(byte_count, packets, duration, factor, rates, GRANULARITY_MS)
    assert 500 < faster.sum() < 4500
    assert not (faster & ~may_be_faster(byte_count, packets, duration, 10**9)).any()


def test_the_longest_records_of_the_fastest_ports_are_judged_by_their_true_product() -> None:
    longest_ms = (1 << 31) - 1
    assert not too_fast(10**15, 10**12, longest_ms, 1, rate_bps=400 * 10**9)
    assert not too_fast(10**15, 10**12, longest_ms, 1000, rate_bps=10**10)


def test_an_unknown_rate_judges_nothing() -> None:
    assert not too_fast(1 << 52, 1 << 40, 0, 1, rate_bps=0)


def test_the_slower_of_the_ports_that_a_record_passed_bounds_it() -> None:
    ports = PortRates({1: 10, 2: 40}, 100)
    inputs, outputs = column(1, 2, 3, 3, 2, 2, 3), column(2, 1, 3, 1, 1, 2, 2)
    assert rates_bps(ports, inputs, outputs, column(0, 0, 0, 0, 1, 1, 1)).tolist() == [10, 40, 100, 100, 10, 40, 40]
    assert rates_bps(NO_RATES, inputs, outputs, column(*[0] * 7)).tolist() == [0] * 7


def test_the_longest_packets_are_those_of_hosts_that_join_segments() -> None:
    byte_count, packets = column(65_575, 65_576, 131_151, 131_152, 10**10, 0), column(1, 1, 2, 2, 0, 0)
    assert has_oversized_packets(byte_count, packets).tolist() == [False, True, False, True, False, False]
