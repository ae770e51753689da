"""Every source of interface counters with the same readings behind it."""

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from hntes.etl.counters.registry import configured_source
from hntes.etl.counters.source import CounterSource
from hntes.settings.counters import Counters
from tests.support.prometheus_api import prometheus

Row = tuple[int, str, str, int | None, int | None]
"""Epoch ms, router, interface, in and out octets."""
_COLUMNS = ("time", "router", "interface", "in_octets", "out_octets")


@dataclass(frozen=True)
class Tried:
    """A source with readings, and one that cannot be read."""

    source: CounterSource
    broken: CounterSource


@contextmanager
def csv_file(rows: Sequence[Row], folder: Path) -> Iterator[Tried]:
    path = folder / "counters.csv"
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(("note", *_COLUMNS))
        for time_ms, *others in rows:
            out.writerow(("x", datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(), *others))
    yield Tried(_file(path), _file(folder / "gone.csv"))


@contextmanager
def parquet_files(rows: Sequence[Row], folder: Path) -> Iterator[Tried]:
    """One file per day, with timestamps."""
    days: dict[str, list[Row]] = {}
    for row in rows:
        days.setdefault(datetime.fromtimestamp(row[0] / 1000, UTC).date().isoformat(), []).append(row)
    for day, of_day in days.items():
        columns = list(zip(*of_day, strict=True))
        kinds = (pa.timestamp("ms", "UTC"), pa.string(), pa.string(), pa.uint64(), pa.uint64())
        arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
        pq.write_table(pa.Table.from_arrays(arrays, names=list(_COLUMNS)), folder / f"{day}.parquet")
    (folder / "broken.parquet").write_bytes(b"PAR1, but no more")
    yield Tried(_file(folder / "{day}.parquet"), _file(folder / "broken.parquet"))


@contextmanager
def snmp_exporter(rows: Sequence[Row], folder: Path) -> Iterator[Tried]:
    del folder
    series: dict[tuple[tuple[str, str], ...], list[tuple[float, str]]] = {}
    for time_ms, router, interface, *octets in sorted(rows):
        for metric, value in zip(("ifHCInOctets", "ifHCOutOctets"), octets, strict=True):
            labels = (("__name__", metric), ("ifIndex", interface), ("instance", f"{router}:161"), ("job", "snmp"))
            if value is not None:
                series.setdefault(labels, []).append((time_ms / 1000, repr(float(value))))
    with prometheus(series) as server:
        section = {"url": server.url, "routers": {"r1": "r1:161", "r2": "r2:161"}, "timeout_s": 10}
        broken = {**section, "url": "http://127.0.0.1:9"}
        yield Tried(_prometheus(section), _prometheus(broken))


@contextmanager
def polled_by_snmp(rows: Sequence[Row], folder: Path) -> Iterator[Tried]:
    """The files of `hntes data poll-counters`."""
    for time_ms, router, *others in rows:
        moment = datetime.fromtimestamp(time_ms / 1000, UTC)
        path = folder / router / f"{moment:%Y-%m-%d}.csv"
        path.parent.mkdir(exist_ok=True)
        is_new = not path.exists()
        with path.open("a", newline="") as file:
            out = csv.writer(file)
            out.writerows([_COLUMNS] * is_new + [(moment.isoformat(), router, *others)])
    yield Tried(_snmp(folder), _snmp(folder / "gone"))


SOURCES: dict[str, Callable[[Sequence[Row], Path], object]] = {
    "csv": csv_file,
    "parquet": parquet_files,
    "snmp_exporter": snmp_exporter,
    "polled_by_snmp": polled_by_snmp,
}


def _file(path: Path) -> CounterSource:
    return configured_source(Counters.model_validate({"source": "file", "file": {"path": path}}))


def _prometheus(section: dict[str, object]) -> CounterSource:
    return configured_source(Counters.model_validate({"source": "prometheus", "prometheus": section}))


def _snmp(folder: Path) -> CounterSource:
    section = {"folder": folder, "routers": {"r1": "192.0.2.1", "r2": "192.0.2.2"}}
    return configured_source(Counters.model_validate({"source": "snmp", "snmp": section}))
