"""Alpha flows by definition alone, computed slowly and in rational numbers.

Nothing here uses the program's window, its SQL or its addresses: it is the oracle that they are compared with.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from ipaddress import IPv4Address, IPv6Address

Record = Mapping[str, int]
FLOW = ("ip_version", "src_hi", "src_lo", "dst_hi", "dst_lo", "src_port", "dst_port", "protocol")
METERED = (*FLOW, "exporter_hi", "exporter_lo", "exporter_domain", "direction", "input_interface", "output_interface")


@dataclass(frozen=True)
class Share:
    """One record's bytes, spread evenly from `start_ms` to `last_ms`."""

    start_ms: int
    last_ms: int
    bytes: int
    moved: bool

    def inside(self, a: int, b: int) -> Fraction:
        """Bytes in the closed interval [a, b]."""
        if self.start_ms == self.last_ms:
            return Fraction(self.bytes if a <= self.start_ms <= b else 0)
        overlap = min(b, self.last_ms) - max(a, self.start_ms)
        return Fraction(self.bytes * max(overlap, 0), self.last_ms - self.start_ms)


@dataclass(frozen=True)
class Reading:
    """One flow at one metering point on one day."""

    direction: int
    peak: Fraction
    flow_bytes: int
    records: int
    moved_records: int
    first_ms: int
    last_ms: int
    ecn_records: int | None


def flow_id(record: Record, flow_key: str) -> str:
    ends = []
    for end in ("src", "dst"):
        hi, lo = record[f"{end}_hi"], record[f"{end}_lo"]
        six = IPv6Address((hi % 2**64) * 2**64 + lo % 2**64)
        ends.append(str(IPv4Address(lo) if record["ip_version"] == 4 else six))
    if flow_key == "host_pair":
        return f"{ends[0]} > {ends[1]}"
    return f"{ends[0]} {record['src_port']} > {ends[1]} {record['dst_port']} / {record['protocol']}"


def shares(records: list[Record]) -> list[Share]:
    """Rule start_never_moves: of a flow's records with the same start, each counts from the end of the one before."""
    found = []
    for record in records:
        alike = [o for o in records if all(o[n] == record[n] for n in (*METERED, "first_ms"))]
        before = [other["last_ms"] for other in alike if other["last_ms"] < record["last_ms"]]
        start = max(before) if before else record["first_ms"]
        found.append(Share(start, record["last_ms"], record["bytes"], bool(before)))
    return found


def ends_of_every_millisecond(spread: list[Share], window_ms: int) -> Iterable[int]:
    return range(min(s.start_ms for s in spread), max(s.last_ms for s in spread) + window_ms + 1)


def ends_at_edges(spread: list[Share], window_ms: int) -> Iterable[int]:
    """Enough where times are too long to try all: between edges the bytes of a window change evenly."""
    edges = {edge for share in spread for edge in (share.start_ms, share.last_ms)}
    return sorted(edges | {edge + window_ms for edge in edges})


def readings(
    records: list[Record], from_ms: int, to_ms: int, window_ms: int, flow_key: str, every_millisecond: bool,
    sum_exporters: bool = False,
) -> dict[str, list[Reading]]:  # fmt: skip
    """Flow -> its readings on the day (from_ms, to_ms], one per metering point, of any size.

    Records that no window of the day can hold are left out first: they have no say in which interface counts.
    """
    groups: dict[tuple[str, int, int, int], list[Metered]] = {}
    for one in _without_copies(records):
        if one.share.last_ms <= from_ms - window_ms or one.share.start_ms > to_ms:
            continue
        record = one.record
        point = (0, 0) if sum_exporters else (record["exporter_hi"], record["exporter_lo"])
        groups.setdefault((flow_id(record, flow_key), *point, record["direction"]), []).append(one)

    def peak_of(spread: list[Share]) -> Fraction | None:
        return _peak(spread, from_ms, to_ms, window_ms, every_millisecond)

    found: dict[str, list[Reading]] = {}
    for (flow, *_, direction), together in groups.items():
        mine = _by_one_interface(together, peak_of)
        spread = [one.share for one in mine]
        peak = peak_of(spread)
        if peak is None:
            continue
        of_today = [one for one in mine if one.share.last_ms > from_ms and one.share.start_ms <= to_ms]
        today = [one.share for one in of_today]
        at_midnight = sum(s.bytes for s in spread if s.start_ms == s.last_ms == from_ms)
        carried = sum((s.inside(from_ms, to_ms) for s in spread), Fraction(0)) - at_midnight
        found.setdefault(flow, []).append(
            Reading(
                direction,
                peak,
                int(carried),
                len(today),
                sum(s.moved for s in today),
                max(min(s.start_ms for s in today), from_ms),
                min(max(s.last_ms for s in today), to_ms),
                _ecn_records(of_today),
            )
        )
    return found


