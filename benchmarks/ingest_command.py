"""The whole command `hntes ingest`, with one worker and with two, beside nfdump's bare scan of the same files.

Each round runs the scan, the command with one worker and the command with two, each with an empty lake and database;
every second round turns the order round. CPU seconds are those of all processes of a command, its start included. The
clock, and with it how much faster two workers are, means something only on a machine that has nothing else to do.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks._distinct_flows import Spread, distinct_copies
from benchmarks._process import CommandFailedError, Used, compile_modules, hntes, used_by
from benchmarks.ingest import SOURCE
from benchmarks.night import ROOT, settings_text
from hntes.etl.sources.nfcapd.nfdump import environment

WORKERS = (1, 2)
NFDUMP = shutil.which("nfdump") or "nfdump"


@dataclass
class Readings:
    """Of one way: what each round used, and the size of the lake that it left, in bytes."""

    used: list[Used] = field(default_factory=list)
    lake_bytes: int = 0

    def median_of(self, name: str) -> float:
        """The median of a field of `Used`."""
        return median(getattr(each, name) for each in self.used)


def main() -> int:
    """Makes the files, takes all rounds, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=SOURCE, help="whose records are varied (default: demonstration)")
    parser.add_argument("--records", type=int, default=10_000_000, help="in all files (default: ten million)")
    parser.add_argument("--files", type=int, default=10, help="default: 10")
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    asked = parser.parse_args()
    compile_modules(ROOT)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        records = _make_files(asked.source.resolve(), folder, asked.records, asked.files)
        scan, ways = Readings(), {workers: Readings() for workers in WORKERS}
        for number in range(asked.rounds):
            print(f"round {number + 1} of {asked.rounds}", file=sys.stderr, flush=True)
            order = [0, *WORKERS] if number % 2 == 0 else [*reversed(WORKERS), 0]
            for workers in order:
                if workers:
                    _read(folder, workers, ways[workers], records)
                else:
                    scan.used.append(_scan(folder))
        _print(records, asked.rounds, scan, ways)
    return 0


def _make_files(source: Path, folder: Path, records: int, files: int) -> int:
    """Writes the flow files of one router, each with other records; how many records they have in all."""
    flows = folder / "flows" / "r1"
    flows.mkdir(parents=True)
    source_records = _records_of(source)
    copies = max(1, records // files // source_records)
    for number in range(files):
        target = flows / f"nfcapd.2026112018{20 + number:02d}"
        with tempfile.TemporaryDirectory(dir=folder) as made:
            distinct_copies(source, target, copies, Path(made), Spread(seed=number))
    return files * copies * source_records


def _records_of(path: Path) -> int:
    said = subprocess.run(["nfdump", "-I", "-r", path], check=True, env=environment(), capture_output=True, text=True)
    return int(next(line for line in said.stdout.splitlines() if line.startswith("Flows: ")).split()[1])


def _scan(folder: Path) -> Used:
    command = (NFDUMP, "-q", "-R", str(folder / "flows" / "r1"), "bytes > 999999999999")
    return used_by(command, folder, folder / "scan")


def _read(folder: Path, workers: int, readings: Readings, records: int) -> None:
    """Runs the command with an empty lake and notes what it used; ends the program where it read other records."""
    with tempfile.TemporaryDirectory(dir=folder) as emptied:
        night = Path(emptied)
        settings = night / "hntes.toml"
        text = settings_text(night, folder / "flows", 1)
        settings.write_text(text.replace("[ingest]\n", f"[ingest]\nworkers = {workers}\n"), encoding="utf-8")
        try:
            readings.used.append(used_by(hntes(settings, "ingest", "--all", "--json"), ROOT, folder / "ingest"))
        except CommandFailedError as failed:
            sys.exit(str(failed))
        said = json.loads(Path(f"{folder / 'ingest'}.1").read_text(encoding="utf-8"))
        read = sum(count for folder_read in said for count in folder_read["outcomes"].values())
        if read != records:
            sys.exit(f"the files have {records:,} records, `hntes ingest` says {read:,}")
        readings.lake_bytes = sum(path.stat().st_size for path in (night / "lake").rglob("*.parquet"))


def _print(records: int, rounds: int, scan: Readings, ways: dict[int, Readings]) -> None:
    scan_s = scan.median_of("cpu_s")
    print(f"{records:,} records; medians of {rounds}, least and greatest of the ratios to the scan of the same round")
    print(f"{'':24}{'CPU s':>8}{'clock s':>9}{'most MB':>9}  of the scan, CPU s over CPU s")
    print(f"{'nfdump, nothing out':24}{scan_s:8.2f}{scan.median_of('clock_s'):9.2f}")
    for workers, way in ways.items():
        ratios = [before.cpu_s / used.cpu_s for before, used in zip(scan.used, way.used, strict=True)]
        print(
            f"{f'hntes ingest, workers {workers}':24}{way.median_of('cpu_s'):8.2f}{way.median_of('clock_s'):9.2f}"
            f"{way.median_of('peak_mb'):9,.0f}  {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        )
    faster = [one.clock_s / two.clock_s for one, two in zip(ways[1].used, ways[2].used, strict=True)]
    print(f"two workers: {median(faster):.2f} times as fast by the clock ({min(faster):.2f} to {max(faster):.2f})")
    print(f"lake: {ways[1].lake_bytes / 1e6:.1f} MB, {ways[1].lake_bytes / records:.2f} bytes a record")


if __name__ == "__main__":
    sys.exit(main())
