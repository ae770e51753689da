"""Context of a record's judgement: facts about the other records of its file.

A file is judged block by block, each by what the blocks so far say. Where something that was used turns out otherwise
by the end of the file, the file is judged once more, by what its end says: so a file of one block and the same file in
many give the same. Most files are read once.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from math import gcd
from typing import Generic, TypeVar

from hntes.etl.ingest.exporter_clock import Lags
from hntes.etl.sources.named_exporters import ExporterKey, named_key
from hntes.etl.sources.source import Exporter

# Records that become estimates in one way: number of the claim, upper and lower half of the exporter's address, the
# collector's number for exporter and domain, the collector's mark.
GroupKey = tuple[int, int, int, int, int]
# Upper and lower half of an exporter's address.
Halves = tuple[int, int]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Used = TypeVar("Used")


class Knowledge(Generic[Key, Value, Used]):
    """One kind of thing to know, by key: joined over the blocks of one reading, and what of it was used."""

    def __init__(
        self,
        join: Callable[[Value, Value], Value],
        as_used: Callable[[Value], Used],
        known: Mapping[Key, Value] | None = None,
    ) -> None:
        """`known` is what an earlier reading found in the whole file; `as_used` makes of it what is used.

        `changes` grows where something is found that was not, or was another value.
        """
        self._join, self._known, self._as_used = join, known or {}, as_used
        self.found: dict[Key, Value] = {}
        self.changes = 0
        self._used: dict[Key, Used] = {}
        self._is_constant = True

    def see(self, key: Key, value: Value) -> None:
        """Takes note of what a block says."""
        if key in self.found:
            before = self.found[key]
            value = self._join(before, value)
            if value is before or value == before:
                return
        self.found[key] = value
        self.changes += 1

    def use(self, key: Key) -> Used:
        """What is known of a key that was seen; remembered, so that `holds` can say whether it was right."""
        value = self._as_used(self._known.get(key, self.found[key]))
        self.note(key, value)
        return value

    def expected(self, key: Key, default: Used) -> Used:
        """What an earlier reading says of a key, whether it was seen or not; whoever uses it notes that."""
        return self._as_used(self._known[key]) if key in self._known else default

    def note(self, key: Key, value: Used) -> None:
        """Remembers that this was used of a key that was seen."""
        before = self._used.setdefault(key, value)
        self._is_constant &= before is value or before == value

    def holds(self) -> bool:
        """Whether all that was used is what the whole file says, once it was read to its end."""
        return self._is_constant and all(value == self._as_used(self.found[key]) for key, value in self._used.items())

    def again(self) -> "Knowledge[Key, Value, Used]":
        """For another reading, which uses what this one found."""
        return Knowledge(self._join, self._as_used, self.found)


# So many records of one kind outweigh one of the other, which may be forged.
_OUTWEIGHING = 9


def _later(_: Exporter | None, later: Exporter | None) -> Exporter | None:
    return later


def _sums(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]


def _itself(value: Value) -> Value:
    return value


def _has_whole_seconds(records: tuple[int, int]) -> bool:
    whole, others = records
    return whole > others


def _are_nearly_all(records: tuple[int, int]) -> bool:
    one, other = records
    return one >= _OUTWEIGHING * other


def _steps(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return gcd(one[0], other[0]), gcd(one[1], other[1])


def _union(one: frozenset[int], other: frozenset[int]) -> frozenset[int]:
    return one | other


@dataclass(frozen=True)
class FileContext:
    """All kinds of knowledge of one file.

    exporters: number and address -> what the file names for them. rates: halves of an exporter's address -> the factors
    that it announces for all traffic, in whatever observation domain. lags: claim, halves of an exporter's address ->
    the times from its records' ends to their reception. whole_seconds: halves of an exporter's address -> how many of
    its records have times in whole seconds, and how many others; used is whether it knows no milliseconds. instants:
    the same -> how many records of several packets do not last, and how many records last; used is whether it gives no
    durations. multiples: how many records of a group are multiples of the factor that the file names, and how many are
    not; used is whether the collector multiplied by it.
    steps: the largest number that divides the bytes, and the packets, of all records of a group as they are stored.
    packet_step: the same of the packets of those records that are believed.
    """

    exporters: Knowledge[ExporterKey, Exporter | None, Exporter | None] = field(
        default_factory=lambda: Knowledge(_later, _itself)
    )
    rates: Knowledge[Halves, frozenset[int], frozenset[int]] = field(default_factory=lambda: Knowledge(_union, _itself))
    lags: Knowledge[tuple[int, int, int], Lags, int] = field(
        default_factory=lambda: Knowledge(Lags.joined, lambda lags: lags.offset_ms)
    )
    whole_seconds: Knowledge[Halves, tuple[int, int], bool] = field(
        default_factory=lambda: Knowledge(_sums, _has_whole_seconds)
    )
    instants: Knowledge[Halves, tuple[int, int], bool] = field(
        default_factory=lambda: Knowledge(_sums, _are_nearly_all)
    )
    multiples: Knowledge[GroupKey, tuple[int, int], bool] = field(
        default_factory=lambda: Knowledge(_sums, _are_nearly_all)
    )
    steps: Knowledge[GroupKey, tuple[int, int], tuple[int, int]] = field(
        default_factory=lambda: Knowledge(_steps, _itself)
    )
    packet_step: Knowledge[GroupKey, int, int] = field(default_factory=lambda: Knowledge(gcd, _itself))

    @property
    def exporter_changes(self) -> int:
        """Grows where something new is known of the exporters."""
        return self.exporters.changes + self.rates.changes

    def see_rates(self, named: Iterable[Exporter]) -> None:
        """Takes note of the factors that exporters announce for all their traffic."""
        for one in named:
            found = frozenset({one.factor}) if one.factor and one.general else frozenset()
            self.rates.see(named_key(one)[1:], found)

    def other_domain(self, halves: tuple[int, int]) -> int | None:
        """The only factor that an exporter announces for all traffic, if it is more than 1; else None."""
        self.rates.see(halves, frozenset())
        found = self.rates.use(halves)
        (factor,) = found if len(found) == 1 else (1,)
        return factor if factor > 1 else None

    def named_exporter(self, sysid: int) -> Exporter | None:
        """What the file names for a number in records that do not have their exporter's address; such were seen."""
        exporter = self.exporters.use((sysid, 0, 0))
        if exporter and (key := named_key(exporter)) not in self.exporters.found:
            self.exporters.see(key, exporter)
        return exporter

    def holds(self) -> bool:
        """Whether every record was judged by what the whole file says."""
        kinds = (
            self.exporters, self.rates, self.lags, self.whole_seconds, self.instants, self.multiples, self.steps,
            self.packet_step,
        )  # fmt: skip
        return all(kind.holds() for kind in kinds)

    def again(self) -> "FileContext":
        """For another reading, which uses what this one found."""
        return FileContext(
            self.exporters.again(), self.rates.again(), self.lags.again(), self.whole_seconds.again(),
            self.instants.again(), self.multiples.again(), self.steps.again(), self.packet_step.again(),
        )  # fmt: skip
