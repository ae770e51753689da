"""Announcements attributed to alpha flows by 5-tuple, hosts or prefixes, and time.

An announcement never adds a flow: everything here begins with what NetFlow saw.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from ipaddress import ip_address

from hntes.addresses import Address, Network
from hntes.etl.announced.source import UNKNOWN, Announcement
from hntes.etl.days import DAY_MS, day_of_ms
from hntes.sql.announced import AnnouncedFlowEntry, AnnouncedSum
from hntes.sql.entries import ObservationEntry

_Hosts = tuple[Address, Address]
_Ends = tuple[tuple[Network, ...], tuple[Network, ...], bool]


@dataclass(frozen=True)
class Attribution:
    """The announced alpha flows, and of these the bytes that speak against the doubt of a borderline one, by flow."""

    flows: tuple[AnnouncedFlowEntry, ...]
    confirmed_bytes: Mapping[str, int]


@dataclass(frozen=True)
class _Match:
    """An announcement of a flow; `sent_bytes` are those in the flow's direction."""

    source: str
    announcement: Announcement
    sent_bytes: int | None

    @property
    def rank(self) -> int:
        """How closely it names the flow: by ports, as a transfer between hosts, as a circuit."""
        if self.announcement.ports is not None:
            return 0
        return 2 if self.announcement.both_ways else 1


class SeenFlows:
    """The alpha flows of a router's day, by their hosts."""

    def __init__(self, observations: Iterable[ObservationEntry], slack_ms: int) -> None:
        """`slack_ms`: what clocks of senders and exporters may differ by."""
        self._slack_ms = slack_ms
        self._by_hosts: defaultdict[_Hosts, list[ObservationEntry]] = defaultdict(list)
        self._between: dict[_Ends, list[tuple[_Hosts, bool]]] = {}
        for seen in observations:
            self._by_hosts[ip_address(seen.source), ip_address(seen.destination)].append(seen)

    def has(self, one: Announcement) -> bool:
        """Whether one of them may be the announced transfer."""
        return next(iter(self._matching(one)), None) is not None

    def matches(self, source: str, transfers: Iterable[Announcement]) -> Iterable[tuple[str, _Match]]:
        """The flows of each transfer, by flow id."""
        for one in transfers:
            for seen, is_forward in self._matching(one):
                sent_bytes = one.sent_bytes if is_forward else one.received_bytes
                yield seen.flow_id, _Match(source, one, sent_bytes)

    def _matching(self, one: Announcement) -> Iterable[tuple[ObservationEntry, bool]]:
        for hosts, is_forward in self._hosts(one):
            for seen in self._by_hosts[hosts]:
                if _has_ports(seen, one.ports, is_forward=is_forward) and self._is_then(seen, one):
                    yield seen, is_forward

    def _hosts(self, one: Announcement) -> Iterable[tuple[_Hosts, bool]]:
        """The pairs of hosts that it is about, and whether in its own direction."""
        if all(len(side) == 1 and side[0].num_addresses == 1 for side in (one.sources, one.destinations)):
            pair = one.sources[0].network_address, one.destinations[0].network_address
            return self._of_hosts(one, [each for each in (pair, pair[::-1]) if each in self._by_hosts])
        # schedulers and circuits name few ends, again and again
        ends = (one.sources, one.destinations, one.both_ways)
        if ends not in self._between:
            self._between[ends] = self._of_hosts(one, self._by_hosts)
        return self._between[ends]

    @staticmethod
    def _of_hosts(one: Announcement, candidates: Iterable[_Hosts]) -> list[tuple[_Hosts, bool]]:
        found = []
        for source, destination in candidates:
            if _within(source, one.sources) and _within(destination, one.destinations):
                found.append(((source, destination), True))
            elif one.both_ways and _within(source, one.destinations) and _within(destination, one.sources):
                found.append(((source, destination), False))
        return found

    def _is_then(self, seen: ObservationEntry, one: Announcement) -> bool:
        """Whether it was announced for the time of the flow's peak; what has no end, or no start, lasts a day."""
        start_ms = one.start_ms if one.start_ms is not None else (one.end_ms or 0) - DAY_MS
        end_ms = one.end_ms if one.end_ms is not None else start_ms + DAY_MS
        peak_end_ms = seen.peak_start_ms + seen.window_s * 1000
        return start_ms - self._slack_ms <= peak_end_ms and seen.peak_start_ms <= end_ms + self._slack_ms


