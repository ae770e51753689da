"""Verification of the lake against the ledger, as each reading does it, without using the rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from hntes.etl.errors import ChangedPartError, GonePartError
from hntes.etl.lake.store import Store, store_of
from hntes.settings.model import Router
from hntes.sql import ledger
from hntes.sql.entries import LakePart
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.errors import message

# (parts done, parts, the one that was done last)
Progress = Callable[[int, int, str], object]
_EARLIEST_MS, _LATEST_MS = -(1 << 62), 1 << 62


@dataclass
class LakeCheck:
    """How many parts the ledger has, and what became of them.

    hashed: with their SHA-256. summed: older than the hash, with their records and bytes alone. gone: no longer in the
    lake, as those of pruned days. changed: not what was written; why, by the part's name in the lake.
    """

    parts: int
    hashed: int = 0
    summed: int = 0
    gone: int = 0
    changed: dict[str, str] = field(default_factory=dict)


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
    parts = [part for router in routers for part in _parts(context, router, day)]
    found = LakeCheck(len(parts))
    store = store_of(context.lake)
    for number, part in enumerate(parts, start=1):
        _verify(store, part, found)
        progress(number, len(parts), part.part)
    return found


def _verify(store: Store, part: LakePart, found: LakeCheck) -> None:
    try:
        with store.nearby([part]):
            pass
    except GonePartError:
        found.gone += 1
    except ChangedPartError as problem:
        found.changed[part.part] = message(problem)
    else:
        if part.sha256:
            found.hashed += 1
        else:
            found.summed += 1


def _parts(context: Context, router: Router, day: date | None) -> tuple[LakePart, ...]:
    folder = str(router.flow_folder)
    with reading(context.database) as session:
        if day is not None:
            return ledger.parts_of_day(session, router.name, day, folder)
        return ledger.parts_between(session, router.name, _EARLIEST_MS, _LATEST_MS, folder)
