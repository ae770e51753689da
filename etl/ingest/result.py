"""The result of reading a flow file."""

from dataclasses import dataclass

from hntes.etl.ingest.router_exporters import Evidence
from hntes.etl.lake.part import Part

# Part of every ingest hash: raise it when the same file would give other rows.
ROWS_VERSION = 10


@dataclass(frozen=True)
class ReadFile:
    """The result for one flow file; `reason` is empty unless it was set aside as a whole.

    `is_final` is false where the program that reads was stopped at its limits, or could not be used on the machine that
    read the file: the next run tries again.
    `sequence_failures` are those that the file attributes to no exporter.
    `is_unchanged` is false where the file holds something else than before it was read, or is gone: then nothing of it
    counts.
    """

    sha256: str
    size_bytes: int
    reason: str = ""
    is_final: bool = True
    is_unchanged: bool = True
    layout: int | None = None
    promised_records: int | None = None
    read_records: int = 0
    sequence_failures: int | None = 0  # None: the collector does not tell
    parts: tuple[Part, ...] = ()
    counts: tuple[tuple[str, str, int, int], ...] = ()  # router, outcome, records, bytes
    exporters: tuple[tuple[str, str, str, int, int], ...] = ()  # router, exporter, outcome, records, bytes
    evidence: tuple[Evidence, ...] = ()
    warnings: tuple[str, ...] = ()
