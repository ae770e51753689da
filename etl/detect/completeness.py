"""Completeness of a router's day in flow files: only complete days count for ageing.

docs/concepts/completeness.md explains the limits and their reasons.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

from hntes.etl.days import DAY_MS, day_bounds_ms
from hntes.etl.detect.doubts import doubt_notes
from hntes.etl.detect.loss_ledger import DayActivity, losses_of_day
from hntes.etl.detect.losses import Known
from hntes.etl.detect.lost_exports import MIN_JUMPS, unnumbered_exporters
from hntes.etl.detect.silence import DAY_HOURS, FORMER_DAYS, hours_text, silent_hours
from hntes.etl.ingest.outcomes import ASSUMED_TIMES, LOSSES_UNTOLD, PERIOD_TIMES
from hntes.etl.sources.scan import usual_distance_s
from hntes.format import counted
from hntes.sql.entries import DayEntry, DayLoss, FileEntry
from hntes.sql.folder_activity import HOUR_MS, exporter_hours, file_starts_ms, hours_with_files
from hntes.sql.ledger import counts_of_folder, files_of_folder, parts_between, parts_of_day
from hntes.sql.session import Session

DAY_S = DAY_MS // 1000
HOUR_S = HOUR_MS // 1000
# An export packet of version 9 holds about as many records (1,464 bytes of some 60 each), one of version 5 up to 30.
RECORDS_PER_PACKET = 24
# Share of records in files of other hours that is reported: with names an hour off it is 1.7% of an even day.
MIN_MISPLACED_SHARE = 0.01
# Minimum number of files to estimate the distance between them.
MIN_DISTANCES = 12


@dataclass(frozen=True)
class DayRules:
    """Requirements of a complete day.

    `rotation_s` is the time that one file covers; `exporters` are the router's (empty: all of the folder);
    `usual_records` an hour make an exporter's silence a gap (0: no exporter is missed); `accepted_losses` are causes
    that do not count; `file_timezone` is that of the file names; detection reads files that start up to
    `max_record_delay_s` before and after a day.
    """

    min_coverage: float
    rotation_s: int = 300
    exporters: frozenset[str] = frozenset()
    usual_records: int = 100
    accepted_losses: frozenset[str] = frozenset()
    file_timezone: str = "UTC"
    max_record_delay_s: int = 2100


@dataclass(frozen=True)
class SettledDay:
    """The status of a day without the words on its losses, the losses, and what they were compared with."""

    status: DayEntry
    losses: tuple[DayLoss, ...]
    known: Known


@dataclass(frozen=True)
class _Remark:
    """One sentence on the day, and whether it makes the day incomplete."""

    is_shortcoming: bool
    text: str


@dataclass(frozen=True)
class _Day:
    """The ledger's data of a day: the folder's files that start on it, and the outcomes of their records."""

    session: Session
    router: str
    folder: str
    day: date
    rules: DayRules
    files: tuple[FileEntry, ...]
    records: int
    activity: DayActivity

    @property
    def bounds_ms(self) -> tuple[int, int]:
        return day_bounds_ms(self.day)

    @property
    def read(self) -> list[FileEntry]:
        return _read(self.files)

    @property
    def covered_s(self) -> int:
        return sum(self.activity.slots_s.values())


def settle_day(session: Session, router: str, folder: Path, day: date, rules: DayRules) -> SettledDay:
    """The status of a router's day, from the ledger of its flow folder.

    A day is complete when at least one file was read, the files that could be read cover `min_coverage` of it, less
    what was lost of their records, no exporter that usually sends was silent for longer than that leaves, no more
    export packets were lost than that, the router has flow records, and most of them name that time.
    """
    known = _day(session, router, str(folder), day, rules)
    remarks = sorted(_remarks(known), key=lambda remark: not remark.is_shortcoming)
    losses, compared = losses_of_day(known.activity, rules.min_coverage, rules.usual_records, rules.accepted_losses)
    is_gap = any(remark.is_shortcoming for remark in remarks) or any(loss.counts for loss in losses)
    status = DayEntry(
        router=router,
        day=day,
        expected_s=DAY_S,
        covered_s=known.covered_s,
        files=len(known.files),
        quarantined_files=sum(entry.state == "quarantined" for entry in known.files),
        records=known.records,
        complete=not is_gap,
        reason="; ".join(remark.text for remark in remarks),
    )
    return SettledDay(status, losses, compared)


def _day(session: Session, router: str, folder: str, day: date, rules: DayRules) -> _Day:
    from_ms, to_ms = day_bounds_ms(day)
    files = files_of_folder(session, folder, from_ms, to_ms)
    since_ms = from_ms - FORMER_DAYS * DAY_MS
    activity = DayActivity(
        session, router, folder, day, _slots_s(_read(files), rules.rotation_s, to_ms), rules.exporters,
        exporter_hours(session, folder, since_ms, to_ms), hours_with_files(session, folder, since_ms, to_ms),
    )  # fmt: skip
    records = sum(part.records for part in parts_of_day(session, router, day, folder))
    return _Day(session, router, folder, day, rules, files, records, activity)


def _remarks(known: _Day) -> Iterator[_Remark]:
    aside = sum(entry.state == "quarantined" for entry in known.files)
    if not known.read:
        yield _Remark(True, "no flow file could be read")
    else:
        yield from _of_coverage(known)
        yield from _of_silence(known)
        yield from _of_unnumbered_exporters(known)
        yield from _of_unattributed_jumps(known)
        yield from _of_clock(known)
    if known.read and not known.records:
        # the collector writes files even when the exporter is silent or has another address
        yield _Remark(True, f"no flow record of this router in {len(known.read)} files")
    yield from _of_doubts(known)
    yield from _of_source(known)
    if aside:
        yield _Remark(False, f"{aside} of {len(known.files)} files set aside as unreadable")


def _of_doubts(known: _Day) -> Iterator[_Remark]:
    counted_records = counts_of_folder(known.session, known.folder, *known.bounds_ms)
    own = [count for count in counted_records if count.router == known.router]
    for note in doubt_notes(own):
        yield _Remark(False, note)


def _of_source(known: _Day) -> Iterator[_Remark]:
    """What the collector's files cannot tell: no shortcoming of the day, but of what follows from it."""
    found = counts_of_folder(known.session, known.folder, *known.bounds_ms)
    counts = {count.outcome: count.records for count in found if count.router == known.router}
    kept = counts.get("kept", 0)
    if summed := counts.get(PERIOD_TIMES):
        yield _Remark(
            False, f"{summed} of {counted(kept, 'record')} are sums over a time bin: alpha flows in them are averages"
        )
    if assumed := counts.get(ASSUMED_TIMES):
        yield _Remark(
            False, f"{assumed} of {counted(kept, 'record')} have assumed times: alpha flows of them are weak evidence"
        )
    if any(count.outcome == LOSSES_UNTOLD for count in found):
        yield _Remark(False, "the collector does not tell how many exports it missed")


