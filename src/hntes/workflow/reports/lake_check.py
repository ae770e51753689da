"""Verification of the lake against the ledger, as each reading does it, without using the rows.

A day of a router at a time: a year of many routers has millions of parts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from hntes import clock
from hntes.etl.errors import ChangedPartError, GonePartError
from hntes.etl.lake.store import Store, store_of
from hntes.settings.model import Router
from hntes.sql import ledger
from hntes.sql.entries import LakePart
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.errors import message
from hntes.workflow.reports.lake_retention import first_kept_day

# (parts done, parts, the one that was done last)
Progress = Callable[[int, int, str], object]


@dataclass(frozen=True)
class LostDay:
    """A router's day of which parts are gone although the settings keep it, and how many."""

    router: str
    day: date
    parts: int


@dataclass
class LakeCheck:
    """How many parts the ledger has, and what became of them.

    hashed: with their SHA-256. summed: older than the hash, with their records and bytes alone. gone: no longer in the
    lake. lost: those of them that are of days which `[retention]` keeps, by router and day. changed: not what was
    written; why, by the part's name in the lake.
    """

    parts: int = 0
    hashed: int = 0
    summed: int = 0
    gone: int = 0
    lost: list[LostDay] = field(default_factory=list)
    changed: dict[str, str] = field(default_factory=dict)

    @property
    def lost_parts(self) -> int:
        """The gone parts of days that are kept."""
        return sum(each.parts for each in self.lost)


def check_lake(
    context: Context, routers: Sequence[Router], day: date | None, progress: Progress = lambda *_: None
) -> LakeCheck:
    """Verifies the parts of these routers, of one day or all (None). A lake that is no folder is read as a whole.

    Raises:
        CommandError: the day is in the future.
        LakeError: the lake's file system cannot be reached.
    """
    if day is not None:
        context.require_come(day)
    found, store = LakeCheck(), store_of(context.lake)
    first_kept = first_kept_day(context.settings, clock.today())
    days = [(router, *each) for router in routers for each in _days(context, router, day)]
    done, total = 0, sum(count for _, _, count in days)
    for router, each, _ in days:
        gone = []
        for part in _parts(context, router, each):
            if not _is_there(store, part, found):
                gone.append(part.part)
            found.parts, done = found.parts + 1, done + 1
            progress(done, max(done, total), part.part)
        missing = _still_named(context, gone)
        found.gone += missing
        found.parts -= len(gone) - missing
        if missing and each >= first_kept:
            found.lost.append(LostDay(router.name, each, missing))
    return found


def _is_there(store: Store, part: LakePart, found: LakeCheck) -> bool:
    """Whether a part is in the lake, changed or not; counts it if so."""
    try:
        with store.nearby([part]):
            pass
    except GonePartError:
        return False
    except ChangedPartError as problem:
        found.changed[part.part] = message(problem)
    else:
        if part.sha256:
            found.hashed += 1
        else:
            found.summed += 1
    return True


def _still_named(context: Context, gone: Sequence[str]) -> int:
    """How many of these parts the ledger still has: a night beside this may have read their files again."""
    if not gone:
        return 0
    with reading(context.database) as session:
        return len(ledger.named_parts(session, gone))


def _days(context: Context, router: Router, day: date | None) -> list[tuple[date, int]]:
    """The days to be verified, and how many parts each has."""
    with reading(context.database) as session:
        days = ledger.parts_by_day(session, router.name, str(router.flow_folder))
    return [(each, parts) for each, parts in days.items() if day in (None, each)]


def _parts(context: Context, router: Router, day: date) -> tuple[LakePart, ...]:
    with reading(context.database) as session:
        return ledger.parts_of_day(session, router.name, day, str(router.flow_folder))
