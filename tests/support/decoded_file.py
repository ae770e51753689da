"""A flow file as the native reader decodes it, without the promise that is checked after it."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from hntes.etl.sources.nfcapd.native import NativeBatch, NativeFile
from hntes.etl.sources.source import Exporter, Promise


class DecodedFile:
    """Its blocks, and what they name; each reading begins anew."""

    marks_are_lost = False

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, NativeFile(path)

    @property
    def promise(self) -> Promise:
        return self._file.promise

    def blocks(self) -> Iterator[NativeBatch]:
        self._file = NativeFile(self._path)
        yield from self._file.batches()

    def exporters(self) -> list[Exporter]:
        return self._file.exporters

    def warnings(self) -> list[str]:
        return []


class ShownFile(DecodedFile):
    """The same, all of whose records are shown to the rules of ingest."""

    def blocks(self) -> Iterator[pa.RecordBatch]:
        yield from (batch.batch() for batch in super().blocks())