@dataclass(frozen=True)
class Metered:
    """A record and how its bytes are spread."""

    record: Record
    share: Share

    def same(self, *names: str) -> tuple[int, ...]:
        return tuple(self.record[name] for name in names)


def _ecn_records(records: list["Metered"]) -> int | None:
    """Records with ECT(1), ECT(0) or CE, the codepoints 01, 10 and 11; -1 stands for a ToS that is not known."""
    octets = [one.record["tos"] for one in records]
    return None if -1 in octets else sum(octet % 4 in (1, 2, 3) for octet in octets)


def _without_copies(records: list[Record]) -> list[Metered]:
    """One of each set of records that agree in exporter, way, 5-tuple, times and counters: of the lowest domain and
    interface, unless another knows of an earlier record; of those that agree in all of this, of the lowest ToS.

    Of instants as many as the meter with most of them has: an exporter may send sampled packets one by one.
    """
    metered = [Metered(record, share) for record, share in zip(records, shares(records), strict=True)]
    kept: list[Metered] = []
    meter = ("exporter_domain", "input_interface", "output_interface")
    agreeing = ("exporter_hi", "exporter_lo", "direction", *FLOW, "first_ms", "last_ms", "bytes", "packets")
    for facts in sorted({one.same(*agreeing) for one in metered}):
        copies = [one for one in metered if one.same(*agreeing) == facts]
        if copies[0].record["first_ms"] < copies[0].record["last_ms"]:
            kept.append(min(copies, key=lambda one: (-one.share.start_ms, *one.same(*meter, "tos"))))
            continue
        sizes = {place: [o for o in copies if o.same(*meter) == place] for place in {o.same(*meter) for o in copies}}
        most = max(len(same) for same in sizes.values())
        kept += next(sizes[place] for place in sorted(sizes) if len(sizes[place]) == most)
    return kept


def _by_one_interface(together: list[Metered], peak_of: Callable[[list[Share]], Fraction | None]) -> list[Metered]:
    """Each 5-tuple at each exporter by the interface that saw its fullest window; the lowest number of equals."""
    kept: list[Metered] = []
    whose = ("exporter_hi", "exporter_lo", *FLOW)
    for stream in sorted({one.same(*whose) for one in together}):
        mine = [one for one in together if one.same(*whose) == stream]
        side = ("output_interface",) if mine[0].record["direction"] else ("input_interface",)
        choices = {
            number: [o for o in mine if o.same(*side) == number] for number in sorted({o.same(*side) for o in mine})
        }
        peaks = {number: peak_of([one.share for one in choice]) for number, choice in choices.items()}
        fullest = max((peak for peak in peaks.values() if peak is not None), default=None)
        kept += next(choices[number] for number in sorted(choices) if peaks[number] == fullest)
    return kept


def _peak(spread: list[Share], from_ms: int, to_ms: int, window_ms: int, every_millisecond: bool) -> Fraction | None:
    """The most bytes in a window that ends on the day, in a whole millisecond in which the flow is sending."""
    tried = ends_of_every_millisecond if every_millisecond else ends_at_edges
    ends = {end for end in tried(spread, window_ms) if from_ms < end <= to_ms} | {from_ms + 1, to_ms}
    sending = [end for end in ends if any(s.start_ms <= end <= s.last_ms for s in spread)]
    sums = (sum((s.inside(end - window_ms, end) for s in spread), Fraction(0)) for end in sending)
    return max(sums, default=None)
