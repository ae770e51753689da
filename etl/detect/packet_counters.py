"""Flows of which no packets were counted, by exporters that count them.

An exporter whose template has no packet counter has none in any record. Where it has one, bytes in no packets are
damaged or forged. Which of both it is the majority of its records says: anyone can send a few under its address.
"""

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from hntes.etl.detect.metering import Metered

# Exporter (two halves of its address) and IP version: templates of the two versions may differ.
Counter: TypeAlias = tuple[int, int, int]


class PacketCounters:
    """Which exporters count packets: those with packets in at least half of the records of the day's candidates."""

    def __init__(self) -> None:
        self._lead: Tally[Counter] = Tally()

    def seeing(self, records: Iterable[Metered]) -> Iterator[Metered]:
        """The records as they are; takes note of each that passes."""
        for record in records:
            if record.bytes:
                self._lead[_counter(record)] += 1 if record.packets else -1
            yield record

    def contradict(self, uncounted: frozenset[Counter]) -> bool:
        """Whether any of these exporters counts packets. Call it after all records were seen."""
        return any(self._lead[counter] >= 0 for counter in uncounted)


def uncounted(records: Sequence[Metered]) -> frozenset[Counter]:
    """The exporters of records with bytes and no packets, if these have most of the bytes; else none."""
    without = [record for record in records if not record.packets and record.bytes]
    if 2 * sum(record.bytes for record in without) <= sum(record.bytes for record in records):
        return frozenset()
    return frozenset(map(_counter, without))


def _counter(record: Metered) -> Counter:
    return record.exporter_hi, record.exporter_lo, record.ip_version
