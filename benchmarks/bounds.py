"""CPU and memory of inputs that are as large as their bounds let them be, or are refused beyond them.

python -m benchmarks.bounds

Each case runs in a process of its own; its modules are imported before its CPU and memory are counted, and inputs are
made before, too. docs/reference/bounds.md has the figures.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks._memory import peak_mb
from hntes.errors import HntesError
from hntes.etl.announced.document import objects_of
from hntes.etl.detect.flood import without_flood
from hntes.etl.detect.peak_window import PeakWindow
from hntes.etl.detect.port_capacity import implausible_flows
from hntes.etl.ingest.content import content_of
from hntes.platforms.cisco.parser.tree import read_sections
from hntes.platforms.junos.parser.tree import read_tree
from hntes.platforms.sros.parser.tree import read_tree as read_sros
from hntes.settings.ports_table import MOST_ROWS, read_ports

MB, GB = 10**6, 10**9
RATES = {1: 10 * 10**9}


@dataclass(frozen=True)
class Case:
    """A measured input: its name, and what prepares it in a folder and returns the call to measure."""

    name: str
    made: Callable[[Path], Callable[[], object]]


def _text(line: str, size: int, head: str = "", tail: str = "") -> str:
    return head + line * ((size - len(head) - len(tail)) // len(line)) + tail


def _junos(_: Path) -> Callable[[], object]:
    text = _text("set-like-word value;\n", 20 * MB, "a {\n" * 98, "}\n" * 98)
    return lambda: read_tree(text)


def _junos_deep(_: Path) -> Callable[[], object]:
    text = "a {\n" * 5 * MB
    return lambda: read_tree(text)


def _sros(_: Path) -> Callable[[], object]:
    text = _text("admin-state enable\n", 20 * MB, "a {\n" * 98, "}\n" * 98)
    return lambda: read_sros(text)


def _cisco(_: Path) -> Callable[[], object]:
    text = _text("interface x\n description y\n", 20 * MB)
    return lambda: read_sections(text)


def _ports(folder: Path) -> Callable[[], object]:
    path = folder / "ports.csv"
    rows = (f"r{number // 500},xe-0/0/{number},{number},edge,10G\n" for number in range(MOST_ROWS - 1))
    path.write_text("router,name,snmp_index,role,rate_bps\n" + "".join(rows))
    return lambda: read_ports(path)


def _document(_: Path) -> Callable[[], object]:
    one = json.dumps({"number": 1, "filling": "x" * 400})
    content = ("[" + ",".join([one] * (64 * 2**20 // (len(one) + 1) - 1)) + "]").encode()
    return lambda: sum(1 for _ in objects_of(content, 64 * 2**20))


def _holes(folder: Path) -> Callable[[], object]:
    path = folder / "nfcapd.202611200000"
    with path.open("wb") as file:
        file.write(b"x" * 8192)
        file.truncate(20 * 2**30)
    return lambda: content_of(path)


def _doubted(_: Path) -> Callable[[], object]:
    windows = [PeakWindow(f"{n}", 1, 10 * n, 60_000 + 10 * n, 4 * GB + n, 0) for n in range(5000)]
    return lambda: implausible_flows(windows, GB, RATES)


def _flood(_: Path) -> Callable[[], object]:
    count = 1_000_000
    rows = np.arange(count)
    same = dict.fromkeys(
        ("key_exporter_hi", "key_exporter_lo", "direction", "exporter_hi", "exporter_lo", "exporter_domain",
         "src_port", "dst_port", "protocol", "src_hi", "dst_hi"), np.zeros(count, np.int64))  # fmt: skip
    start = rows * 80 % 86_000_000
    table = pa.table(
        {
            **same, "ip_version": np.full(count, 4), "src_lo": rows, "dst_lo": np.full(count, 7),
            "key_src_port": np.full(count, -1), "key_dst_port": np.full(count, -1),
            "key_protocol": np.full(count, -1), "input_interface": np.ones(count, np.int64),
            "output_interface": np.ones(count, np.int64), "first_ms": start, "start_ms": start,
            "last_ms": start + 10_000, "bytes": np.full(count, 11 * GB // 10), "packets": np.full(count, 10**6),
            "sampling_factor": np.ones(count, np.int64),
        }
    )  # fmt: skip
    return lambda: without_flood(table, GB, 60_000, (0, 86_400_000), RATES, frozenset)


CASES = (
    Case("Junos text of 20 MB, 99 words deep", _junos),
    Case("Junos text of 20 MB, each line one deeper: refused", _junos_deep),
    Case("SR OS text of 20 MB, 99 words deep", _sros),
    Case("Cisco text of 20 MB", _cisco),
    Case("table of 199,999 ports", _ports),
    Case("document of announcements, 64 MiB", _document),
    Case("flow file with a hole of 20 GiB: refused", _holes),
    Case("5,000 flows that overfill a port, judged one by one", _doubted),
    Case("1,000,000 flows that overfill a port, judged by columns", _flood),
)


def main() -> None:
    """Prints a row for each case."""
    print(f"{'input':58}{'CPU s':>8}{'MB':>8}")
    for number, case in enumerate(CASES):
        done = subprocess.run(
            (sys.executable, "-m", "benchmarks.bounds", str(number)), capture_output=True, text=True, check=True
        )
        cpu_s, memory_mb = map(float, done.stdout.split())
        print(f"{case.name:58}{cpu_s:8.2f}{memory_mb:8.0f}", flush=True)


def measure(case: Case) -> None:
    """Prints the CPU of one case, and how far its memory rose above what input and modules take."""
    with tempfile.TemporaryDirectory() as folder:
        call = case.made(Path(folder))
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # VmHWM begins anew, proc(5)
        held_mb, began_s = peak_mb(), time.process_time()
        try:
            kept = call()
        except (HntesError, OSError) as refused:
            kept = refused
        print(time.process_time() - began_s, peak_mb() - held_mb)
        del kept


if __name__ == "__main__":
    if sys.argv[1:]:
        measure(CASES[int(sys.argv[1])])
    else:
        main()
