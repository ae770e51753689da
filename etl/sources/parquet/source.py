"""The flow source parquet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.rows import names
from hntes.etl.sources.scan import ALWAYS, Span
from hntes.files import open_file

if TYPE_CHECKING:
    from hntes.etl.sources.parquet.file import ParquetFile
    from hntes.etl.sources.scan import Scan
    from hntes.settings.ingest import Ingest

_MAGIC = b"PAR1"


@dataclass(frozen=True)
class ParquetSource:
    """Files of one table each; `ingest` describes their folders, and which column holds what."""

    ingest: Ingest | None = None

    name = "parquet"
    file_names = "flows-202611271425.parquet"
    worker_modules = ("hntes.etl.sources.parquet.file",)
    version = "1"

    def configured(self, settings: Ingest) -> ParquetSource:
        return replace(self, ingest=settings)

    def check(self) -> tuple[tuple[str, str], ...]:
        return ()

    def discover(self, folder: Path, timezone: str = "UTC", span: Span = ALWAYS) -> Scan:
        return names.discover(folder, timezone, (".parquet",), span)

    def identify(self, path: Path) -> int:
        try:
            with open_file(path) as stream:
                head = stream.read(len(_MAGIC))
        except OSError as cause:
            raise UnreadableFileError(f"the file cannot be opened: {cause.strerror}") from cause
        if head != _MAGIC:
            raise UnreadableFileError("not a Parquet file: it does not begin with PAR1")
        return 1

    def open(self, path: Path, layout: int) -> ParquetFile:  # noqa: ARG002 - there is one layout
        # loaded where files are read: it brings pyarrow
        from hntes.etl.sources.parquet.file import ParquetFile

        return ParquetFile(path, self.ingest.folder(path) if self.ingest else None)

    def isolated(self) -> ParquetSource | None:
        return None
