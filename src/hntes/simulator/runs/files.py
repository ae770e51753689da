"""Runs on disk: one Parquet file per run, under a key that stands for its scenario and engine.

A file is written whole or not at all, and it is believed only if it holds what its key and its digest say.
"""

import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hntes.files import replacing, sweep_leftovers
from hntes.simulator.results import QueueTotals, RunResult, Series, flow_totals, window_totals
from hntes.simulator.runs.store import BrokenRunError
from hntes.simulator.runs.tables import totals

if TYPE_CHECKING:
    import pyarrow as pa

_METADATA = b"hntes_run"


@dataclass(frozen=True)
class RunFolder:
    """A folder of kept runs, `<key>.parquet` each. Deleting files is always safe: what is missing is run again.

    Several processes may use it at once: both may run the same scenario, and either's file will do.

    Attributes:
        path: The folder; made when the first run is kept.
        fresh: Look at no kept run; runs are still kept.
    """

    path: Path
    fresh: bool = False

    def prepare(self) -> None:
        """As `prepare_folder`."""
        prepare_folder(self.path)

    def get(self, key: str) -> RunResult | None:
        """The kept run of this key; None if there is none, or only fresh runs are wanted.

        Raises:
            BrokenRunError: There is a file, but it is damaged, cannot be read, or holds another run.
        """
        path = self.path / f"{key}.parquet"
        try:
            is_kept = path.exists()
        except OSError:
            is_kept = False  # a folder that may not be entered: its runs are as good as absent
        return read_run(path, key) if is_kept and not self.fresh else None

    def put(self, key: str, result: RunResult) -> None:
        """Keep a run; replaces one of the same key."""
        write_run(self.path / f"{key}.parquet", key, result)


def prepare_folder(path: Path) -> None:
    """Make a folder and check that files can be written there before hours of work rely on it; raises OSError."""
    path.mkdir(parents=True, exist_ok=True)
    sweep_leftovers(path)
    with tempfile.TemporaryFile(dir=path):
        pass


def write_run(path: Path, key: str, result: RunResult) -> None:
    """Write a run: one row per series, totals in the file's metadata."""
    # late: importing them costs every command that runs nothing a quarter of a second
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [("name", pa.string()), ("counts", pa.list_(pa.uint64())), ("numbers", pa.list_(pa.float64()))],
    )
    plain = totals(result)
    about = {"key": key, "totals": plain, "digest": _digest(plain, result.series)}
    table = pa.table(
        {
            "name": list(result.series),
            "counts": [values if values.dtype.kind == "u" else None for values in result.series.values()],
            "numbers": [None if values.dtype.kind == "u" else values for values in result.series.values()],
        },
        schema=schema,
    )
    with replacing(path) as fresh:
        pq.write_table(table.replace_schema_metadata({_METADATA: json.dumps(about)}), fresh, compression="zstd")


def read_run(path: Path, key: str) -> RunResult:
    """Read a run back.

    Raises:
        BrokenRunError: It is damaged, cannot be read, or holds another run.
    """
    import pyarrow as pa  # late, as above
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
        about = json.loads(table.schema.metadata[_METADATA])
        series = _series(table)
        intact = about["key"] == key and about["digest"] == _digest(about["totals"], series)
        result = _result(about["totals"], series) if intact else None
    except (pa.ArrowException, OSError, TypeError, KeyError, ValueError) as error:
        raise BrokenRunError(f"{path}: not a kept run, or damaged ({type(error).__name__})") from error
    if result is None:
        raise BrokenRunError(f"{path}: holds something other than what was kept")
    return result


def run_digest(result: RunResult) -> str:
    """A hash of a result as it is kept, 64 hexadecimal digits: equal results have equal ones."""
    return _digest(totals(result), result.series)


def _series(table: "pa.Table") -> Series:
    return {
        row["name"]: np.array(row["counts"], "<u8") if row["counts"] is not None else np.array(row["numbers"], "<f8")
        for row in table.to_pylist()
    }


def _result(totals: Mapping[str, Any], series: Series) -> RunResult:
    fields = dict(totals)
    flows = {name: flow_totals(flow) for name, flow in fields.pop("flows").items()}
    queues = {name: QueueTotals(**queue) for name, queue in fields.pop("queues").items()}
    fields["imbalances"] = tuple(fields["imbalances"])
    windows = window_totals(fields.pop("windows", ()))
    return RunResult(**fields, flows=flows, queues=queues, series=series, windows=windows)


def _digest(totals: Mapping[str, object], series: Series) -> str:
    digest = hashlib.sha256(json.dumps(totals, sort_keys=True).encode())
    for name in sorted(series):
        digest.update(f"{name} {series[name].dtype.kind} {len(series[name])}".encode())
        digest.update(np.ascontiguousarray(series[name]).tobytes())
    return digest.hexdigest()
