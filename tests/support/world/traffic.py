"""What flows through the routers of a world, and what their collectors make of it.

Transfers are of a few pairs of sites, each in the years of its life; ordinary traffic is small. What is true of a day
is known apart from the files: they may be lost, cut off, doubled, or have records that somebody forged.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from tests.support.written_flow_files import ExportedRecord, ExporterRecord, FlowRecord, flow_file

FIRST_DAY = date(2026, 3, 1)
ROTATION_S = 21_600
FILES_A_DAY = 86_400 // ROTATION_S
INDEX_EDGE, INDEX_CORE = 501, 502
# Pairs of sites by number: the source's prefix, and to where they send.
TRANSFERS = tuple(range(10, 19))
TARGET = "203.0.113.7"
# Sources of reserved transfers, which never have an alpha flow.
RESERVED = tuple(range(100, 104))
# Its prefix holds an address of the network's own, so that it never becomes a rule.
PROTECTED = 19
# Below the threshold, unless each record counts twice.
NEARLY = 30
# Only somebody who forges says so.
FORGED = 40
GB = 10**9


@dataclass(frozen=True)
class Day:
    """What was true of a router's day, and what happened to its files."""

    day: date
    alpha: frozenset[int]
    fault: str = ""

    @property
    def is_good(self) -> bool:
        return not self.fault or self.fault in ("doubled", "forged beyond the port", "forged martians")


def source_of(number: int) -> str:
    return f"198.18.{number}.5"


def pair_of(number: int) -> str:
    """As HNTES writes the pair of prefixes."""
    return f"198.18.{number}.0/24>203.0.113.0/24"


def true_alpha(seed: int, router: int, day: date) -> frozenset[int]:
    """The pairs that had an alpha flow through a router on a day: some are seldom, some live for a while."""
    number = (day - FIRST_DAY).days
    found = {PROTECTED}
    for pair in TRANSFERS:
        life = random.Random(f"{seed} {router} {pair}")
        begins, lasts, chance = life.randint(-20, 40), life.randint(8, 60), life.choice((0.3, 0.6, 0.95))
        is_sent = random.Random(f"{seed} {router} {pair} {number}").random() < chance
        if begins <= number < begins + lasts and is_sent:
            found.add(pair)
    return frozenset(found)


def write_day(folder: Path, exporter: str, today: Day, draw: random.Random) -> None:
    """Writes the files of a router's day."""
    folder.mkdir(parents=True, exist_ok=True)
    start = datetime(today.day.year, today.day.month, today.day.day, tzinfo=UTC)
    harmed = draw.randrange(FILES_A_DAY)
    for number in range(FILES_A_DAY):
        begins = start + timedelta(seconds=number * ROTATION_S)
        fault = today.fault if number == harmed else ""
        content = _file(begins, exporter, today.alpha, fault)
        if content is not None:
            (folder / f"nfcapd.{begins:%Y%m%d%H%M}").write_bytes(content)


def _file(begins: datetime, exporter: str, alpha: frozenset[int], fault: str) -> bytes | None:
    if fault == "lost file":
        return None
    begins_ms = round(begins.timestamp() * 1000)
    at = int(ip_address(exporter))
    records = [_flow(begins_ms, _slot(pair), source_of(pair), 2 * GB, 1_500_000) for pair in sorted(alpha)]
    records.append(_flow(begins_ms, 50, source_of(NEARLY), 7 * GB // 10, 500_000))
    records += [_flow(begins_ms, 60 + each, f"192.0.2.{100 + each}", 2_000_000, 2000) for each in range(10)]
    if fault in _FORGED:
        records += _FORGED[fault](begins_ms, _slot(min(alpha)))
    if fault == "doubled":
        records += records
    records = [replace(each, exporter=at) for each in records]
    exported = ExportedRecord(1, 1000, 300 if fault == "lost exports" else 0, len(records))
    content = flow_file([[ExporterRecord(1, at), *records, exported]], has_sums=True)
    return content[: len(content) // 2] if fault == "cut off" else content


def _flow(begins_ms: int, slot: int, source: str, byte_count: int, packets: int, lasts_ms: int = 20_000) -> FlowRecord:
    first_ms = begins_ms + 120_000 * slot + 1000
    return FlowRecord(
        first_ms, first_ms + lasts_ms, first_ms + lasts_ms + 1000, packets, byte_count, int(ip_address(source)),
        int(ip_address(TARGET)), input_interface=INDEX_EDGE, output_interface=INDEX_CORE,
    )  # fmt: skip


def _slot(pair: int) -> int:
    """Each has a time of its own, the same in every file: equal questions have answers that worlds remember."""
    return pair - TRANSFERS[0]


def _beyond_the_port(begins_ms: int, _: int) -> Sequence[FlowRecord]:
    """A record of 300 GB in 20 s: 120 Gbit/s at a port of 10."""
    return [_flow(begins_ms, 80, source_of(FORGED), 300 * GB, 200_000_000)]


def _martians(begins_ms: int, _: int) -> Sequence[FlowRecord]:
    return [_flow(begins_ms, 80 + n, one, 2 * GB, 1_500_000) for n, one in enumerate(("127.0.0.9", "240.9.9.9"))]


def _filled_port(begins_ms: int, slot: int) -> Sequence[FlowRecord]:
    """Forty records of 3 GB in the same 20 s, at the time of a true flow."""
    one = _flow(begins_ms, slot, source_of(FORGED), 3 * GB, 2_000_000)
    return [replace(one, source_port=1000 + n) for n in range(40)]


_FORGED = {
    "forged beyond the port": _beyond_the_port,
    "forged martians": _martians,
    "forged: a filled port": _filled_port,
}
FAULTS = ("lost file", "cut off", "doubled", "lost exports", *_FORGED)
