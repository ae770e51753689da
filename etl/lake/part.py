"""Parts of the lake and their removal; etl/lake/parts.py writes them."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from hntes.etl.lake.url import Lake, LakeUrl

_ROOTS = ("flows", "set_aside")


@dataclass(frozen=True)
class Part:
    """One Parquet file of the lake: the rows of one flow file that belong to one router and day."""

    router: str
    day: date
    name: str  # relative to the lake
    records: int
    bytes: int
    sha256: str  # of the file as it was written


def folder_tag(folder: Path) -> str:
    """A short name of a flow folder, the first piece of its parts' names."""
    return hashlib.sha256(str(folder).encode()).hexdigest()[:8]


def remove_parts(lake: Lake, names: Iterable[str]) -> int:
    """Removes parts by their names; those that are gone already are none. Returns how many were removed."""
    if isinstance(lake, LakeUrl):
        return sum((lake / name).remove() for name in names)
    found = [lake / name for name in names if (lake / name).is_file()]
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)


def sweep(lake: Lake, tag: str, wanted: Iterable[str]) -> int:
    """Removes parts of a folder that the ledger does not name, and unfinished writes of them; returns how many.

    The caller holds the folder's lock.
    """
    if isinstance(lake, LakeUrl):
        return lake.remove_others(_ROOTS, tag, set(wanted))
    keep = {lake / name for name in wanted}
    removed = 0
    for root in _ROOTS:
        for path in sorted((lake / root).rglob(f"*{tag}-*")):
            mine = path.name.removeprefix(".").startswith(f"{tag}-")
            if mine and path.is_file() and path not in keep:
                path.unlink()
                removed += 1
    return removed
