"""Implausible records: more bytes than their packets hold, or than the port carries in their time.

An exporter's datagrams have no signature, and a flipped bit in a counter looks like any other number. What a record
claims can still be compared with what is possible: the longest IP packet, and the rate of the port at which it was
metered. Forged values within these bounds are not detected.
"""

import numpy as np

from hntes.etl.ingest.ports import PortRates
from hntes.etl.ingest.times import Bool, Int64

# The longest IPv6 packet without a jumbo payload (RFC 8200, section 3): 40 and 65,535 bytes. Exporters on hosts see
# packets of nearly that length, since their network card joins segments.
LONGEST_PACKET_BYTES = 65_575
# The shortest IP packet is an IPv4 header (RFC 791, section 3.1).
SHORTEST_PACKET_BYTES = 20
# Exporters stamp flows by a clock that ticks in up to some tens of milliseconds, and take short flows together: a
# carrier's records hold 84 MB (633 sampled packets) with one and the same first and last time.
GRANULARITY_MS = 100
COARSE_GRANULARITY_MS = 1000
# Clocks of exporters run up to some per cent wrong, and rates are rounded.
RATE_TOLERANCE = 1.1
_LARGEST_INT64 = (1 << 63) - 1
# Natural logarithm of the probability below which sampling does not explain a record: 1e-12.
_LN_IMPROBABLE = -27.6


def rates_bps(ports: PortRates, input_index: Int64, output_index: Int64, direction: Int64) -> Int64:
    """The rate that bounds each record: what it came in by, or, metered at egress, what it left by.

    A record that was metered at ingress may still be dropped before it leaves. Where the settings know neither
    index, it is the greatest rate.
    """
    rates = np.full(input_index.shape, ports.greatest_bps, dtype=np.int64)
    for index, rate in ports.by_index.items():
        hit = (input_index == index) | ((output_index == index) & (direction == 1))
        rates[hit] = np.minimum(rates[hit], rate)
    return rates


def has_oversized_packets(record_bytes: Int64, packets: Int64) -> Bool:
    """Records with more bytes than their IP packets can hold; those without a packet counter are not judged."""
    # so many packets hold more bytes than 64 bits count, and the product below stays within them
    held = np.minimum(packets, _LARGEST_INT64 // (LONGEST_PACKET_BYTES + 1)) * (LONGEST_PACKET_BYTES + 1)
    too_many: Bool = (packets > 0) & (record_bytes >= held)
    return too_many


def counted_packets(record_bytes: Int64, packets: Int64) -> Int64:
    """The packets of each record; of one without a packet counter as few as can hold its bytes."""
    return np.where(packets > 0, packets, record_bytes // LONGEST_PACKET_BYTES)


def may_be_faster(record_bytes: Int64, packets: Int64, duration_ms: Int64, least_bps: int) -> Bool:
    """A few records among which are all those that are faster than their port; the arguments are those of that rule.

    n - 1 gaps exceed the expected number only where n does, which is where a port of the least rate does not carry the
    bytes. The hundredth is for rounding.
    """
    carried = np.maximum(record_bytes, SHORTEST_PACKET_BYTES * packets)
    may: Bool = carried > (duration_ms + GRANULARITY_MS) * certain_bytes_per_ms(least_bps)
    return may


def certain_bytes_per_ms(least_bps: int) -> float:
    """What a port of that rate certainly carries, as it is judged here."""
    return least_bps / 8000.0 * RATE_TOLERANCE * 0.99


def is_faster_than_port(
    record_bytes: Int64, packets: Int64, duration_ms: Int64, factor: int, rate_bps: Int64, granularity: int
) -> Bool:
    """Records whose bytes no port of that rate carries in their time, sampling and coarse clocks considered.

    Args:
        record_bytes: Estimated bytes; `packets` estimated packets, both after sampling.
        duration_ms: Last minus first.
        factor: 1 packet in `factor` was sampled.
        rate_bps: What the port carries; 0 judges nothing.
        granularity: Added to the duration, in ms.

    n sampled packets span n - 1 gaps. Of a port that is always full, `expected` packets are sampled in that time, and
    the chance of n - 1 or more is at most exp(m - e) (e / m)^m with m = n - 1 and e = expected: Chernoff's bound of a
    Poisson variable (Mitzenmacher and Upfal, Probability and Computing, theorem 5.4). Periodic sampling varies less. A
    single sampled packet says nothing of the time its flow took and is never too fast.
    """
    counted = np.maximum(counted_packets(record_bytes, packets), 1)
    carried = np.maximum(record_bytes, SHORTEST_PACKET_BYTES * packets).astype(np.float64)
    # as fractions: the product of the largest integers is more than 64 bits hold
    most = rate_bps / 8000.0 * (duration_ms + granularity) * RATE_TOLERANCE
    expected = most * counted / np.maximum(carried, 1.0) / factor
    gaps = np.maximum(counted / factor, 1.0) - 1.0
    exceeds: Bool = (rate_bps > 0) & (gaps > expected)
    if factor > 1:
        some = exceeds & (expected > 0)
        m, e = gaps[some], expected[some]
        exceeds[some] = m - e + m * np.log(e / m) < _LN_IMPROBABLE
    return exceeds
