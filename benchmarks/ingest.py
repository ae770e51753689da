"""CPU time and memory from nfcapd files into the lake, beside nfdump's own scan of the same file, in alternation."""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median

from benchmarks._distinct_flows import distinct_copies
from hntes.etl.ingest.content import content_of
from hntes.etl.ingest.flow_file import read_file
from hntes.etl.ingest.ports import PortRates
from hntes.etl.ingest.readers import LocalReader, ReadTask
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.nfdump import Nfdump, environment
from hntes.etl.sources.nfcapd.probe import REFERENCE_FILE, probe
from hntes.etl.sources.nfcapd.source import NfcapdSource

SOURCE = Path(__file__).parent.parent / "demo" / "flows" / "r2" / "nfcapd.202611201821"
CLAIM = RouterExporters("r", ports=PortRates({1: 10**10}, 10**11))


def main() -> None:
    """Makes one large file of distinct records and reads it, and then two of them with one worker and with two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=SOURCE, help="whose records are varied (default: demonstration)")
    parser.add_argument("--records", type=int, default=1_000_000, help="of the large file (default: a million)")
    parser.add_argument("--rounds", type=int, default=3, help="readings of each kind (default: 3)")
    parser.add_argument("--native-only", action="store_true", help="without reading through nfdump, which takes long")
    asked = parser.parse_args()
    nfdump = probe("nfdump")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        small = read_file(
            asked.source, NfcapdSource(nfdump, is_native=False), folder / "lake", "small", [CLAIM], 300_000
        )
        large = folder / "nfcapd.202611201821"
        distinct_copies(asked.source, large, -(-asked.records // small.read_records), folder)
        _beside_the_scan(nfdump, large, asked.rounds, (True,) if asked.native_only else (True, False))
        _side_by_side(nfdump, large, asked.rounds)


def _beside_the_scan(nfdump: Nfdump, large: Path, rounds: int, ways: tuple[bool, ...]) -> None:
    scans_s: list[float] = []
    readings: dict[bool, list[tuple[int, float, float]]] = {native: [] for native in ways}
    for _ in range(rounds):
        scans_s.append(_scan_s(large))
        for native in ways:
            readings[native].append(_in_child_process(nfdump, large, native))
    records = readings[True][0][0]
    scan_s = median(scans_s)
    print(f"{records:,} records, {large.stat().st_size / 1e6:.0f} MB; CPU seconds, medians of {rounds}")
    print(f"nfdump's scan, nothing out   {scan_s:7.2f} s")
    for native, found in readings.items():
        cpu_s, peak_mb = (median(values) for values in list(zip(*found, strict=True))[1:])
        way = "natively" if native else "through nfdump"
        print(f"into the lake {way:15}{cpu_s:7.2f} s  {scan_s / cpu_s:5.2f} of the scan, at most {peak_mb:,.0f} MB")


def _scan_s(path: Path) -> float:
    before = _cpu_s(RUSAGE_CHILDREN)
    subprocess.run(["nfdump", "-q", "-r", path, "bytes > 999999999999"], check=True, env=environment(),
                   stdout=subprocess.DEVNULL)  # fmt: skip
    return _cpu_s(RUSAGE_CHILDREN) - before


def _in_child_process(nfdump: Nfdump, path: Path, native: bool) -> tuple[int, float, float]:
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_reading, (nfdump, path, native))


def _reading(nfdump: Nfdump, path: Path, native: bool) -> tuple[int, float, float]:
    """Records, CPU seconds with those of nfdump, and this process' largest memory in MB; what is loaded once is not
    counted."""
    lake = path.parent / "lake"
    source = NfcapdSource(nfdump, native)
    read_file(REFERENCE_FILE, source, lake, "first", [CLAIM], 300_000)
    before = _cpu_s(RUSAGE_SELF) + _cpu_s(RUSAGE_CHILDREN)
    result = read_file(path, source, lake, "large", [CLAIM], 300_000)
    spent_s = _cpu_s(RUSAGE_SELF) + _cpu_s(RUSAGE_CHILDREN) - before
    if result.reason or result.warnings:
        sys.exit(f"{path}: {result.reason} {result.warnings}")
    shutil.rmtree(lake)
    return result.read_records, spent_s, getrusage(RUSAGE_SELF).ru_maxrss / 1024


def _side_by_side(nfdump: Nfdump, large: Path, rounds: int) -> None:
    """Four files with one worker and with two, by the clock: only on a machine that has nothing else to do."""
    lake, content = large.parent / "lake", content_of(large)
    source = NfcapdSource(nfdump)
    tasks = [ReadTask(large, content, source, lake, f"stem{number}", (CLAIM,), 300_000) for number in range(4)]
    spent_s: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for workers, seconds in spent_s.items():
            begin = time.perf_counter()
            list(LocalReader(workers).read(tasks))
            seconds.append(time.perf_counter() - begin)
    one_s, two_s = (median(seconds) for seconds in spent_s.values())
    print(
        f"four such files: one worker {one_s:.2f} s, two {two_s:.2f} s by the clock, {one_s / two_s:.2f} times as fast"
    )


def _cpu_s(who: int) -> float:
    usage = getrusage(who)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
