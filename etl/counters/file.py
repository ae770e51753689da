"""Interface counters in CSV or Parquet files: time, router, interface, in_octets, out_octets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from hntes.etl.counters.arithmetic import octets_of_deltas, octets_of_readings
from hntes.etl.counters.source import CounterSourceError, Direction, IntervalOctets
from hntes.etl.days import DAY_MS, day_of_ms

if TYPE_CHECKING:
    from hntes.settings.counters import Counters

_COLUMNS = ("time", "router", "interface", "in_octets", "out_octets")
MAX_BYTES = 512 << 20
_DIRECTIONS: tuple[tuple[Direction, str], ...] = (("in", "in_octets"), ("out", "out_octets"))


@dataclass(frozen=True)
class FileSource:
    """Files of counters; times are ISO 8601 (UTC without an offset), seconds since 1970, or Parquet timestamps."""

    path: Path = Path()
    is_delta: bool = False
    max_interval_ms: int = 900_000
    name: str = "file"

    def configured(self, settings: Counters) -> FileSource:
        """The source as the settings have it."""
        if settings.file is None:
            raise CounterSourceError("counters.file: the section is missing; it names the file")
        return FileSource(settings.file.path, settings.file.values == "deltas", settings.max_interval_s * 1000)

    def read(self, router: str, from_ms: int, to_ms: int) -> Sequence[IntervalOctets]:
        """The intervals of a router's interfaces between two moments."""
        readings: defaultdict[tuple[str, Direction], list[tuple[int, int]]] = defaultdict(list)
        for path in self._files(from_ms, to_ms):
            for time_ms, interface, direction, octets in _rows(path, router):
                if from_ms <= time_ms <= to_ms:
                    readings[interface, direction].append((time_ms, octets))
        between = octets_of_deltas if self.is_delta else octets_of_readings
        return sorted(
            interval
            for (interface, direction), found in readings.items()
            for interval in between(interface, direction, found, self.max_interval_ms)
        )

    def _files(self, from_ms: int, to_ms: int) -> list[Path]:
        """Of files by day those that exist; a single file must."""
        if "{day}" not in str(self.path):
            return [self.path]
        days = {day_of_ms(moment) for moment in (*range(from_ms, to_ms, DAY_MS), to_ms)}
        paths = (Path(str(self.path).replace("{day}", day.isoformat())) for day in sorted(days))
        return [path for path in paths if path.is_file()]


def _rows(path: Path, router: str) -> Iterator[tuple[int, str, Direction, int]]:
    table = _table(path)
    table = table.filter(pc.equal(table["router"].cast(pa.string()), router))
    times = [_epoch_ms(value, path) for value in table["time"].to_pylist()]
    interfaces = [str(value) for value in table["interface"].to_pylist()]
    for direction, column in _DIRECTIONS:
        for time_ms, interface, octets in zip(times, interfaces, _octets(table, column, path), strict=True):
            if octets is not None:
                yield time_ms, interface, direction, octets


def _table(path: Path) -> pa.Table:
    # a pipe would be waited for, and a table is read as a whole
    if not path.is_file():
        raise CounterSourceError(f"{path}: no such file of interface counters; correct counters.file.path")
    if path.stat().st_size > MAX_BYTES:
        raise CounterSourceError(
            f"{path}: larger than {MAX_BYTES >> 20} MiB; write a file per day, with {{day}} in its name"
        )
    try:
        if path.suffix == ".parquet":
            return pq.read_table(path, columns=list(_COLUMNS))
        texts = dict.fromkeys(("time", "router", "interface"), pa.string())
        counters = dict.fromkeys(("in_octets", "out_octets"), pa.uint64())
        options = pa_csv.ConvertOptions(column_types={**texts, **counters}, include_columns=list(_COLUMNS))
        return pa_csv.read_csv(path, convert_options=options)
    except (OSError, KeyError, pa.ArrowException) as cause:
        said = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
        raise CounterSourceError(
            f"{path}: not a table of interface counters with the columns {', '.join(_COLUMNS)}: {said}"
        ) from cause


def _octets(table: pa.Table, column: str, path: Path) -> list[int | None]:
    try:
        found: list[int | None] = table[column].cast(pa.uint64()).to_pylist()
    except pa.ArrowException as cause:
        raise CounterSourceError(f"{path}: {column} must be whole numbers from 0 to 2^64-1: {cause}") from cause
    return found


def _epoch_ms(value: object, path: Path) -> int:
    if isinstance(value, datetime):
        return _ms_of(value)
    text = str(value).strip()
    try:
        return round(float(text) * 1000)
    except ValueError:
        pass
    except OverflowError:
        raise CounterSourceError(_bad_time(path, value)) from None
    try:
        return _ms_of(datetime.fromisoformat(text))
    except ValueError:
        raise CounterSourceError(_bad_time(path, value)) from None


def _ms_of(moment: datetime) -> int:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def _bad_time(path: Path, value: object) -> str:
    return f"{path}: {value!r} is no time; write 2026-11-24T10:00:00Z or seconds since 1970"


SOURCE = FileSource()
