"""Records of a router's day that are no evidence of what its exporters sent, and whether they leave it incomplete.

Of each file's time the share of records or bytes that was lost, whichever is more, is time that was not seen
(docs/decisions/0056-nothing-read-is-nothing-known.md).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from hntes.etl.ingest.exporter_baseline import SAMPLING_CHANGED, SAMPLING_LOWERED
from hntes.sql.entries import DayLoss, Doubt, ObservationEntry
from hntes.sql.exporter_counts import SlotCount

ALL_LOSSES = "all"
UNCLAIMED, PORT_EXCEEDED = "unclaimed", "port_exceeded"
UNANNOUNCED = "noted:unannounced"
_ASIDE = "set_aside:"
# Outcomes of records that are kept, and their causes.
_DOUBTED: Mapping[str, str] = {
    SAMPLING_LOWERED: "sampling_lowered",
    "noted:former_factor": "former_factor",
    "noted:other_domain_factor": "other_domain_factor",
    UNANNOUNCED: "unannounced",
    "noted:unused_sampler": "unused_sampler",
    "repaired:no_duration": "no_duration",
}
_CHANGED = SAMPLING_CHANGED.removeprefix(_ASIDE)
FACTOR_CAUSES = frozenset({
    _CHANGED, "sampling_lowered", "former_factor", "other_domain_factor", "unannounced", "unused_sampler",
})  # fmt: skip
# Above this share of a router's records a doubtful sampling factor leaves the day incomplete.
MAX_FACTOR_SHARE = 0.01
# What is neither a flow nor has bytes is not missed.
_NO_FLOW = "not_a_flow"
# Of losses that do not count, only the largest are stored: anybody can send records in many exporters' names.
MOST_REPORTED = 100


@dataclass
class Sums:
    """Records, and their bytes as stored."""

    records: int = 0
    bytes: int = 0

    def add(self, records: int, stored_bytes: int) -> None:
        """Adds others."""
        self.records += records
        self.bytes += stored_bytes

    def share_of(self, whole: "Sums") -> float:
        """The part of the whole, by records or by bytes, whichever is more."""
        by_records = self.records / whole.records if whole.records else 0.0
        by_bytes = self.bytes / whole.bytes if whole.bytes else 0.0
        return min(1.0, max(by_records, by_bytes))


@dataclass(frozen=True)
class Known:
    """What losses are compared with.

    exporters: those that are judged alone. excused: causes that do not count, by the settings. unclaimed: exporters
    without a router that count. slots_s: the time that the files of each start cover, without overlaps.
    """

    router: str
    day: date
    day_s: int
    min_coverage: float
    min_records: int
    exporters: Collection[str]
    excused: Collection[str]
    unclaimed: Collection[str]
    slots_s: Mapping[int, int]

    @property
    def covered_s(self) -> int:
        return sum(self.slots_s.values())

    @property
    def needed_s(self) -> float:
        return self.min_coverage * self.day_s


@dataclass
class _Seen:
    """Lost records and all records, by the start of the file."""

    lost: defaultdict[int, Sums] = field(default_factory=lambda: defaultdict(Sums))
    whole: defaultdict[int, Sums] = field(default_factory=lambda: defaultdict(Sums))

    def total(self, of: Mapping[int, Sums]) -> Sums:
        return Sums(sum(one.records for one in of.values()), sum(one.bytes for one in of.values()))

    def seen_s(self, known: Known) -> int:
        lost_s = sum(
            known.slots_s.get(start, 0) * lost.share_of(self.whole[start]) for start, lost in self.lost.items()
        )
        return int(known.covered_s - lost_s)

    def is_too_little(self, known: Known) -> bool:
        """Whether too little is left of the day, because of the losses and not of missing files alone."""
        seen_s, covered_s = self.seen_s(known), known.covered_s
        by_losses = covered_s >= known.needed_s or seen_s < known.min_coverage * covered_s
        return seen_s < known.needed_s and by_losses


def cause_of(outcome: str) -> str:
    """The cause of a loss, by the outcome of its records."""
    return _DOUBTED.get(outcome, outcome.removeprefix(_ASIDE))


def day_losses(losses: Iterable[SlotCount], kept: Iterable[SlotCount], known: Known) -> tuple[DayLoss, ...]:
    """The losses of a day, by exporter and cause; those of the whole router have no exporter and the cause `all`.

    Args:
        losses: Records by outcome, of the router or unclaimed.
        kept: The router's kept records (no exporter), and those of each exporter with losses.
        known: What they are compared with.
    """
    seen: defaultdict[str, _Seen] = defaultdict(_Seen)
    causes: defaultdict[tuple[str, str], Sums] = defaultdict(Sums)
    for one in kept:
        seen[one.exporter].whole[one.file_start_ms].add(one.records, one.bytes)
    for one in losses:
        cause = cause_of(one.outcome)
        records = one.records if cause != _NO_FLOW else 0
        causes[one.exporter, cause].add(one.records, one.bytes)
        is_counted = _is_counted(cause, one.exporter, known)
        for each in (seen[one.exporter], seen[""]) if is_counted else (seen[one.exporter],):
            if one.outcome not in _DOUBTED:
                each.whole[one.file_start_ms].add(records, one.bytes)
            if is_counted:
                each.lost[one.file_start_ms].add(records, one.bytes)
    return _rows(seen, causes, known) if causes else ()


def _is_counted(cause: str, exporter: str, known: Known) -> bool:
    return cause not in known.excused and (cause != UNCLAIMED or exporter in known.unclaimed)


def _rows(
    seen: Mapping[str, _Seen], causes: Mapping[tuple[str, str], Sums], known: Known
) -> tuple[DayLoss, ...]:  # fmt: skip
    router = seen[""]
    whole = router.total(router.whole)
    factors = sum(
        sums.records for (_, cause), sums in causes.items() if cause in FACTOR_CAUSES and cause not in known.excused
    )
    is_doubtful = factors > MAX_FACTOR_SHARE * whole.records
    is_too_little = router.is_too_little(known)
    rows = []
    for (exporter, cause), sums in causes.items():
        own = seen[exporter]
        own_whole = own.total(own.whole)
        is_gap = exporter in known.exporters and own_whole.records >= known.min_records and own.is_too_little(known)
        is_gap |= is_too_little and sums.share_of(whole) > MAX_FACTOR_SHARE
        is_gap |= is_doubtful and cause in FACTOR_CAUSES
        counts = is_gap and _is_counted(cause, exporter, known)
        rows.append(
            DayLoss(
                known.router, known.day, exporter, cause, sums.records, sums.bytes, own_whole.records, own_whole.bytes,
                own.seen_s(known), counts,
            )
        )  # fmt: skip
    lost = router.total(router.lost)
    rows.append(
        DayLoss(
            known.router, known.day, "", ALL_LOSSES, lost.records, lost.bytes, whole.records, whole.bytes,
            router.seen_s(known), is_too_little,
        )
    )  # fmt: skip
    rows.sort(key=lambda row: (not row.counts, row.exporter != "", -row.records, row.exporter, row.cause))
    counting = sum(row.counts for row in rows)
    return tuple(rows[: counting + MOST_REPORTED])


def port_losses(
    observations: Iterable[ObservationEntry], unlisted: Mapping[Doubt, int], whole: Sums, known: Known
) -> tuple[DayLoss, ...]:
    """The alpha flows that together exceed their port, by exporter: not all of them can be true, so none is evidence.

    They count if they have too much of the router's estimated bytes (`whole`), or were too many to be listed:
    `unlisted` are the alpha flows that are not among the observations, by doubt.
    """
    sums: defaultdict[str, Sums] = defaultdict(Sums)
    for one in observations:
        if one.doubt == "port_rate":
            sums[one.exporter].add(one.records, one.flow_bytes)
    share = min(1.0, sum(one.bytes for one in sums.values()) / whole.bytes) if whole.bytes else 0.0
    seen_s = int(known.covered_s * (1 - share))
    counts = PORT_EXCEEDED not in known.excused and (
        unlisted.get("port_rate", 0) > 0 or seen_s < known.min_coverage * known.covered_s
    )
    return tuple(
        DayLoss(
            known.router, known.day, exporter, PORT_EXCEEDED, one.records, one.bytes, whole.records, whole.bytes,
            seen_s, counts,
        )
        for exporter, one in sorted(sums.items())
    )  # fmt: skip
