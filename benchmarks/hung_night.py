"""A night of many routers with small days, some of whose folders hang and some are missing, by `hntes nightly --jobs`.

python -m benchmarks.hung_night [--routers 200] [--jobs 2] [--limit-s 540] [--databases sqlite postgresql]

All routers have the files of the demonstration's first night, so its simulations are made once, before. Another process
has the folders that hang, for which ingest would wait for 600 s; they are the first, where they hold up most. It fails
if any other router is without a judged change, or got it after `--limit-s`, when a folder that hangs is given up.
"""

import argparse
import fcntl
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from benchmarks._process import adopt_orphans, tree_cpu_s
from hntes.etl.lake.part import folder_tag
from tests.support import postgres
from tests.support.installation import ROOT, Installation, demo_installation
from tests.support.killed_nights import NIGHT

FAULTS = 3  # folders that hang, and as many that are missing
DATABASES = ("sqlite", "postgresql")
FINISHED_WITH_PROBLEMS = 3


@dataclass
class Seen:
    """Peaks of samples taken once per second: processes, their memory (PSS, MB), connections to PostgreSQL."""

    processes: int = 0
    memory_mb: float = 0.0
    connections: int = 0


def main() -> None:
    """Runs the night with each database and prints a row of the table for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--routers", type=int, default=200, help=f"default: 200; {2 * FAULTS} of them have no files")
    parser.add_argument("--jobs", type=int, default=2, help="default: 2")
    parser.add_argument("--limit-s", type=int, default=540, help="less than 600; default: 540")
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES, help="default: both")
    asked = parser.parse_args()
    adopt_orphans()
    print(f"{asked.routers} routers, {FAULTS} folders hang, {FAULTS} are missing, {asked.jobs} jobs\n")
    print("| | CPU s | clock s | last judged, s | memory, MB | processes | connections |\n|---|" + "---:|" * 6)
    for name in asked.databases:
        with tempfile.TemporaryDirectory() as folder, _database(name) as url:
            site = _installed(Path(folder), url, asked.routers)
            print(f"| {name} | {_night(site, asked.routers, asked.jobs, asked.limit_s)} |", flush=True)


@contextmanager
def _database(name: str) -> Iterator[str | None]:
    """An empty database of its own; None stands for a file."""
    if name == "sqlite":
        yield None
        return
    binaries = postgres.find_binaries()
    if binaries is None:
        sys.exit("no PostgreSQL server is installed: scripts/install_system_packages test")
    with postgres.temporary_server(binaries) as server, server.database() as url:
        yield url


def _installed(folder: Path, url: str | None, routers: int) -> Installation:
    """Routers r001, r002, ...: the demonstration's first under other names, with folders of their own."""
    site = demo_installation(folder / "site", url, routers=1)
    head, table = site.settings.read_text(encoding="utf-8").split("[[routers]]\n")
    flows = ROOT / "demo" / "flows" / "r1"
    tables = []
    for number in range(1, routers + 1):
        name = f"r{number:03}"
        tables.append(table.replace('"r1"', f'"{name}"').replace(f'"{flows}"', f'"{folder / "flows" / name}"'))
        if not FAULTS < number <= 2 * FAULTS:
            (folder / "flows" / name).mkdir(parents=True)
            for file in flows.glob(f"nfcapd.{NIGHT.replace('-', '')}*"):
                (folder / "flows" / name / file.name).write_bytes(file.read_bytes())
    site.settings.write_text("[[routers]]\n".join([head, *tables]), encoding="utf-8")
    return site


def _night(site: Installation, routers: int, jobs: int, limit_s: int) -> str:
    """The figures of a night, whose results are as they must be."""
    command = site.command("nightly", "--day", NIGHT, "--jobs", str(jobs), "--limit-s", str(limit_s), "--json")
    flows = site.settings.parent.parent / "flows"
    seen, over, last_judged_s = Seen(), threading.Event(), 0.0
    cpu_s, begun_s = tree_cpu_s(os.getpid()), time.monotonic()
    with ExitStack() as held, tempfile.TemporaryFile("w+") as document:
        for number in range(1, FAULTS + 1):
            held.enter_context(_hung(site, flows / f"r{number:03}"))
        process = subprocess.Popen(
            command, stdout=document, stderr=subprocess.PIPE, text=True, env=os.environ | {"HNTES_LOG": "info"}
        )
        watching = threading.Thread(target=_watch, args=(process.pid, site.database_url, seen, over))
        watching.start()
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("{") and json.loads(line).get("stage") == "judge":
                last_judged_s = time.monotonic() - begun_s
        status = process.wait()
        clock_s, cpu_s = time.monotonic() - begun_s, tree_cpu_s(os.getpid()) - cpu_s
        over.set()
        watching.join()
        document.seek(0)
        _check(json.load(document) if status == FINISHED_WITH_PROBLEMS else {}, routers, status)
    if last_judged_s >= limit_s:
        sys.exit(f"the last of the other routers was judged after {last_judged_s:.0f} s, when the hung were given up")
    figures = (round(cpu_s), round(clock_s), round(last_judged_s), round(seen.memory_mb), seen.processes)
    return " | ".join(map(str, (*figures, seen.connections or "")))


def _check(night: "dict[str, dict[str, object]]", routers: int, status: int) -> None:
    names = [f"r{number:03}" for number in range(1, routers + 1)]
    if night.get("failures", {}).keys() != set(names[: 2 * FAULTS]):
        sys.exit(f"status {status}, other routers failed than those without files: {sorted(night.get('failures', {}))}")
    if list(night["judged"]) != names[2 * FAULTS :]:
        sys.exit(f"only {len(night['judged'])} of {routers - 2 * FAULTS} routers have a judged change")


@contextmanager
def _hung(site: Installation, folder: Path) -> Iterator[None]:
    """Another process has the folder, for which ingest waits ten minutes."""
    lock = site.lake / ".locks" / folder_tag(folder)
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _watch(pid: int, url: str, seen: Seen, over: threading.Event) -> None:
    """Looks at the command's processes and its connections once a second."""
    engine = sa.create_engine(url) if url.startswith("postgresql") else None
    with engine.connect() if engine else nullcontext() as asking:
        while not over.wait(1.0):
            pids = _below(pid)
            seen.processes = max(seen.processes, len(pids))
            seen.memory_mb = max(seen.memory_mb, sum(map(_pss_mb, pids)))
            if asking is not None:
                count = asking.scalar(
                    sa.text(
                        "select count(*) from pg_stat_activity where datname = current_database() "
                        "and pid <> pg_backend_pid()"
                    )
                )
                asking.rollback()
                seen.connections = max(seen.connections, count)
    if engine:
        engine.dispose()


def _below(pid: int) -> list[int]:
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:  # it has ended
                continue
    return found


def _pss_mb(pid: int) -> float:
    """Its share of memory: pages that several processes have are divided among them."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    main()
