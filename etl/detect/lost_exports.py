"""Export packets that did not reach the collector, by the sequence numbers of their exporters.

Source: RFC 3954 section 5.1 (Sequence Number) and RFC 7011 section 3.1: an incremental counter with which a collector
finds that packets are missing. nfcapd counts by exporter how often a number was not the next one; each time at least
one packet was lost.
"""

from collections import defaultdict
from math import ceil

from hntes.etl.ingest.exports import EXPORT_PACKETS, SEQUENCE_FAILURES
from hntes.sql.exporter_counts import SlotCount, exports_by_slot, kept_of_exporters
from hntes.sql.session import Session

LOST_EXPORTS = "lost_exports"
# Fewer jumps of a day do not show whether an exporter counts packets.
MIN_JUMPS = 20
# From this share of jumping packets on, an exporter numbers them otherwise. A forged packet makes two jumps at most,
# its own and that of the true one after it, so that a third as many as true ones hide true losses (decision 56).
_MOST_JUMPING = 0.5


def lost_records(session: Session, folder: str, router: str, from_ms: int, to_ms: int) -> list[SlotCount]:
    """How many records and bytes the lost packets had, at least, by exporter and file, if they were like the others."""
    packets, jumps = _exports(session, folder, router, from_ms, to_ms)
    numbered = {exporter for exporter in jumps if not _is_unnumbered(packets[exporter], jumps[exporter])}
    if not numbered:
        return []
    kept = defaultdict[tuple[str, int], list[int]](lambda: [0, 0])
    for one in kept_of_exporters(session, folder, router, numbered, from_ms, to_ms):
        sums = kept[one.exporter, one.file_start_ms]
        sums[0] += one.records
        sums[1] += one.bytes
    return [
        _lost(router, exporter, start_ms, jumped, packets[exporter][start_ms], kept[exporter, start_ms])
        for exporter in sorted(numbered)
        for start_ms, jumped in sorted(jumps[exporter].items())
    ]


def unnumbered_exporters(
    session: Session, folder: str, router: str, from_ms: int, to_ms: int
) -> dict[str, tuple[int, int]]:  # fmt: skip
    """Exporters whose sequence numbers do not count packets: packets and jumps of each."""
    packets, jumps = _exports(session, folder, router, from_ms, to_ms)
    return {
        exporter: (sum(packets[exporter].values()), sum(jumped.values()))
        for exporter, jumped in sorted(jumps.items())
        if _is_unnumbered(packets[exporter], jumped)
    }


_BySlot = defaultdict[str, defaultdict[int, int]]


def _exports(session: Session, folder: str, router: str, from_ms: int, to_ms: int) -> tuple[_BySlot, _BySlot]:
    """Packets and jumps by exporter and file, of files with jumps."""
    packets: _BySlot = defaultdict(lambda: defaultdict(int))
    jumps: _BySlot = defaultdict(lambda: defaultdict(int))
    of = {EXPORT_PACKETS: packets, SEQUENCE_FAILURES: jumps}
    for one in exports_by_slot(session, folder, router, from_ms, to_ms):
        of[one.outcome][one.exporter][one.file_start_ms] += one.records
    return packets, jumps


def _is_unnumbered(packets: dict[int, int], jumps: dict[int, int]) -> bool:
    total = sum(jumps.values())
    return total >= MIN_JUMPS and total > _MOST_JUMPING * sum(packets.values())


def _lost(router: str, exporter: str, start_ms: int, jumps: int, packets: int, kept: list[int]) -> SlotCount:
    records, size_bytes = (ceil(number * jumps / max(packets, 1)) for number in kept)
    return SlotCount(start_ms, router, exporter, LOST_EXPORTS, records, size_bytes)