def _of_coverage(known: _Day) -> Iterator[_Remark]:
    from_ms, to_ms = known.bounds_ms
    rules, covered_s = known.rules, known.covered_s
    if covered_s < rules.min_coverage * DAY_S:
        yield _Remark(True, f"files cover {covered_s} of {DAY_S} s, less than {rules.min_coverage:.0%}")
    starts = file_starts_ms(known.session, known.folder, from_ms - FORMER_DAYS * DAY_MS, to_ms)
    usual_s = usual_distance_s(starts)
    if len(starts) > MIN_DISTANCES and usual_s is not None and abs(usual_s - rules.rotation_s) > rules.rotation_s / 10:
        yield _Remark(False, f"files usually start {usual_s} s apart, but rotation_s is {rules.rotation_s}: correct it")
    if covered_s < DAY_S and _repeats_an_hour(known.day, rules.file_timezone):
        yield _Remark(
            False,
            f"the hour that {rules.file_timezone} repeats at the end of DST has only one set of file names: run the "
            "collector in UTC (TZ=UTC)",
        )


def _of_silence(known: _Day) -> Iterator[_Remark]:
    from_ms, _ = known.bounds_ms
    rules, activity = known.rules, known.activity
    seen = [entry for entry in activity.hours if not rules.exporters or entry.exporter in rules.exporters]
    silent = silent_hours(seen, activity.file_hours, from_ms // HOUR_MS, rules.usual_records)
    for exporter, hours in silent.items():
        heard_s = known.covered_s - len(hours) * HOUR_S
        yield _Remark(
            heard_s < rules.min_coverage * DAY_S,
            f"exporter {exporter} sent nothing in {counted(len(hours), 'hour')} in which it usually sends "
            f"{rules.usual_records} records or more ({hours_text(hours)} UTC)",
        )


def _of_unnumbered_exporters(known: _Day) -> Iterator[_Remark]:
    where = (known.session, known.folder, known.router)
    for exporter, (packets, jumps) in unnumbered_exporters(*where, *known.bounds_ms).items():
        yield _Remark(
            False,
            f"exporter {exporter}: sequence numbers jumped {jumps} times in {packets} packets: they do not count "
            "packets, so losses cannot be measured",
        )


def _of_unattributed_jumps(known: _Day) -> Iterator[_Remark]:
    """Jumps that files attribute to no exporter. Each is a lost export packet or more."""
    counts = counts_of_folder(known.session, known.folder, *known.bounds_ms)
    jumps = sum(count.records for count in counts if count.outcome == "noted:export_sequence_failures")
    packets = sum(entry.read_records for entry in known.read) / RECORDS_PER_PACKET
    if jumps < MIN_JUMPS:
        return
    jumped = f"the exporters' sequence numbers jumped {jumps} times in about {packets:.0f} packets"
    if jumps > packets / 2:
        yield _Remark(False, f"{jumped}: they do not count packets, so losses cannot be measured")
    else:
        is_too_many = jumps > (1 - known.rules.min_coverage) * (packets + jumps)
        yield _Remark(is_too_many, f"{jumped}: at least {jumps / (packets + jumps):.1%} of the packets were lost")


def _of_clock(known: _Day) -> Iterator[_Remark]:
    found = counts_of_folder(known.session, known.folder, *known.bounds_ms)
    counts = {count.outcome: count.records for count in found if count.router == known.router}
    old, kept = counts.get("noted:days_old", 0), counts.get("kept", 0)
    if 2 * old > kept:
        yield _Remark(
            True,
            f"{old} of {kept} records end more than a day before they were received: the exporter's clock is wrong "
            'or the files are replays; `clock = "collector"` takes the collector\'s time',
        )
    misplaced, total = _misplaced(known)
    misplaced -= old
    if misplaced > MIN_MISPLACED_SHARE * total:
        yield _Remark(
            misplaced > (1 - known.rules.min_coverage) * total,
            f"{misplaced} of {total} records end on a day whose detection does not read their file: correct "
            "`file_timezone`, or the exporter's clock (`clock = \"collector\"` takes the collector's time)",
        )


def _misplaced(known: _Day) -> tuple[int, int]:
    """Of the router's records in the day's files, the number that no day's detection reads, and the total."""
    late_ms = known.rules.max_record_delay_s * 1000
    misplaced = total = 0
    for part in parts_between(known.session, known.router, *known.bounds_ms, known.folder):
        from_ms, to_ms = day_bounds_ms(part.day)
        total += part.records
        misplaced += 0 if from_ms - late_ms <= part.file_start_ms < to_ms + late_ms else part.records
    return misplaced, total


def _is_empty_copy(entry: FileEntry) -> bool:
    """Counts files with equal content, too: files without records can be identical, and each covers its own time."""
    return entry.state == "duplicate" and entry.promised_records == 0


def _read(files: Iterable[FileEntry]) -> list[FileEntry]:
    return [entry for entry in files if entry.state == "ingested" or _is_empty_copy(entry)]


def _slots_s(files: Iterable[FileEntry], rotation_s: int, to_ms: int) -> dict[int, int]:
    """Seconds of the day that the files of each start cover: to one rotation after it, or to the next start."""
    starts = sorted({entry.file_start_ms for entry in files})
    return {
        start: (min(start + rotation_s * 1000, later) - start) // 1000 for start, later in pairwise([*starts, to_ms])
    }


def _repeats_an_hour(day: date, timezone: str) -> bool:
    """Whether the zone's clocks are set back on that UTC day."""
    zone, midnight = ZoneInfo(timezone), datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
    hours = (datetime.fromtimestamp(midnight + hour * HOUR_S, zone).utcoffset() for hour in range(DAY_HOURS + 1))
    offsets = [offset for offset in hours if offset is not None]
    return any(later < sooner for sooner, later in pairwise(offsets))
