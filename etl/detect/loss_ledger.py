"""The losses of a router's day by the ledger of its flow folder."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from statistics import median

from hntes.etl.days import DAY_MS, day_bounds_ms
from hntes.etl.detect.losses import UNANNOUNCED, UNCLAIMED, Known, day_losses
from hntes.etl.detect.lost_exports import lost_records
from hntes.etl.detect.silence import DAY_HOURS, FORMER_DAYS, MIN_FORMER_DAYS
from hntes.sql.entries import DayLoss
from hntes.sql.exporter_counts import SlotCount, kept_by_slot, kept_of_exporters, losses_by_slot, sampled_records
from hntes.sql.folder_activity import HOUR_MS, ExporterHour
from hntes.sql.session import Session

# Own records below this share of the usual ones: the router's traffic may be that of an exporter that it does not list.
_USUAL_SHARE = 0.5
# An exporter is taken for a sampling one if at least this share of its former records was sampled.
_SAMPLED_SHARE = 0.5


@dataclass(frozen=True)
class DayActivity:
    """A router's day: the files' cover, the exporters that it lists, and the folder's exporters of the days before.

    slots_s: seconds of the day that files of each start cover. exporters: the router's (empty: all of the folder).
    hours: records by exporter and hour, of this day and the FORMER_DAYS before it. file_hours: hours with files.
    """

    session: Session
    router: str
    folder: str
    day: date
    slots_s: Mapping[int, int]
    exporters: frozenset[str]
    hours: tuple[ExporterHour, ...]
    file_hours: Collection[int]

    @property
    def bounds_ms(self) -> tuple[int, int]:
        return day_bounds_ms(self.day)

    def daily_records(self) -> dict[int, dict[str, int]]:
        """Records by exporter of each day with files, counted back from this one (0)."""
        last_hour = self.bounds_ms[1] // HOUR_MS - 1
        days: dict[int, dict[str, int]] = {(last_hour - hour) // DAY_HOURS: {} for hour in self.file_hours}
        for one in self.hours:
            records = days.setdefault((last_hour - one.hour) // DAY_HOURS, {})
            records[one.exporter] = records.get(one.exporter, 0) + one.records
        return days


def losses_of_day(
    activity: DayActivity, min_coverage: float, min_records: int, excused: Collection[str]
) -> tuple[tuple[DayLoss, ...], Known]:
    """The losses, and what they were compared with.

    `min_records` on the day make an exporter one that is judged alone (0: none is); `excused` causes do not count.
    """
    where = (activity.session, activity.folder, activity.router)
    from_ms, to_ms = activity.bounds_ms
    lost = [
        *losses_by_slot(*where, from_ms, to_ms), *_unannounced(activity), *lost_records(*where, from_ms, to_ms),
    ]  # fmt: skip
    known = Known(
        activity.router, activity.day, DAY_MS // 1000, min_coverage, max(min_records, 1), exporters=(), excused=excused,
        unclaimed=(), slots_s=activity.slots_s,
    )  # fmt: skip
    if not lost:
        return (), known
    days = activity.daily_records()
    known = replace(
        known,
        exporters=_known_exporters(activity, days) if min_records else (),
        unclaimed=_missed(activity, days, (one.exporter for one in lost if one.outcome == UNCLAIMED)),
    )
    exporters = {one.exporter for one in lost}
    kept = (*kept_by_slot(*where, from_ms, to_ms), *kept_of_exporters(*where, exporters, from_ms, to_ms))
    return day_losses(lost, kept, known), known


def _known_exporters(activity: DayActivity, days: Mapping[int, Mapping[str, int]]) -> frozenset[str]:
    """Those that the router lists, or that were accepted on several of the days before."""
    if activity.exporters:
        return activity.exporters
    former = [exporter for back, records in days.items() if back for exporter in records]
    return frozenset(exporter for exporter in set(former) if former.count(exporter) >= MIN_FORMER_DAYS)


def _missed(
    activity: DayActivity, days: Mapping[int, Mapping[str, int]], unclaimed: Iterable[str]
) -> frozenset[str]:  # fmt: skip
    """The unclaimed exporters that may have sent what the router's own did on the days before."""
    strangers = frozenset(unclaimed)
    if not strangers:
        return strangers
    own = {back: sum(n for one, n in records.items() if one in activity.exporters) for back, records in days.items()}
    former = [records for back, records in own.items() if back]
    if len(former) < MIN_FORMER_DAYS or own.get(0, 0) < _USUAL_SHARE * median(former):
        return strangers
    accepted = {exporter for back, records in days.items() if back for exporter in records}
    return strangers & accepted


def _unannounced(activity: DayActivity) -> list[SlotCount]:
    """Records of exporters that were mostly sampled on the days before, and of which none is on this day."""
    from_ms, to_ms = activity.bounds_ms
    where = activity.session, activity.folder
    now = {one.exporter: one for one in sampled_records(*where, from_ms, to_ms) if one.unsampled and not one.sampled}
    if activity.exporters:
        now = {exporter: one for exporter, one in now.items() if exporter in activity.exporters}
    if not now:
        return []
    former = sampled_records(*where, from_ms - FORMER_DAYS * DAY_MS, from_ms)
    silent = {
        one.exporter
        for one in former
        if one.exporter in now and one.sampled >= _SAMPLED_SHARE * (one.sampled + one.unsampled)
    }
    if not silent:
        return []
    kept = kept_of_exporters(*where, activity.router, silent, from_ms, to_ms)
    return [replace(one, outcome=UNANNOUNCED) for one in kept]
