"""Large files of rows are read in memory that does not grow with them."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.row_files import NOON_MS, MadeFlow, clickhouse_columns, goflow2_row, pmacct_row, write_table

pytestmark = pytest.mark.long

# Reads a file of a source into a lake, and prints the rows, the seconds, and the most memory it had, in KiB.
_READ = """
import re, sys, time
from pathlib import Path
from hntes.etl.ingest.flow_file import read_file
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.registry import installed_sources
from hntes.settings.flow_folder import FlowFolder
from hntes.settings.ingest import Ingest
path, lake = Path(sys.argv[1]), Path(sys.argv[2])
described = Ingest(folders=(FlowFolder(folder=path.parent, active_timeout_s=60),))
source = next(one for one in installed_sources() if one.name == sys.argv[3]).configured(described)
began = time.perf_counter()
result = read_file(path, source, lake, "stem", [RouterExporters("r1")], 300_000)
assert not result.reason, result.reason
spent = time.perf_counter() - began
# not ru_maxrss, which a program takes over from the process that started it
print(result.read_records, spent, re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""
_SMALL, _LARGE = 100_000, 1_000_000
# Of Arrow's and the allocator's pools, which do not shrink at once.
_SLACK_KIB = 128 * 1024


def _flows(rows: int) -> list[MadeFlow]:
    """A thousand different ones, again and again."""
    some = [
        dataclasses.replace(
            MadeFlow(), first_ms=NOON_MS + n, last_ms=NOON_MS + 5 * n, source=f"198.18.{n % 7}.{n % 250}"
        )
        for n in range(1000)
    ]
    return some * (rows // len(some))


def _write(folder: Path, name: str, rows: int) -> Path:
    made = _flows(rows)
    if name == "parquet":
        return write_table(folder / f"{rows}-202611201200.parquet", clickhouse_columns(made))
    row = goflow2_row if name == "goflow2" else pmacct_row
    path = folder / f"{rows}-202611201200.json"
    once = "".join(json.dumps(row(flow)) + "\n" for flow in made[:1000])
    with path.open("w", encoding="utf-8") as stream:
        for _ in range(rows // 1000):
            stream.write(once)
    return path


@pytest.mark.parametrize("name", ["goflow2", "pmacct", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, name: str) -> None:
    used_kib = []
    for rows in (_SMALL, _LARGE):
        command = [sys.executable, "-c", _READ, str(_write(tmp_path, name, rows)), str(tmp_path / f"lake{rows}"), name]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
        read, spent_s, most_kib = done.stdout.split()
        print(f"{name}: {read} rows in {float(spent_s):.1f} s, {int(most_kib) // 1024} MiB")
        assert int(read) == rows
        used_kib.append(int(most_kib))
    assert used_kib[1] < used_kib[0] + _SLACK_KIB, used_kib