def attribute(
    router: str, day: date, observations: Sequence[ObservationEntry],
    transfers: Mapping[str, Sequence[Announcement]], slack_ms: int,
) -> Attribution:  # fmt: skip
    """What was announced of a router's alpha flows; `transfers` by source."""
    seen_flows = SeenFlows(observations, slack_ms)
    matches: defaultdict[str, list[_Match]] = defaultdict(list)
    for source in sorted(transfers):
        for flow_id, match in seen_flows.matches(source, transfers[source]):
            matches[flow_id].append(match)
    flows, confirmed_bytes = [], {}
    for seen in observations:
        if found := matches.get(seen.flow_id):
            rank = min(match.rank for match in found)
            closest = [match for match in found if match.rank == rank]
            flow = _entry(router, day, seen.flow_id, closest)
            flows.append(flow)
            if rank == 0 and not flow.is_disputed and (size := _confirming(seen, closest)):
                confirmed_bytes[seen.flow_id] = size
    return Attribution(tuple(flows), confirmed_bytes)


def day_sums(day: date, transfers: Mapping[str, Sequence[Announcement]]) -> tuple[AnnouncedSum, ...]:
    """The transfers that ended on the day, whether NetFlow saw them or not. Circuits carry nothing by themselves."""
    found: defaultdict[tuple[str, int, int], list[Announcement]] = defaultdict(list)
    for source, listed in transfers.items():
        for one in listed:
            moment_ms = one.end_ms if one.end_ms is not None else one.start_ms
            is_circuit = one.ports is None and one.both_ways
            if not is_circuit and moment_ms is not None and day_of_ms(moment_ms) == day:
                found[source, one.experiment, one.activity].append(one)
    return tuple(
        AnnouncedSum(day, *of, len(listed), sum((one.sent_bytes or 0) + (one.received_bytes or 0) for one in listed))
        for of, listed in sorted(found.items())
    )


def _entry(router: str, day: date, flow_id: str, closest: Sequence[_Match]) -> AnnouncedFlowEntry:
    experiment, is_disputed = _agreed(closest, lambda one: one.experiment)
    activity, is_unclear = _agreed(closest, lambda one: one.activity)
    references = {match.announcement.reference for match in closest}
    sizes = [match.sent_bytes for match in closest if match.sent_bytes is not None]
    return AnnouncedFlowEntry(
        router, day, flow_id, source=min(match.source for match in closest),
        experiment=experiment, activity=UNKNOWN if is_disputed or is_unclear else activity,
        reference=references.pop() if len(references) == 1 else "", announcements=len(closest),
        announced_bytes=sum(sizes) if sizes and not is_disputed else None, is_disputed=is_disputed,
    )  # fmt: skip


def _agreed(closest: Sequence[_Match], of: Callable[[Announcement], int]) -> tuple[int, bool]:
    """The value that all name that name one, and whether they differ."""
    named = {of(match.announcement) for match in closest} - {UNKNOWN}
    return (named.pop(), False) if len(named) == 1 else (UNKNOWN, len(named) > 1)


def _confirming(seen: ObservationEntry, closest: Sequence[_Match]) -> int:
    """Bytes of the fullest window at least, by the mean rate that its sender announced; 0 if not above the threshold.

    A flow's fullest window has no less than its mean.
    """
    window_ms, found = seen.window_s * 1000, 0
    for match in closest:
        start_ms, end_ms = match.announcement.start_ms, match.announcement.end_ms
        if match.sent_bytes is not None and start_ms is not None and end_ms is not None:
            found = max(found, match.sent_bytes * window_ms // max(end_ms - start_ms, window_ms))
    return found if seen.borderline and not seen.implausible and found > seen.threshold_bytes else 0


def _within(host: Address, prefixes: Iterable[Network]) -> bool:
    return any(host in prefix for prefix in prefixes)


def _has_ports(seen: ObservationEntry, ports: tuple[int, int, int] | None, *, is_forward: bool) -> bool:
    """Whether the ports are the flow's; a flow between hosts (`flow_key`) has none."""
    if ports is None or seen.protocol is None:
        return True
    source, destination, protocol = ports
    ends = (source, destination) if is_forward else (destination, source)
    return (seen.source_port, seen.destination_port, seen.protocol) == (*ends, protocol)
