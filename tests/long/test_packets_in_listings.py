"""Packets walked through listings of others, before a plan and with it: outside of the pairs nothing changes."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network
from pathlib import Path
from random import Random

import pytest

from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.lookup import FilterLookup
from hntes.platforms.merged import read_merged
from hntes.platforms.render import render
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import RouterModel
from tests.support.packet_walker import (
    Packet,
    UnsupportedError,
    Walked,
    cisco_merged,
    cisco_queues,
    cisco_text,
    cisco_walk,
    junos_merged,
    junos_schedulers,
    junos_shares,
    junos_text,
    junos_walk,
)
from tests.support.real_configurations import Listing, best_plan, fate_of, listings

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

FOLDER = Path(os.environ.get("HNTES_REAL_CONFIGURATIONS", "/nonexistent"))
# Languages that the walker has of its own, apart from the product's.
WALKED = ("junos", "iosxr", "iosxe")
LEAST_LISTINGS = 60
# Of Junos, whose terms are walked.
LEAST_FILTERED = 25
MOST_LINES = 3_000
ALPHA_QUEUE = 4
# Of the plan of `real_configurations.plan`: beta, network control and alpha.
SHARES = {0: 65, 3: 5, 4: 30}
Queues = dict[int, tuple[tuple[str, ...], ...]]
RANDOM_PACKETS = 150


@dataclass(frozen=True)
class Found:
    """What was found in one listing: how many packets were walked, what differs, and why it was left out."""

    name: str
    kind: str
    packets: int = 0
    met: int = 0
    wrong: tuple[str, ...] = ()
    left_out: str = ""


# An operator's filter for edges of Junos listings without one: half of a pair is dropped, a part of that half is not.
OWN = """
firewall family inet filter walked-own term spoofed from source-address 198.18.10.0/25
firewall family inet filter walked-own term spoofed from source-address 198.18.10.64/26 except
firewall family inet filter walked-own term spoofed then count spoofed
firewall family inet filter walked-own term spoofed then discard
firewall family inet filter walked-own term web from protocol tcp
firewall family inet filter walked-own term web then count web
firewall family inet filter walked-own term web then next term
firewall family inet filter walked-own term named from prefix-list walked-list
firewall family inet filter walked-own term named then accept
firewall family inet filter walked-own term rest from destination-address 0.0.0.0/1
firewall family inet filter walked-own term rest then accept
policy-options prefix-list walked-list 203.0.113.0/24
interfaces {0} unit {1} family inet filter input walked-own
"""


@dataclass(frozen=True)
class Filtered(Listing):
    """A Junos listing with the filter above on one of its units."""

    edge: tuple[str, int] = ("", 0)

    @property
    def text(self) -> str:
        text = super().text
        lines = OWN.format(*self.edge).split("\n")
        is_set = text.lstrip().startswith("set ")
        return "\n".join([text, *(f"set {each}" if is_set else f"{each};" for each in lines if each), ""])


def with_a_filter(listing: Listing, made: RouterModel) -> Listing:
    """The listing with a filter on the edge, if it is of Junos and the plan passes beside that, too."""
    edge = next(each for each in made.interfaces if each.is_edge)
    filtered = Filtered(listing.path, listing.platform, listing.has_qos, (edge.name, edge.unit))
    passes = listing.platform == "junos" and fate_of(filtered, made).outcome == "passed"
    return filtered if passes else listing


def packets(listing: Listing, pairs: tuple[PrefixPair, ...]) -> Iterator[Packet]:
    """Ends of the pairs and their neighbours, of prefixes that the listing names, and others at random."""
    draw = Random(listing.path.name)
    interesting = [ip_address("203.0.113.1")]
    for pair in pairs:
        for end in (pair.source, pair.destination):
            interesting += [end[0], end[-1], end[0] - 1, end[-1] + 1]
    named = sorted({word.strip(";") for word in listing.text.split() if word.count(".") == 3 and "/" in word})
    for word in draw.sample(named, min(len(named), 30)):
        try:
            network = ip_network(word, strict=False)
        except ValueError:
            continue
        interesting += [network[0], network[-1]]
    for pair in pairs:
        yield str(pair.source[0]), str(pair.destination[-1])
    for _ in range(RANDOM_PACKETS):
        ends = [draw.choice(interesting) if draw.random() < 0.7 else ip_address(draw.getrandbits(32)) for _ in "sd"]
        yield str(ends[0]), str(ends[1])


def is_pair(packet: Packet, pairs: tuple[PrefixPair, ...]) -> bool:
    source, destination = map(ip_address, packet)
    return any(source in pair.source and destination in pair.destination for pair in pairs)


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
    if made is None or fate.outcome not in ("passed", "adopted"):
        return None
    kind = f"{listing.platform} {fate.outcome}"
    listing = with_a_filter(listing, made)
    fitted = check_conflicts(made, listing.text)
    candidate = render(fitted)
    name = f"{listing.path.parent.name}/{listing.path.name}"
    try:
        before, after = walkers(fitted, listing, candidate)
        return _compared(Found(name, kind), listing, fitted, candidate, before, after)
    except UnsupportedError as reason:
        return Found(name, kind, left_out=str(reason))


def _compared(
    found: Found,
    listing: Listing,
    made: RouterModel,
    candidate: str,
    before: Callable[[Packet], Walked],
    after: Callable[[Packet], Walked],
) -> Found:
    merged = read_merged(listing.platform, candidate, listing.text, made.interfaces, keeps_classes=made.keeps_classes)
    pairs = tuple(term.pair for each in made.filters for term in each.terms if each.ip_version == 4)
    alpha = ALPHA_QUEUE if made.adopted is None and not made.keeps_classes else made.queue_for("alpha")
    lookup = FilterLookup(merged, next(each for each in merged.edges if each.ip_version == 4))
    wrong, met, count = list(_core(listing, made, candidate)), 0, 0
    for packet in packets(listing, pairs):
        count += 1
        then, now = before(packet), after(packet)
        met += len(then.met)
        if (then.is_dropped, then.met) != (now.is_dropped, now.met):
            wrong.append(f"{packet}: {then} became {now}")
        elif is_pair(packet, pairs) and not now.is_dropped and now.queue != alpha:
            wrong.append(f"{packet}: a pair's is in queue {now.queue}")
        elif not is_pair(packet, pairs) and then.queue != now.queue:
            wrong.append(f"{packet}: queue {then.queue} became {now.queue}")
        read = lookup.outcome(int(ip_address(packet[0])), int(ip_address(packet[1])))
        if not now.is_dropped and not then.met and read.queue != now.queue:
            wrong.append(f"{packet}: read as queue {read.queue}, walked as {now.queue}")
    return replace(found, packets=count, met=met, wrong=tuple(wrong))


def _core(listing: Listing, made: RouterModel, candidate: str) -> Iterator[str]:
    """The queues of the core port, as asked for or as they were, and those of all others, which stay."""
    core = next(each.name for each in made.interfaces if each.is_core)
    if listing.platform != "junos":
        yield from _cisco_core(listing, made, candidate, core)
        return
    running = junos_text(listing.text)
    merged = junos_merged(running, junos_text(candidate))
    if made.adopted is not None:
        yield from _kept(core, junos_schedulers(running, core), junos_schedulers(merged, core), made)
    elif junos_shares(merged, core) != _shares(made):
        yield f"{core}: shares {junos_shares(merged, core)}"
    named = {path[2].strip('"') for path in running.paths if path[:2] == ("class-of-service", "interfaces")}
    for port in named - {core}:
        if made.adopted is None and junos_schedulers(merged, port) != junos_schedulers(running, port):
            yield f"{port}: {junos_schedulers(running, port)} became {junos_schedulers(merged, port)}"


def _shares(made: RouterModel) -> dict[int, int]:
    """The plan's shares; each class of the operator's that has a queue there takes 3% of alpha's."""
    alpha = made.queue_for("alpha") or 0
    others = {each.queue for each in made.forwarding_classes} - {0, 3, alpha}
    return {**SHARES, **dict.fromkeys(others, 3), alpha: 30 - 3 * len(others)} if made.keeps_classes else SHARES


