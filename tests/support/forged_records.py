"""Further forged NetFlow, as real UDP: what a sender of datagrams may claim, one kind each.

The flows of `tests/support/attacks.py` and these are the variants of docs/reference/attacks.md.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from tests.support.forger import Collector, Sent, ipfix, spread_out, v5, v9, v9_sampling_option

EXPORTER, STRANGER = "127.0.0.1", "127.0.0.9"
MINUTE_MS, DAY_MS = 60_000, 86_400_000
# Within ten minutes, before the true flows of the file.
AGES_MS = range(MINUTE_MS, 10 * MINUTE_MS, MINUTE_MS)
_GB = 1_000_000_000
_ONE = Sent("10.66.0.1", "10.66.0.2", 1_200_000_000, 800_000, age_ms=5 * MINUTE_MS)


def unknown_port(collector: Collector) -> None:
    """99 pairs of 4 GB in the same 50 s, by interfaces that the settings do not name."""
    flow = Sent("", "", 4 * _GB, 2_666_666, duration_ms=50_000, output=999, input=998)
    collector.send(v5(spread_out(flow, 99)), EXPORTER)


def overfull_offset(collector: Collector) -> None:
    """120 GB in 50 s out of a port of 10 Gb/s, begun beside any round number of seconds."""
    flow = Sent("", "", 1_200_000_000, 800_000, duration_ms=50_000, age_ms=5 * MINUTE_MS + 3_700)
    collector.send(v5(spread_out(flow, 100)), EXPORTER)


def replays(true: list[Sent], collector: Collector) -> None:
    """The router's own records twenty times more."""
    for _ in range(20):
        collector.send(v5(true), EXPORTER)


def replays_of_another_engine(true: list[Sent], collector: Collector) -> None:
    """The router's own records once more, as of another line card."""
    collector.send(v5(true, engine=3), EXPORTER)


def other_metering_point(true: list[Sent], collector: Collector) -> None:
    """The router's own flows with three times the bytes, at another interface."""
    larger = [replace(each, byte_count=2 * each.byte_count, packets=2 * each.packets, output=503) for each in true]
    collector.send(v9(larger, 7), EXPORTER)


def guessed_flows(true: list[Sent], collector: Collector) -> None:
    """Two records more of each of the router's own flows, 140 GB of its minute, and one in no packets."""
    large = [
        replace(each, byte_count=70 * _GB, packets=46_666_666, age_ms=each.age_ms + n) for each in true for n in (1, 2)
    ]
    collector.send(v9([*large, *(replace(each, byte_count=2 * _GB, packets=0) for each in true)], 7), EXPORTER)


def one_pair_of_much(collector: Collector) -> None:
    """An alpha flow between two prefixes that exchange most of the ordinary traffic."""
    ordinary = [
        Sent(f"10.66.0.{n}", f"10.66.1.{n}", 200_000_000, 133_333, age_ms=age_ms, source_port=2000 + n)
        for n in range(1, 11)
        for age_ms in AGES_MS
    ]
    collector.send(v5([*ordinary, replace(_ONE, destination="10.66.1.2")]), EXPORTER)


def full_minute(collector: Collector) -> None:
    """Four datagrams: 96 records of 750 MB, each below the threshold, that fill a port for a minute."""
    flows = [
        Sent("10.66.1.1", "10.66.2.1", 750_000_000, 500_000, age_ms=5 * MINUTE_MS, source_port=1000 + n)
        for n in range(96)
    ]
    collector.send(v5(flows), EXPORTER)


def martians(collector: Collector) -> None:
    """Alpha flows of addresses that no network routes."""
    sources = ("0.1.2.3", "127.0.0.5", "169.254.7.7", "224.1.1.1", "240.0.0.1", "255.255.255.255")
    collector.send(v5(replace(_ONE, source=source) for source in sources), EXPORTER)


def another_domain(collector: Collector) -> None:
    """An option record of an observation domain that the exporter does not use: every packet stands for a million."""
    collector.send(v9_sampling_option(1_000_000, 99), EXPORTER)


def future(collector: Collector) -> None:
    """An alpha flow of tomorrow."""
    collector.send(ipfix([replace(_ONE, age_ms=-DAY_MS)], 8), EXPORTER)


def past(collector: Collector) -> None:
    """An alpha flow of eight days ago."""
    collector.send(ipfix([replace(_ONE, age_ms=8 * DAY_MS)], 8), EXPORTER)


def one_large_packet(collector: Collector) -> None:
    """4 GB in one packet."""
    collector.send(v9([replace(_ONE, byte_count=4 * _GB, packets=1)], 7), EXPORTER)


def largest_counters(collector: Collector) -> None:
    """Counters at the end of 64 bits."""
    most = [replace(_ONE, byte_count=(1 << 64) - n, packets=(1 << 63) + n, source_port=n) for n in range(1, 60)]
    collector.send(ipfix(most, 8), EXPORTER)


def many_ports(collector: Collector) -> None:
    """600 MB a port between one pair of hosts: a pair of 36 GB in a minute without an alpha flow."""
    flows = [
        replace(_ONE, byte_count=600_000_000, packets=400_000, source_port=3000 + n, age_ms=(2 + n % 8) * MINUTE_MS)
        for n in range(60)
    ]
    collector.send(v5(flows), EXPORTER)


def strangers_jumps(collector: Collector) -> None:
    """120 datagrams of one small record each, from an address that is no router's, with the same sequence number."""
    small = Sent("10.67.0.1", "10.67.0.2", 1500, 1, duration_ms=0)
    for _ in range(120):
        collector.send(v5([small]), STRANGER)


def no_packets(collector: Collector) -> None:
    """1.2 GB in no packets."""
    collector.send(v9([replace(_ONE, packets=0)], 7), EXPORTER)


def within_the_rate(collector: Collector) -> None:
    """One record that could be true."""
    collector.send(v5([_ONE]), EXPORTER)


def strangers_flow(collector: Collector) -> None:
    """The same of an address that is no router's."""
    collector.send(v5([_ONE]), STRANGER)


def full_port(collector: Collector) -> None:
    """Two pairs a minute that fill the port together, all the time of the file."""
    flows = [
        Sent(f"10.66.{n}.1", f"10.66.{n}.2", 37_000_000_000, 24_666_666, age_ms=age_ms)
        for age_ms in (2_000, *AGES_MS)
        for n in (1, 2)
    ]
    collector.send(v9(flows, 7), EXPORTER)


# Of the router's own flows: what they make of them.
OF_TRUE: dict[str, Callable[[list[Sent], Collector], None]] = {
    each.__name__: each for each in (replays, replays_of_another_engine, other_metering_point, guessed_flows)
}
FORGED: dict[str, Callable[[Collector], None]] = {
    each.__name__: each
    for each in (
        unknown_port, overfull_offset, one_pair_of_much, full_minute, martians, another_domain, future, past,
        one_large_packet, largest_counters, many_ports, strangers_jumps, no_packets, within_the_rate,
        strangers_flow, full_port,
    )
}  # fmt: skip


def forged(true: list[Sent]) -> dict[str, Callable[[Collector], None]]:
    """All of them, for a router that sent these flows."""
    return FORGED | {name: partial(each, true) for name, each in OF_TRUE.items()}
