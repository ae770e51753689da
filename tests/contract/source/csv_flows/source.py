"""Files of one flow per line behind a line that says how many; named flows-YYYYMMDDhhmm.csv."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from hntes.etl import arrow_columns
from hntes.etl.addresses import text_halves
from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.scan import ALWAYS, Scan, Span, UnusableNameError, scan_folder
from hntes.etl.sources.schema import FLOW, RECORD_SCHEMA
from hntes.etl.sources.source import Exporter, Promise
from hntes.settings.ingest import Ingest

_NAME = re.compile(r"flows-([0-9]{12})\.csv")
_HEAD = re.compile(r"# flows 1 records=([0-9]+) exporter=(\S+) sampling=([0-9]+)\n")
FIELDS = ("first_ms", "last_ms", "source", "destination", "src_port", "dst_port", "protocol", "packets", "bytes")
_BATCH_RECORDS = 100


def csv_file(exporter: str, factor: int, flows: list[tuple[object, ...]]) -> str:
    """The text of a file: flows with the values of FIELDS."""
    head = f"# flows 1 records={len(flows)} exporter={exporter} sampling={factor}\n"
    return head + "".join(",".join(map(str, flow)) + "\n" for flow in flows)


@dataclass(frozen=True)
class CsvSource:
    """The source; it needs no settings."""

    name = "csv"
    file_names = "flows-202611201815.csv"
    worker_modules = ("tests.contract.source.csv_flows.source",)
    version = "1"

    def configured(self, settings: Ingest) -> "CsvSource":  # noqa: ARG002 - the protocol's
        return self

    def check(self) -> tuple[tuple[str, str], ...]:
        return (("csv", "read by Python"),)

    def discover(self, folder: Path, timezone: str = "UTC", span: Span = ALWAYS) -> Scan:
        return scan_folder(folder, partial(_start_ms, zone=ZoneInfo(timezone)), span=span)

    def identify(self, path: Path) -> int:
        _head(path)
        return 1

    def open(self, path: Path, layout: int) -> "CsvFile":  # noqa: ARG002 - there is one layout
        return CsvFile(path)

    def isolated(self) -> "CsvSource | None":
        return None


class CsvFile:
    """An opened file."""

    marks_are_lost = False

    def __init__(self, path: Path) -> None:
        self._path = path
        records, address, factor = _head(path)
        self.promise = Promise(records, None, 0)
        self._exporters = [Exporter(1, address, factor, True)]

    def exporters(self) -> list[Exporter]:
        return self._exporters

    def blocks(self) -> Iterator[pa.RecordBatch]:
        lines = self._path.read_text(encoding="utf-8").splitlines()[1:]
        if len(lines) != self.promise.records:
            raise UnreadableFileError(f"it promises {self.promise.records} records, {len(lines)} can be read")
        for begin in range(0, len(lines), _BATCH_RECORDS):
            yield self._batch(list(csv.reader(lines[begin : begin + _BATCH_RECORDS])))

    def warnings(self) -> list[str]:
        return []

    def _batch(self, rows: list[list[str]]) -> pa.RecordBatch:
        columns = {field.name: np.zeros(len(rows), field.type.to_pandas_dtype()) for field in RECORD_SCHEMA}
        try:
            for number, row in enumerate(rows):
                found = dict(zip(FIELDS, row, strict=True))
                for end, name in (("src", "source"), ("dst", "destination")):
                    hi, lo, version = text_halves(found.pop(name))
                    place = {"hi": f"{end}6_hi", "lo": f"{end}6_lo" if version == 6 else f"{end}4"}
                    columns[place["hi"]][number], columns[place["lo"]][number] = hi, lo
                    columns[f"{end}{version}_version"][number] = version
                columns["in_packets"][number], columns["in_bytes"][number] = found.pop("packets"), found.pop("bytes")
                for name, text in found.items():
                    columns[name][number] = int(text)
        except (ValueError, KeyError) as cause:
            raise UnreadableFileError(f"a line is not one of a flow: {cause}") from cause
        columns["kind"][:], columns["sysid"][:] = FLOW, 1
        columns["received_ms"] = columns["last_ms"]
        for part, half in zip(("hi", "lo", "version"), text_halves(self._exporters[0].address), strict=True):
            columns[f"exporter_{part}"][:] = half
        return arrow_columns.batch(columns, RECORD_SCHEMA)


def _start_ms(name: str, zone: ZoneInfo) -> int | None:
    match = _NAME.fullmatch(name)
    if not match:
        return None
    try:
        start = datetime.strptime(match[1], "%Y%m%d%H%M").replace(tzinfo=zone)
    except ValueError as cause:
        raise UnusableNameError("its name has an invalid date or time") from cause
    return int(start.timestamp()) * 1000


def _head(path: Path) -> tuple[int, str, int]:
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            head = stream.readline()
    except OSError as cause:
        raise UnreadableFileError(f"the file cannot be opened: {cause.strerror}") from cause
    found = _HEAD.fullmatch(head)
    if not found:
        raise UnreadableFileError("not a file of flows: its first line does not say so")
    return int(found[1]), found[2], int(found[3])
