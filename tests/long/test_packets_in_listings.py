"""Packets walked through listings of others, before a plan and with it: outside of the pairs nothing changes."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from pathlib import Path
from random import Random

import pytest

from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.lookup import FilterLookup
from hntes.platforms.merged import read_merged
from hntes.platforms.render import render
from hntes.rules.qos.model import RouterModel
from tests.support.packet_walker import (
    Packet,
    UnsupportedError,
    Walked,
    cisco_merged,
    cisco_text,
    cisco_walk,
    junos_merged,
    junos_shares,
    junos_text,
    junos_walk,
)
from tests.support.real_configurations import PAIRS, Listing, best_plan, listings

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

FOLDER = Path(os.environ.get("HNTES_REAL_CONFIGURATIONS", "/nonexistent"))
LEAST_LISTINGS = 60
MOST_LINES = 3_000
ALPHA_QUEUE = 4
# Of the plan of `real_configurations.plan`: beta, network control and alpha.
SHARES = {0: 65, 3: 5, 4: 30}
RANDOM_PACKETS = 150


@dataclass(frozen=True)
class Found:
    """What was found in one listing: how many packets were walked, what differs, and why it was left out."""

    name: str
    packets: int = 0
    met: int = 0
    wrong: tuple[str, ...] = ()
    left_out: str = ""


def packets(listing: Listing) -> Iterator[Packet]:
    """Ends of the pairs and their neighbours, of prefixes that the listing names, and others at random."""
    draw = Random(listing.path.name)
    interesting = [ip_address("203.0.113.1")]
    for pair in PAIRS:
        for end in (pair.source, pair.destination):
            interesting += [end[0], end[-1], end[0] - 1, end[-1] + 1]
    named = sorted({word.strip(";") for word in listing.text.split() if word.count(".") == 3 and "/" in word})
    for word in draw.sample(named, min(len(named), 30)):
        try:
            network = ip_network(word, strict=False)
        except ValueError:
            continue
        interesting += [network[0], network[-1]]
    for pair in PAIRS:
        yield str(pair.source[0]), str(pair.destination[-1])
    for _ in range(RANDOM_PACKETS):
        ends = [draw.choice(interesting) if draw.random() < 0.7 else ip_address(draw.getrandbits(32)) for _ in "sd"]
        yield str(ends[0]), str(ends[1])


def is_pair(packet: Packet) -> bool:
    source, destination = map(ip_address, packet)
    return any(source in pair.source and destination in pair.destination for pair in PAIRS)


def walkers(made: RouterModel, listing: Listing, candidate: str) -> tuple[Callable[[Packet], Walked], ...]:
    """The walks of a packet before the candidate and with it."""
    edge = next(each for each in made.interfaces if each.is_edge)
    if listing.platform == "junos":
        running = junos_text(listing.text)
        merged = junos_merged(running, junos_text(candidate))
        return tuple(
            lambda packet, text=text: junos_walk(text, edge.name, edge.unit, packet) for text in (running, merged)
        )
    port = edge.name if edge.unit == 0 else f"{edge.name}.{edge.unit}"
    texts = cisco_text(listing.text), cisco_merged(listing.text, candidate)
    return tuple(lambda packet, text=text: cisco_walk(text, port, packet) for text in texts)


def walked(listing: Listing) -> Found | None:
    """What packets show of the best plan beside a listing; None where no plan passes."""
    fate, made = best_plan(listing)
    if made is None or fate.outcome != "passed":
        return None
    fitted = check_conflicts(made, listing.text)
    candidate = render(fitted)
    name = f"{listing.path.parent.name}/{listing.path.name}"
    try:
        before, after = walkers(fitted, listing, candidate)
        return _compared(name, listing, fitted, candidate, before, after)
    except UnsupportedError as reason:
        return Found(name, left_out=str(reason))


def _compared(
    name: str,
    listing: Listing,
    made: RouterModel,
    candidate: str,
    before: Callable[[Packet], Walked],
    after: Callable[[Packet], Walked],
) -> Found:
    merged = read_merged(listing.platform, candidate, listing.text, made.interfaces)
    lookup = FilterLookup(merged, next(each for each in merged.edges if each.ip_version == 4))
    wrong, met, count = list(_core(listing, made, candidate)), 0, 0
    for packet in packets(listing):
        count += 1
        then, now = before(packet), after(packet)
        met += len(then.met)
        if (then.is_dropped, then.met) != (now.is_dropped, now.met):
            wrong.append(f"{packet}: {then} became {now}")
        elif is_pair(packet) and not now.is_dropped and now.queue != ALPHA_QUEUE:
            wrong.append(f"{packet}: a pair's is in queue {now.queue}")
        elif not is_pair(packet) and then.queue != now.queue:
            wrong.append(f"{packet}: queue {then.queue} became {now.queue}")
        read = lookup.outcome(int(ip_address(packet[0])), int(ip_address(packet[1])))
        if not now.is_dropped and not then.met and read.queue != now.queue:
            wrong.append(f"{packet}: read as queue {read.queue}, walked as {now.queue}")
    return Found(name, count, met, tuple(wrong))


def _core(listing: Listing, made: RouterModel, candidate: str) -> Iterator[str]:
    """The shares of the core port, and those of all others, which stay."""
    core = next(each.name for each in made.interfaces if each.is_core)
    if listing.platform != "junos":
        return
    running = junos_text(listing.text)
    merged = junos_merged(running, junos_text(candidate))
    if junos_shares(merged, core) != SHARES:
        yield f"{core}: shares {junos_shares(merged, core)}"
    for port in {path[2] for path in running.paths if path[:2] == ("class-of-service", "interfaces")} - {core}:
        if junos_shares(merged, port) != junos_shares(running, port):
            yield f"{port}: shares {junos_shares(running, port)} became {junos_shares(merged, port)}"


def test_no_packet_outside_of_the_pairs_is_treated_otherwise() -> None:
    if not FOLDER.is_dir():
        pytest.skip("HNTES_REAL_CONFIGURATIONS names no folder of listings")
    short = [each for each in listings(FOLDER) if each.text.count("\n") < MOST_LINES]
    with ProcessPoolExecutor(2) as pool:
        results = [each for each in pool.map(walked, short) if each is not None]
    done = [each for each in results if not each.left_out]
    wrong = {each.name: each.wrong[:3] for each in done if each.wrong}
    print(
        f"\n{sum(each.packets for each in done)} packets in {len(done)} listings, "
        f"{sum(each.met > 0 for each in done)} of them with filters of the operator's"
    )
    print("left out:", Counter(each.left_out for each in results if each.left_out))
    assert wrong == {}
    assert len(done) >= LEAST_LISTINGS
