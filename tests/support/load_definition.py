"""What the load of an egress interface is, written down from its definition alone, a record and a minute at a time.

Nothing here uses the program's SQL, masks or addresses: it is the oracle that they are compared with.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address

from hntes.addresses import Network
from tests.support.alpha_definition import FLOW, Record, shares

MINUTE_MS = 60_000


@dataclass
class Defined:
    """(interface, minute, in the alpha queue) -> bytes and packets; and what is counted again elsewhere."""

    bytes: dict[tuple[int, int, bool], int] = field(default_factory=lambda: defaultdict(int))
    packets: dict[tuple[int, int, bool], int] = field(default_factory=lambda: defaultdict(int))
    repeated_bytes: int = 0
    repeated_records: int = 0


def loads(
    records: list[Record], pairs: Iterable[tuple[Network, Network]], from_ms: int, to_ms: int,
    sum_exporters: bool = False,
) -> Defined:  # fmt: skip
    listed = list(pairs)
    defined = Defined()
    for flow in {tuple(record[name] for name in FLOW) for record in records}:
        points: dict[tuple[int, int, int], list[tuple[int, Record]]] = defaultdict(list)
        for record, share in zip(records, shares(records), strict=True):
            if tuple(record[name] for name in FLOW) == flow:
                exporter = (0, 0) if sum_exporters else (record["exporter_hi"], record["exporter_lo"])
                point = (*exporter, record["direction"])
                points[point].append((share.start_ms, record))
        chosen = _most_read(points, from_ms, to_ms)
        for point, mine in points.items():
            for start_ms, record in mine:
                _spread(defined, record, start_ms, point == chosen, in_alpha(record, listed), from_ms, to_ms)
    return defined


def _most_read(
    points: Mapping[tuple[int, int, int], list[tuple[int, Record]]], from_ms: int, to_ms: int
) -> tuple[int, int, int] | None:
    """The point with most bytes on known interfaces, then most bytes, then egress, then the lowest exporter."""
    rows = []
    for (hi, lo, direction), mine in points.items():
        today = [r for _, r in mine if r["last_ms"] >= from_ms and r["first_ms"] < to_ms]
        known = sum(r["bytes"] for r in today if r["output_interface"] > 0)
        if today:
            rows.append((-known, -sum(r["bytes"] for r in today), -direction, hi, lo))
    return (min(rows)[3], min(rows)[4], -min(rows)[2]) if rows else None


def _spread(
    defined: Defined, record: Record, start_ms: int, counts: bool, alpha: bool, from_ms: int, to_ms: int
) -> None:
    seen = False
    for minute in range(start_ms // MINUTE_MS, record["last_ms"] // MINUTE_MS + 1):
        begin, end = minute * MINUTE_MS, (minute + 1) * MINUTE_MS
        holds = start_ms < end and (record["last_ms"] > begin or start_ms == record["last_ms"] >= begin)
        if not (holds and from_ms <= begin < to_ms):
            continue
        byte_count = _between(record["bytes"], start_ms, record["last_ms"], begin, end)
        if counts:
            key = (record["output_interface"], minute, alpha)
            defined.bytes[key] += byte_count
            defined.packets[key] += _between(record["packets"], start_ms, record["last_ms"], begin, end)
        else:
            defined.repeated_bytes += byte_count
            defined.repeated_records += not seen
        seen = True


def _between(total: int, start_ms: int, last_ms: int, begin: int, end: int) -> int:
    """What a counter that grows evenly from `start_ms` to `last_ms` gains, in whole units."""
    if start_ms == last_ms:
        return total

    def counted(moment: int) -> int:
        inside = min(max(moment, start_ms), last_ms) - start_ms
        return total * inside // (last_ms - start_ms)

    return counted(end) - counted(begin)


def in_alpha(record: Record, pairs: list[tuple[Network, Network]]) -> bool:
    """Whether some pair holds both hosts of the record."""
    ends = []
    for end in ("src", "dst"):
        six = IPv6Address((record[f"{end}_hi"] % 2**64) * 2**64 + record[f"{end}_lo"] % 2**64)
        ends.append(IPv4Address(record[f"{end}_lo"]) if record["ip_version"] == 4 else six)
    return any(ends[0] in source and ends[1] in destination for source, destination in pairs)
