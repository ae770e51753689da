"""Whether a router's day is covered by flow files: only complete days count for ageing."""

from datetime import date
from pathlib import Path

from sqlalchemy.orm import Session

from etl.days import DAY_MS, day_bounds_ms
from etl.nfcapd.folder import rotation_s
from sql.entries import DayEntry, FileEntry
from sql.ledger import counts_of_folder, files_of_folder, parts_of_day

DAY_S = DAY_MS // 1000


def settle_day(session: Session, router: str, folder: Path, day: date, min_coverage: float) -> DayEntry:
    """The status of a router's day, from the ledger of its flow folder.

    A file covers the time from its own start for one rotation of the collector (the most common distance between
    files). A day is complete when at least one file was read, `min_coverage` of it is covered by files that could be
    read, the router has flow records in them, and most of their records name that time.
    """
    from_ms, to_ms = day_bounds_ms(day)
    files = files_of_folder(session, str(folder), from_ms, to_ms)
    rotation = rotation_s(entry.file_start_ms for entry in files)
    read = [entry for entry in files if entry.state == "ingested" or _is_empty_copy(entry)]
    covered_s = _covered_s(read, rotation, from_ms, to_ms)
    aside = sum(entry.state == "quarantined" for entry in files)
    records = sum(part.records for part in parts_of_day(session, router, day))
    shortcomings = _shortcomings(session, router, folder, day, read, covered_s, min_coverage)
    if read and not records:
        # the collector writes its files even when the exporter is silent or has got another address
        shortcomings.append(f"no flow record of this router in {len(read)} files")
    notes = [f"{aside} of {len(files)} files set aside as unreadable"] if aside else []
    return DayEntry(
        router=router,
        day=day,
        expected_s=DAY_S,
        covered_s=covered_s,
        files=len(files),
        quarantined_files=aside,
        records=records,
        complete=not shortcomings,
        reason="; ".join(shortcomings + notes),
    )


def _shortcomings(
    session: Session, router: str, folder: Path, day: date, read: list[FileEntry], covered_s: int, min_coverage: float
) -> list[str]:
    if not read:
        return ["no flow file could be read"]
    reasons = []
    if covered_s < min_coverage * DAY_S:
        reasons.append(f"files cover {covered_s} of {DAY_S} s, less than {min_coverage:.0%}")
    counts = {
        count.outcome: count.records
        for count in counts_of_folder(session, str(folder), *day_bounds_ms(day))
        if count.router == router
    }
    old, kept = counts.get("noted:days_old", 0), counts.get("kept", 0)
    if 2 * old > kept:
        reasons.append(
            f"{old} of {kept} records end more than a day before they were received: the exporter's clock is wrong "
            'or the files are replays; `clock = "collector"` takes the collector\'s time'
        )
    return reasons


def _is_empty_copy(entry: FileEntry) -> bool:
    """Files without records can be equal byte by byte, and each one covers its own time all the same."""
    return entry.state == "duplicate" and entry.promised_records == 0


def _covered_s(files: list[FileEntry], rotation: int, from_ms: int, to_ms: int) -> int:
    covered_ms, reach = 0, from_ms
    for start in sorted(entry.file_start_ms for entry in files):
        end = min(start + rotation * 1000, to_ms)
        covered_ms += max(0, end - max(start, reach))
        reach = max(reach, end)
    return covered_ms // 1000
