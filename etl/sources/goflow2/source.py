"""The flow source goflow2."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.rows import names
from hntes.etl.sources.scan import ALWAYS, Span

if TYPE_CHECKING:
    from hntes.etl.sources.goflow2.file import Goflow2File
    from hntes.etl.sources.scan import Scan
    from hntes.settings.ingest import Ingest

# Of version 1 and of version 2.
_MARKS = {1: frozenset({"SamplerAddress", "TimeReceived"}), 2: frozenset({"sampler_address", "time_received_ns"})}
_ENDINGS = (".json", ".jsonl", ".ndjson", ".log")


@dataclass(frozen=True)
class Goflow2Source:
    """Files of JSON lines by goflow2; it needs no settings."""

    name = "goflow2"
    file_names = "goflow2-202611271425.json.zst"
    worker_modules = ("hntes.etl.sources.goflow2.file",)
    version = "1"

    def configured(self, settings: Ingest) -> Goflow2Source:  # noqa: ARG002 - the protocol's
        return self

    def check(self) -> tuple[tuple[str, str], ...]:
        return ()

    def discover(self, folder: Path, timezone: str = "UTC", span: Span = ALWAYS) -> Scan:
        return names.discover(folder, timezone, _ENDINGS, span)

    def identify(self, path: Path) -> int:
        from hntes.etl.sources.rows.file import first_keys

        for keys in first_keys(path):
            for layout, marks in _MARKS.items():
                if keys & marks:
                    return layout
        raise UnreadableFileError("its JSON objects are no flows of goflow2: they have no sampler_address")

    def open(self, path: Path, layout: int) -> Goflow2File:
        # loaded where files are read: it brings pyarrow
        from hntes.etl.sources.goflow2.file import opened

        return opened(path, layout)

    def isolated(self) -> Goflow2Source | None:
        return None