def _kept(core: str, was: Queues, now: Queues, made: RouterModel) -> Iterator[str]:
    """What differs beside a queue that is added."""
    added = set(now) - set(was)
    if made.adopted is None or added - {made.queue_for("alpha")} or {each: now[each] for each in was} != was or not was:
        yield f"{core}: {was} became {now}"


def _cisco_core(listing: Listing, made: RouterModel, candidate: str, core: str) -> Iterator[str]:
    was, now = (cisco_queues(each, core) for each in (cisco_text(listing.text), cisco_merged(listing.text, candidate)))
    if made.adopted is not None:
        is_right = was == now != {}
    else:
        is_right = was == {} and {_number(each): _bandwidth_pct(each) for each in now.values()} == SHARES
    if not is_right:
        yield f"{core}: {was} became {now}"


def _number(lines: tuple[str, ...]) -> int:
    """The QoS group by which a class takes packets; 3 of the routers' own packets, 0 of class-default."""
    stated = [line.split()[-1] for line in lines if line.startswith("match qos-group ")]
    is_control = any(line.startswith("match dscp cs6") for line in lines)
    return int(stated[0]) if stated else 3 if is_control else 0


def _bandwidth_pct(lines: tuple[str, ...]) -> int:
    return int(next(line.split()[-1] for line in lines if line.startswith("bandwidth percent ")))


def test_no_packet_outside_of_the_pairs_is_treated_otherwise() -> None:
    if not FOLDER.is_dir():
        pytest.skip("HNTES_REAL_CONFIGURATIONS names no folder of listings")
    of_walker = [each for each in listings(FOLDER) if each.platform in WALKED]
    short = [each for each in of_walker if each.text.count("\n") < MOST_LINES]
    with ProcessPoolExecutor(2) as pool:
        results = [each for each in pool.map(walked, short) if each is not None]
    done = [each for each in results if not each.left_out]
    wrong = {each.name: each.wrong[:3] for each in done if each.wrong}
    print(
        f"\n{sum(each.packets for each in done)} packets in {len(done)} listings, "
        f"{sum(each.met > 0 for each in done)} of them with filters of the operator's"
    )
    print(dict(Counter(each.kind for each in done)))
    print("with filters:", dict(Counter(each.kind for each in done if each.met)))
    print("left out:", Counter(each.left_out for each in results if each.left_out))
    assert wrong == {}
    assert len(done) >= LEAST_LISTINGS
    assert sum(each.met > 0 and each.kind.startswith("junos") for each in done) >= LEAST_FILTERED
