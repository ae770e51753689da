"""The sums of a file's counters: as the file's own statistics give them, and as its records add up.

nfdump writes the statistics when it writes the records, and reads each from its own place in the file, so damage to
one of them shows. Source: UpdateStatRecord and the v5, v9 and IPFIX collectors of nfdump 1.6 and 1.7: the totals hold
the counters of both directions; the sums by protocol those of the first direction where nfcapd wrote the file, of both
where nfdump did. Seen equal in every good file of both layouts and of all compressions.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

# nfdump adds up in unsigned 64-bit numbers
_WRAP = 1 << 64
_TCP, _UDP = 6, 17
KINDS = ("all", "tcp", "udp", "other")
COUNTERS = ("packets", "bytes")
_LINES = {"all": ("",), "tcp": ("_tcp",), "udp": ("_udp",), "other": ("_icmp", "_other")}


@dataclass(frozen=True)
class Sums:
    """Packets and bytes by protocol (`all`, `tcp`, `udp`, `other`): (kind, counter) -> sum, modulo 2^64."""

    of: dict[tuple[str, str], int]


@dataclass
class RecordSums:
    """The sums of a file's records, table by table: of the first direction, and of both."""

    first: dict[tuple[str, str], int] = field(default_factory=lambda: dict.fromkeys(_keys(), 0))
    both: dict[tuple[str, str], int] = field(default_factory=lambda: dict.fromkeys(_keys(), 0))
    records: int = 0

    def add(self, raw: pa.Table) -> None:
        """Adds the records of a raw table (etl/nfcapd/records.py)."""
        self.records += raw.num_rows
        protocol = pc.fill_null(raw["proto"], 0)
        tcp, udp = pc.equal(protocol, _TCP), pc.equal(protocol, _UDP)
        masks = {"tcp": tcp, "udp": udp, "other": pc.invert(pc.or_(tcp, udp))}
        for kind, counter in _keys():
            rows = raw if kind == "all" else raw.filter(masks[kind])
            first, second = (_sum(rows[f"{way}_{counter}"]) for way in ("in", "out"))
            self.first[kind, counter] = (self.first[kind, counter] + first) % _WRAP
            self.both[kind, counter] = (self.both[kind, counter] + first + second) % _WRAP

    def differences(self, promised: Sums) -> list[str]:
        """What the records do not add up to, in words; empty where all sums hold."""
        return [
            f"{wanted} {counter}{'' if kind == 'all' else f' of {kind}'}, its records have {self.first[kind, counter]}"
            for (kind, counter), wanted in promised.of.items()
            if wanted not in (self.first[kind, counter], self.both[kind, counter])
        ]


def promised_sums(statistics: str) -> Sums | None:
    """The sums that `nfdump -I` prints; None where one is missing."""
    found = dict(re.findall(r"^(\w+): (\d+)$", statistics, re.MULTILINE))
    of = {}
    for kind, counter in _keys():
        names = [f"{counter.capitalize()}{suffix}" for suffix in _LINES[kind]]
        if any(name not in found for name in names):
            return None
        of[kind, counter] = sum(int(found[name]) for name in names) % _WRAP
    return Sums(of)


def _keys() -> Iterable[tuple[str, str]]:
    return [(kind, counter) for kind in KINDS for counter in COUNTERS]


def _sum(column: pa.ChunkedArray) -> int:
    """Modulo 2^64, as Arrow adds up unsigned numbers."""
    return int(pc.sum(column, min_count=0).as_py())
