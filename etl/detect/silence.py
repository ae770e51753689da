"""Exporters that fell silent: hours without a record in which they usually have many."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from statistics import median

from hntes.sql.folder_activity import ExporterHour

# An hour is compared with the same hour of this many days before it ...
FORMER_DAYS = 14
# ... if files were read in that hour on at least this many of them.
MIN_FORMER_DAYS = 3
DAY_HOURS = 24


def silent_hours(
    seen: Iterable[ExporterHour], file_hours: Collection[int], first_hour: int, usual_records: int
) -> dict[str, list[int]]:
    """Exporter -> hours of the day (0..23) in which files were read and it has no record, though it usually has many.

    Usually: a median of `usual_records` or more in the same hour of the former days in which files were read. So quiet
    nights are compared with quiet nights, and a removed exporter is reported for a week, not forever.
    `file_hours` and `seen` are in hours from 1970; `first_hour` is the day's first. `usual_records` 0: none is missed.
    """
    if not usual_records:
        return {}
    records: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for entry in seen:
        records[entry.exporter][entry.hour] = entry.records
    found: dict[str, list[int]] = {}
    for exporter, counts in records.items():
        for hour in range(first_hour, first_hour + DAY_HOURS):
            former = [hour - DAY_HOURS * back for back in range(1, FORMER_DAYS + 1)]
            usual = [counts.get(each, 0) for each in former if each in file_hours]
            is_silent = hour in file_hours and hour not in counts
            if is_silent and len(usual) >= MIN_FORMER_DAYS and median(usual) >= usual_records:
                found.setdefault(exporter, []).append(hour - first_hour)
    return found


def hours_text(hours: Iterable[int]) -> str:
    """Hours of a day as spans: `01:00-24:00`, `03:00-04:00, 06:00-08:00`.

    Example:
        >>> hours_text([1, 2, 3, 7])
        '01:00-04:00, 07:00-08:00'
    """
    spans: list[list[int]] = []
    for hour in sorted(hours):
        if spans and spans[-1][1] == hour:
            spans[-1][1] = hour + 1
        else:
            spans.append([hour, hour + 1])
    return ", ".join(f"{first:02}:00-{past:02}:00" for first, past in spans)
