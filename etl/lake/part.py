"""A part of the lake; etl/lake/parts.py writes them."""

import hashlib
from dataclasses import dataclass
from datetime import date
from pathlib import Path


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
