"""A night of many routers end to end, stage by stage, and what it comes to for a hundred large ones.

python -m benchmarks.night --folder FOLDER [--routers 4] [--records 5000000] [--metering ingress] [--stages make ...]

Real flow files are made from one of the demonstration's: records with times, addresses, ports and counters of their own
(some tens of alpha flows a router). All routers get the same files, each in a folder of its own. The stages are the
commands that an operator would run, each a process whose CPU and memory are noted in FOLDER/stages.json: a run that was
ended goes on with the stage that it had not finished.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from dataclasses import asdict
from datetime import date
from pathlib import Path

from benchmarks._distinct_flows import Spread, distinct_copies
from benchmarks._process import CommandFailedError, Used, hntes, used_by

ROOT = Path(__file__).resolve().parent.parent
# By where their router meters: a flow file of the demonstration, and its records. What is metered at ingress and egress
# is in two records.
SOURCES = {
    "both": (ROOT / "demo" / "flows" / "r2" / "nfcapd.202611201821", 420),
    "ingress": (ROOT / "demo" / "flows" / "r1" / "nfcapd.202611201821", 288),
}
DAY = date(2026, 11, 20)
DAY_MS = 86_400_000
# The source's own times are behind its file's 18:21.
TO_MIDNIGHT_MS = -(18 * 60 + 19) * 60_000
FILE_RECORDS = 500_000
PLATFORMS = ("junos", "iosxr", "iosxe")
BY_RECORD, BY_ROUTER = ("ingest", "detect", "measure"), ("propose", "judge")
# What is asked: a hundred routers of fifty million records on sixteen processors.
ASKED_ROUTERS, ASKED_RECORDS, ASKED_PROCESSORS, ASKED_MIN = 100, 50_000_000, 16, 40


def main() -> None:
    """Runs the stages that are not done yet and prints the table and the arithmetic."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="for files, lake and results (default: a temporary one)")
    parser.add_argument("--routers", type=int, default=2, help="default: 2")
    parser.add_argument("--records", type=int, default=500_000, help="of each router (default: 500000)")
    parser.add_argument("--metering", choices=SOURCES, default="both", help="default: ingress and egress")
    parser.add_argument("--stages", nargs="+", default=["make", *BY_RECORD, *BY_ROUTER], help="default: all")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (asked.folder or Path(scratch)).resolve()
        done = run(folder, asked.routers, asked.records, asked.metering, asked.stages)
    _print(done, asked.routers, asked.routers * asked.records)


def run(folder: Path, routers: int, records: int, metering: str, stages: list[str]) -> dict[str, Used]:
    """Runs the stages that a folder has not noted yet; what each stage used, by its name."""
    folder.mkdir(parents=True, exist_ok=True)
    noted = folder / "stages.json"
    done = {name: Used(**stage) for name, stage in json.loads(noted.read_text()).items()} if noted.exists() else {}
    for name in stages:
        if name in done:
            continue
        begin = time.perf_counter()
        if name == "make":
            make_flows(folder, routers, records, *SOURCES[metering])
            done[name] = Used(0.0, time.perf_counter() - begin, 0.0)
        else:
            done[name] = _stage(folder, name)
        noted.write_text(json.dumps({each: asdict(stage) for each, stage in done.items()}))
        print(f"{name}: {done[name].clock_s:.1f} s by the clock", flush=True)
    return done


def make_flows(folder: Path, routers: int, records: int, source: Path, source_records: int) -> None:
    """The first router's files, links to them for the others, and the settings of a night in this folder."""
    (folder / "hntes.toml").write_text(settings_text(folder, folder / "flows", routers), encoding="utf-8")
    first = folder / "flows" / "r1"
    first.mkdir(parents=True, exist_ok=True)
    files = -(-records // FILE_RECORDS)
    copies = records // files // source_records
    for number in range(files):
        minute = number * 1440 // files
        path = first / f"nfcapd.{DAY:%Y%m%d}{minute // 60:02d}{minute % 60:02d}"
        begin_ms = number * DAY_MS // files
        spread = Spread(
            begin_ms=TO_MIDNIGHT_MS + begin_ms, step_ms=(DAY_MS // files - 180_000) // copies, most_bytes=5_000_000,
            full_every=25, seed=number,
        )  # fmt: skip
        with tempfile.TemporaryDirectory() as scratch:
            distinct_copies(source, Path(scratch) / "made", copies, Path(scratch), spread)
            shutil.move(Path(scratch) / "made", path)
    for number in range(2, routers + 1):
        other = folder / "flows" / f"r{number}"
        other.mkdir(exist_ok=True)
        for path in first.glob("nfcapd.*"):
            (other / path.name).unlink(missing_ok=True)
            (other / path.name).hardlink_to(path)


def settings_text(folder: Path, flows: Path, routers: int) -> str:
    """Settings of routers r1, r2, ... with flow files in `flows`, all else in `folder`."""
    head = (
        f'[paths]\nlake = "{folder / "lake"}"\noutput = "{folder / "output"}"\n'
        f'simulations = "{folder / "simulations"}"\n[database]\nurl = "sqlite:///{folder / "hntes.db"}"\n'
        '[ingest]\nreader = "native"\n[ageing]\nmin_day_coverage = 0.0\n[replay]\nlatest_day = 2026-12-31\n'
        '[plans.recommended]\nkind = "two_queue"\n'
    )
    return head + "".join(
        f'[[routers]]\nname = "r{number + 1}"\nplatform = "{PLATFORMS[number % len(PLATFORMS)]}"\n'
        f'flow_folder = "{flows}/r{number + 1}"\n'
        '[[routers.interfaces]]\nname = "TenGigE0/0/0/0"\nrole = "edge"\nrate_bps = 10_000_000_000\n'
        '[[routers.interfaces]]\nname = "HundredGigE0/0/1/0"\nrole = "core"\nrate_bps = 100_000_000_000\n'
        "snmp_index = 502\n"
        for number in range(routers)
    )


def _stage(folder: Path, name: str) -> Used:
    """A stage's command for the day; its output is in the folder."""
    try:
        return used_by(hntes(folder / "hntes.toml", "stage", name, "--day", str(DAY)), ROOT, folder / name)
    except CommandFailedError as failed:
        sys.exit(str(failed))


def _print(done: dict[str, Used], routers: int, records: int) -> None:
    print(f"{routers} routers, {records:,} records in all")
    print(f"{'':10}{'CPU s':>9}{'clock s':>9}{'most MB':>9}   for {ASKED_ROUTERS} routers of {ASKED_RECORDS:,}")
    total_s = 0.0
    for name in (*BY_RECORD, *BY_ROUTER):
        if (stage := done.get(name)) is None:
            continue
        if name in BY_RECORD:
            asked_s = stage.cpu_s / records * ASKED_ROUTERS * ASKED_RECORDS
            how = f"{1e6 * stage.cpu_s / records:.2f} us a record"
        else:
            asked_s = stage.cpu_s / routers * ASKED_ROUTERS
            how = f"{stage.cpu_s / routers:.2f} s a router"
        total_s += asked_s
        print(f"{name:10}{stage.cpu_s:9.1f}{stage.clock_s:9.1f}{stage.peak_mb:9,.0f}   {how}: {asked_s:,.0f} CPU s")
    minutes = total_s / ASKED_PROCESSORS / 60
    print(
        f"in all {total_s:,.0f} CPU s, by {ASKED_PROCESSORS} processors {minutes:.1f} min if all are busy (asked: "
        f"{ASKED_MIN})"
    )


if __name__ == "__main__":
    main()
