"""CPU seconds of the stages that read records, beside what no program with the same files could leave out.

python -m benchmarks.limits [--records 5000000] [--rounds 5] [--metering both] [--folder FOLDER]

Ingest stands beside nfdump's scan of the same files, which decodes every record and writes none; detect and measure
stand beside one reading of the columns that they need, by pyarrow in one thread. A stage's start is the same command
for a router with one file of some hundred records. All are measured once per round, in turn.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks._process import compile_modules, hntes, used_by
from benchmarks.night import DAY, ROOT, SOURCES, make_flows, settings_text

STAGES = ("ingest", "detect", "measure")
MEASURED, SMALL = "r1", "r2"
HOSTS_AND_PORTS = ("src_lo", "dst_lo", "src_port", "dst_port")
# Measure needs the columns that select a queue and, with several metering points, those that identify a flow as well.
COLUMNS = {
    "detect": (*HOSTS_AND_PORTS, "bytes"),
    "measure": (*HOSTS_AND_PORTS, "src_hi", "dst_hi", "ip_version", "first_ms"),
    "measure, several points": (
        *HOSTS_AND_PORTS, "src_hi", "dst_hi", "ip_version", "first_ms", "protocol", "exporter_hi", "exporter_lo",
        "direction", "output_interface", "last_ms", "bytes",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Round:
    """CPU seconds of a stage in one round: of its command, of the same with next to nothing to do, and of the limit."""

    stage_s: float
    start_s: float
    limit_s: float

    @property
    def ratio(self) -> float:
        """The limit divided by the stage without its start; 1 is the best possible."""
        return self.limit_s / (self.stage_s - self.start_s)


def main() -> None:
    """Makes the flow files, measures, and prints a line per stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="for files and lakes (default: a temporary one)")
    parser.add_argument("--records", type=int, default=5_000_000, help="of the day (default: 5 million)")
    parser.add_argument("--rounds", type=int, default=5, help="default: 5")
    parser.add_argument("--metering", choices=SOURCES, default="both", help="default: ingress and egress")
    parser.add_argument("--read", choices=COLUMNS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.read:
        print(_cpu_s_to_read(asked.folder, COLUMNS[asked.read]))
        return
    compile_modules(ROOT)
    with tempfile.TemporaryDirectory() as scratch:
        # of its own, as lake and database are removed before each round
        folder = (asked.folder or Path(scratch)).resolve() / "limits"
        _make_flows(folder, asked.records, *SOURCES[asked.metering])
        rounds = [_round(folder, asked.metering) for _ in range(asked.rounds)]
    records = asked.records / 1e6
    print(f"CPU seconds for {records:g} million records, medians of {asked.rounds} rounds; limit / (stage - start)")
    for name in STAGES:
        of_stage = [each[name] for each in rounds]
        stage_s, start_s, limit_s = (
            median(getattr(each, field) for each in of_stage) for field in ("stage_s", "start_s", "limit_s")
        )
        ratios = sorted(each.ratio for each in of_stage)
        print(
            f"{name:8} {stage_s:6.2f}, start {start_s:5.2f}, {(stage_s - start_s) / records:5.3f} us a record; limit "
            f"{limit_s:5.2f}: {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        )


def _make_flows(folder: Path, records: int, source: Path, source_records: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    make_flows(folder, 1, records, source, source_records)
    (folder / "flows" / SMALL).mkdir(exist_ok=True)
    shutil.copy(source, folder / "flows" / SMALL)
    (folder / "hntes.toml").write_text(settings_text(folder, folder / "flows", 2), encoding="utf-8")


def _round(folder: Path, metering: str) -> dict[str, Round]:
    """All stages with an empty lake and database at first."""
    for left in ("lake", "output", "simulations"):
        shutil.rmtree(folder / left, ignore_errors=True)
    for path in folder.glob("hntes.db*"):
        path.unlink()
    # the database is made before, as that is the work of no stage
    used_by(hntes(folder / "hntes.toml", "data", "migrate"), ROOT, folder / "migrate")
    return {name: _measured(folder, name, metering) for name in STAGES}


def _measured(folder: Path, name: str, metering: str) -> Round:
    start_s, stage_s = (_stage_s(folder, name, router) for router in (SMALL, MEASURED))
    if name == "ingest":
        return Round(stage_s, start_s, _scan_s(folder))
    columns = "measure, several points" if (name, metering) == ("measure", "both") else name
    return Round(stage_s, start_s, _reading_s(folder / "lake", columns))


def _stage_s(folder: Path, name: str, router: str) -> float:
    command = hntes(folder / "hntes.toml", "stage", name, "--day", str(DAY), "--router", router)
    return used_by(command, ROOT, folder / name).cpu_s


def _scan_s(folder: Path) -> float:
    scan = "nfdump", "-q", "-R", str(folder / "flows" / MEASURED), "bytes > 999999999999"
    found = shutil.which(scan[0])
    if found is None:
        raise SystemExit("nfdump is missing: scripts/install_system_packages run")
    return used_by((found, *scan[1:]), ROOT, folder / "scan").cpu_s


def _reading_s(lake: Path, columns: str) -> float:
    """In a process of its own, which frees its memory."""
    command = [sys.executable, "-m", "benchmarks.limits", "--folder", str(lake), "--read", columns]
    return float(subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout)


def _cpu_s_to_read(lake: Path, columns: tuple[str, ...]) -> float:
    """CPU seconds to decode these columns of all parts once; nothing is done with them."""
    parts = sorted(lake.rglob("*.parquet"))
    pa.set_cpu_count(1)
    with pq.ParquetFile(parts[0]) as first:  # loads what pyarrow loads once
        first.read_row_group(0, columns=["bytes"], use_threads=False)
    before = getrusage(RUSAGE_SELF)
    for part in parts:
        with pq.ParquetFile(part) as file:
            for group in range(file.num_row_groups):
                file.read_row_group(group, columns=list(columns), use_threads=False)
    after = getrusage(RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
