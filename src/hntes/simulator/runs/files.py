"""Runs on disk: one Parquet file per run, under a key that stands for its scenario and engine.

A file is written whole or not at all, and it is believed only if it holds what its key and its digest say.
"""

import functools
import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hntes.files import replacing, sweep_leftovers
from hntes.simulator.results import QueueTotals, RunResult, Series, flow_totals, window_totals
from hntes.simulator.runs.claims import claim
from hntes.simulator.runs.store import BrokenRunError
from hntes.simulator.runs.tables import totals

if TYPE_CHECKING:
    import pyarrow as pa

_METADATA = b"hntes_run"


@dataclass(frozen=True)
class RunFolder:
    """A folder of kept runs, `<key>.parquet` each. Deleting files is always safe: what is missing is run again.

    Several processes may use it at once. If two run the same scenario in spite of `claim`, either's file will do.

    Attributes:
        path: The folder; made before the first run.
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
        found = self.kept(key)
        return found.result if found is not None else None

    def kept(self, key: str) -> "KeptRun | None":
        """As `get`, with the digest of the result; raises alike."""
        path = self.path / f"{key}.parquet"
        try:
            is_kept = path.exists()
        except OSError:
            is_kept = False  # a folder that may not be entered: its runs are as good as absent
        return read_run(path, key) if is_kept and not self.fresh else None

    def put(self, key: str, result: RunResult) -> None:
        """Keep a run; replaces one of the same key."""
        self.keep(key, result)

    def keep(self, key: str, result: RunResult) -> str:
        """As `put`; the digest of the result."""
        _sweep_once(self.path)
        return write_run(self.path / f"{key}.parquet", key, result)

    def claim(self, key: str) -> AbstractContextManager[None] | None:
        """The right to make this run, held for the block; None while another process has it. Fresh runs need none."""
        return nullcontext() if self.fresh else claim(self.path, key)


@dataclass(frozen=True)
class KeptRun:
    """A run as it was read back, and the digest of what the file holds: equal results have equal ones."""

    result: RunResult
    digest: str


@functools.lru_cache(maxsize=16)
def _sweep_once(folder: Path) -> None:
    """Before the first write of this process: a look at a folder of many runs before each takes longer than writing."""
    sweep_leftovers(folder)


def prepare_folder(path: Path) -> None:
    """Make a folder and check that files can be written there before hours of work rely on it; raises OSError."""
    path.mkdir(parents=True, exist_ok=True)
    sweep_leftovers(path)
    with tempfile.TemporaryFile(dir=path):
        pass


def write_run(path: Path, key: str, result: RunResult) -> str:
    """Write a run, one row per series, totals in the file's metadata; its digest."""
    # late: importing them costs every command that runs nothing a quarter of a second
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [("name", pa.string()), ("counts", pa.list_(pa.uint64())), ("numbers", pa.list_(pa.float64()))],
    )
    plain = totals(result)
    digest = _digest(plain, result.series)
    about = {"key": key, "totals": plain, "digest": digest}
    counts = [values if values.dtype.kind == "u" else None for values in result.series.values()]
    numbers = [None if values.dtype.kind == "u" else values for values in result.series.values()]
    columns = [_strings(list(result.series)), _lists(counts, pa.uint64()), _lists(numbers, pa.float64())]
    table = pa.table(columns, schema=schema)
    with replacing(path, sweep=False) as fresh:
        pq.write_table(table.replace_schema_metadata({_METADATA: json.dumps(about)}), fresh, compression="zstd")
    return digest


def _strings(texts: Sequence[str]) -> "pa.Array":
    """A column of texts; made of memory, as below."""
    import pyarrow as pa  # late, as above

    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype="<i4")
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def _lists(series: Sequence[npt.NDArray[Any] | None], of: "pa.DataType") -> "pa.Array":
    """A column with a list of values in each row, or nothing.

    Made of the values' memory: to convert anything, pyarrow imports pandas, which takes a third of a second.
    """
    import pyarrow as pa  # late, as above

    values = np.concatenate([np.empty(0, "<u8"), *(each.view("<u8") for each in series if each is not None)])
    lengths = [0 if each is None else len(each) for each in series]
    ends = np.cumsum([0, *lengths], dtype="<i4")
    flat = pa.Array.from_buffers(of, len(values), [None, pa.py_buffer(values)])
    is_there = np.packbits(np.array([each is not None for each in series], bool), bitorder="little")
    buffers = [pa.py_buffer(is_there), pa.py_buffer(ends)]
    return pa.Array.from_buffers(pa.list_(of), len(series), buffers, children=[flat])


def read_run(path: Path, key: str) -> KeptRun:
    """Read a run back.

    Raises:
        BrokenRunError: It is damaged, cannot be read, or holds another run.
    """
    import pyarrow as pa  # late, as above
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:  # `read_table` imports pandas, as above
            table = file.read()
        about = json.loads(table.schema.metadata[_METADATA])
        series = _series(table)
        digest = _digest(about["totals"], series)
        intact = about["key"] == key and about["digest"] == digest
        result = _result(about["totals"], series) if intact else None
    except (pa.ArrowException, OSError, TypeError, KeyError, ValueError) as error:
        raise BrokenRunError(f"{path}: not a kept run, or damaged ({type(error).__name__})") from error
    if result is None:
        raise BrokenRunError(f"{path}: holds something other than what was kept")
    return KeptRun(result, digest)


def _series(table: "pa.Table") -> Series:
    import pyarrow as pa  # late, as above

    for name, of in (("counts", pa.uint64()), ("numbers", pa.float64())):
        if table.column(name).type != pa.list_(of):
            raise TypeError(f"{name} are {table.column(name).type}")
    names, counts, numbers = (table.column(name) for name in ("name", "counts", "numbers"))
    return {
        name.as_py(): _values(count.values, "<u8") if count.is_valid else _values(number.values, "<f8")
        for name, count, number in zip(names, counts, numbers, strict=True)
    }


def _values(values: "pa.Array", dtype: str) -> npt.NDArray[Any]:
    """What Arrow holds, in its memory; raises ValueError if anything is missing."""
    if values.null_count:
        raise ValueError("a value is missing")
    memory = values.buffers()[1] if len(values) else b""
    return np.frombuffer(memory, dtype, len(values), 8 * values.offset if len(values) else 0)


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
