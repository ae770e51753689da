"""Division of a doubted flow's records into parts, so that added records fall into other parts than true ones."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from hntes.etl.days import day_bounds_ms
from hntes.etl.detect.full_times import by_full_times
from hntes.etl.detect.metering import Metered, without_repeats
from hntes.etl.detect.reading import Reader, Reading


def _way(record: Metered) -> tuple[int, ...]:
    return record.input_interface, record.output_interface, bool(record.packets)


# By metering point; by interfaces, those without packets apart.
_PARTS: tuple[Callable[[Metered], tuple[int, ...]], ...] = (lambda record: record.key, _way)
# After these by time.
_BY_TIME = len(_PARTS) + 1


@dataclass(frozen=True)
class Claim:
    """One reading of some records of a flow, which are alike in the first `divisions`; no two have one name.

    `origin` is the name of the claim that was divided by time; "" of others.
    """

    name: str
    reading: Reading
    records: Sequence[Metered]
    divisions: int = 0
    origin: str = ""

    @property
    def flow_id(self) -> str:
        return self.reading.flow_id

    @property
    def peak_bytes(self) -> int:
        return self.reading.observation.peak_bytes


@dataclass(frozen=True)
class Divider:
    """Divides the claims of one router and day."""

    reader: Reader
    _numbers: Iterator[int] = field(default_factory=count)
    # by origin: the records of times at which the flow is below the threshold
    _between: defaultdict[str, list[Metered]] = field(default_factory=lambda: defaultdict(list))

    def lesser(self, claim: Claim) -> list[Claim]:
        """Claims of fewer of its records; none if no fewer are an alpha flow."""
        for divisions, part_of in enumerate(_PARTS[claim.divisions :], claim.divisions + 1):
            alike: defaultdict[tuple[int, ...], list[Metered]] = defaultdict(list)
            for record in claim.records:
                alike[part_of(record)].append(record)
            if len(alike) > 1:
                return self._claims(claim, alike.values(), divisions)
        if claim.divisions == _BY_TIME:
            return self._halved(claim)
        return [*self._as_reported(claim), *(self._by_time(claim) or self._halved(claim))]

    def joined(self, claim: Claim, believed: Iterable[Claim]) -> Claim | None:
        """With all times of its flow that are believed, and those below the threshold; None if it is these."""
        if not claim.origin:
            return None
        parts = [each.records for each in believed if each.origin == claim.origin]
        records = [record for part in (*parts, self._between[claim.origin]) for record in part]
        if len(records) == len(claim.records):
            return None
        (whole,) = self._claims(claim, [records], _BY_TIME) or (None,)
        return whole if whole is not None and whole.peak_bytes >= claim.peak_bytes else None

    def _as_reported(self, claim: Claim) -> list[Claim]:
        if not any(record.start_moved for record in claim.records):
            return []
        reported = [record._replace(start_ms=record.first_ms, start_moved=0) for record in claim.records]
        return self._claims(claim, [reported], len(_PARTS))

    def _by_time(self, claim: Claim) -> list[Claim]:
        """By the times at which it is above the threshold; what lies in none of them is divided once more."""
        rule = self.reader.rule
        bounds = day_bounds_ms(self.reader.day)
        times, others = by_full_times(claim.records, rule.window_ms, rule.threshold_bytes, bounds)
        if len(times) + bool(others) < 2:
            return []
        origin = replace(claim, origin=claim.origin or claim.name)
        found = []
        for records in times:
            of_time = self._claims(origin, [records], _BY_TIME)
            found += of_time
            others += [] if of_time else records
        if found:
            found += (rest := self._claims(origin, [others], len(_PARTS)) if others else [])
            self._between[origin.origin] += [] if rest else others
        return found

    def _halved(self, claim: Claim) -> list[Claim]:
        """Without its largest records, about half of the peak."""
        by_size = sorted(without_repeats(claim.records), key=lambda record: record.bytes)
        kept = by_size[: _kept(claim.reading, by_size, self.reader.rule.threshold_bytes)]
        return self._claims(claim, [kept], _BY_TIME) if len(kept) < len(by_size) else []

    def _claims(self, claim: Claim, parts: Iterable[Sequence[Metered]], divisions: int) -> list[Claim]:
        """Of those parts that are alpha flows."""
        found = []
        for records in parts:
            in_order = sorted(records)
            reading = self.reader.reading(in_order)
            if reading is not None:
                name = f"{claim.flow_id} #{next(self._numbers)}"
                peak, place = replace(reading.peak, flow_id=name), replace(reading.place, flow_id=name)
                named = replace(reading, peak=peak, place=place)
                found.append(Claim(name, named, in_order, divisions, claim.origin))
        return found


def _kept(reading: Reading, records: Sequence[Metered], threshold_bytes: int) -> int:
    """The number of leading records that carry half of the peak, or more until the threshold is exceeded."""
    begin, end, half_bytes = reading.peak.start_ms, reading.peak.end_ms, reading.peak.bytes / 2
    sent_bytes = 0
    for number, record in enumerate(records):
        inside, whole = record.span.share(begin, end)
        added = record.bytes * inside // whole
        if sent_bytes > threshold_bytes and sent_bytes + added > half_bytes:
            return number
        sent_bytes += added
    return len(records)
