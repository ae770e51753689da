"""The flow source pmacct."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.rows import names
from hntes.etl.sources.scan import ALWAYS, Span

if TYPE_CHECKING:
    from hntes.etl.sources.pmacct.file import Row
    from hntes.etl.sources.rows.file import JsonFile
    from hntes.etl.sources.scan import Scan
    from hntes.settings.ingest import Ingest

_KEYS = frozenset({"ip_src", "ip_dst", "bytes"})
_ENDINGS = (".json", ".jsonl", ".ndjson", ".log", ".txt")


@dataclass(frozen=True)
class PmacctSource:
    """Files of JSON lines by nfacctd, sfacctd, pmacctd or uacctd; `ingest` describes their folders."""

    ingest: Ingest | None = None

    name = "pmacct"
    file_names = "pmacct-20261127-1425.json"
    worker_modules = ("hntes.etl.sources.pmacct.file",)
    version = "1"

    def configured(self, settings: Ingest) -> PmacctSource:
        return replace(self, ingest=settings)

    def check(self) -> tuple[tuple[str, str], ...]:
        return ()

    def discover(self, folder: Path, timezone: str = "UTC", span: Span = ALWAYS) -> Scan:
        return names.discover(folder, timezone, _ENDINGS, span)

    def identify(self, path: Path) -> int:
        from hntes.etl.sources.rows.file import first_keys

        if any(keys >= _KEYS for keys in first_keys(path)):
            return 1
        raise UnreadableFileError("its JSON objects are no flows of pmacct: they have no ip_src, ip_dst and bytes")

    def open(self, path: Path, layout: int) -> JsonFile[Row]:  # noqa: ARG002 - there is one layout
        # loaded where files are read: it brings pyarrow
        from hntes.etl.sources.pmacct.file import opened

        return opened(path, self.ingest.folder(path) if self.ingest else None)

    def isolated(self) -> PmacctSource | None:
        return None
