"""Installations with alpha flows of known bytes in their database, for what reads only that: no night is run."""

from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

from hntes.etl.days import day_bounds_ms
from hntes.sql import day_status, observations
from hntes.sql.engine import open_database
from hntes.sql.entries import DayEntry, ObservationEntry
from hntes.sql.session import transaction
from tests.support.entries import observation
from tests.support.installation import Installation, installation_in

GB = 10**9
FIRST = date(2026, 11, 16)
# Of five days: /24 pairs that are new on the first day, so that it is missed and the four others are queued.
DAYS = tuple(FIRST + timedelta(days=number) for number in range(5))


def flow(router: str, day: date, source: str, destination: str, gigabytes: int, **changes: object) -> ObservationEntry:
    """An alpha flow from noon on, for a minute."""
    noon_ms = day_bounds_ms(day)[0] + 43_200_000
    made = {
        "router": router, "day": day, "flow_id": f"{source} {destination} {day}", "source": source,
        "destination": destination, "first_ms": noon_ms, "last_ms": noon_ms + 60_000,
        "flow_bytes": gigabytes * GB, "burst_bytes": gigabytes * GB, "peak_bytes": 2 * GB,
    }  # fmt: skip
    return observation(**(made | changes))


def steady(router: str, gigabytes: int) -> list[ObservationEntry]:
    """One flow a day, each between other hosts of one pair of /24."""
    return [flow(router, day, f"198.18.10.{number + 1}", "203.0.113.9", gigabytes) for number, day in enumerate(DAYS)]


def stored(folder: Path, flows: Iterable[ObservationEntry], **replaced: str) -> Installation:
    """An installation whose database has these flows."""
    site = installation_in(folder, **replaced)
    put(site, flows)
    return site


def put(site: Installation, flows: Iterable[ObservationEntry]) -> None:
    """Stores alpha flows as those of their days, which count as processed."""
    days: dict[tuple[str, date], list[ObservationEntry]] = {}
    for each in flows:
        days.setdefault((each.router, each.day), []).append(each)
    engine = open_database(site.database_url)
    with transaction(engine) as session:
        for (router, day), rows in days.items():
            observations.replace_day(session, router, day, rows)
            day_status.replace_day_status(session, DayEntry(router, day, 86_400, 86_400, 1, 0, 9, True, ""))
    engine.dispose()
