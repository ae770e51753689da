"""A night of many routers with small days, some of whose folders hang and some are missing, by `hntes nightly --jobs`.

python -m benchmarks.hung_night [--routers 200] [--jobs 2] [--limit-s 540] [--databases sqlite postgresql] [--hang lock]

All routers have the files of the demonstration's first night, so its simulations are made once, before. The folders
that hang are the first, where they hold up most: their file server is dead (`server`, which needs CAP_SYS_ADMIN), or
another process has them (`lock`). Ingest waits 600 s for either. It fails if any other router is without a judged
change, or got it after `--limit-s`, when a folder that hangs is given up.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._hung_site import DATABASES, FAULTS, HANGS, database, hung, installed, router_names, watched
from benchmarks._process import adopt_orphans, tree_cpu_s
from tests.support.installation import Installation
from tests.support.killed_nights import NIGHT

FINISHED_WITH_PROBLEMS = 3


def main() -> None:
    """Runs the night with each database and prints a row of the table for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--routers", type=int, default=200, help=f"default: 200; {2 * FAULTS} of them have no files")
    parser.add_argument("--jobs", type=int, default=2, help="default: 2")
    parser.add_argument("--limit-s", type=int, default=540, help="less than 600; default: 540")
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES, help="default: both")
    parser.add_argument("--hang", choices=HANGS, default=HANGS[0], help="default: server")
    asked = parser.parse_args()
    adopt_orphans()
    print(f"{asked.routers} routers, {FAULTS} folders hang, {FAULTS} are missing, {asked.jobs} jobs\n")
    print("| | CPU s | clock s | last judged, s | memory, MB | processes | connections |\n|---|" + "---:|" * 6)
    for name in asked.databases:
        with tempfile.TemporaryDirectory() as folder, database(name) as url:
            site = installed(Path(folder), url, asked.routers)
            print(f"| {name} | {_night(site, asked.routers, asked.jobs, asked.limit_s, asked.hang)} |", flush=True)


def _night(site: Installation, routers: int, jobs: int, limit_s: int, how: str) -> str:
    """The figures of a night, whose results are as they must be."""
    command = site.command("nightly", "--day", NIGHT, "--jobs", str(jobs), "--limit-s", str(limit_s), "--json")
    last_judged_s, cpu_s, begun_s = 0.0, tree_cpu_s(os.getpid()), time.monotonic()
    with hung(site, how), tempfile.TemporaryFile("w+") as document:
        process = subprocess.Popen(
            command, stdout=document, stderr=subprocess.PIPE, text=True, env=os.environ | {"HNTES_LOG": "info"}
        )
        with watched(lambda: _below(process.pid), [site.database_url]) as seen:
            assert process.stderr is not None
            for line in process.stderr:
                if line.startswith("{") and json.loads(line).get("stage") == "judge":
                    last_judged_s = time.monotonic() - begun_s
            status = process.wait()
            clock_s, cpu_s = time.monotonic() - begun_s, tree_cpu_s(os.getpid()) - cpu_s
        document.seek(0)
        _check(json.load(document) if status == FINISHED_WITH_PROBLEMS else {}, routers, status)
    if last_judged_s >= limit_s:
        sys.exit(f"the last of the other routers was judged after {last_judged_s:.0f} s, when the hung were given up")
    figures = (round(cpu_s), round(clock_s), round(last_judged_s), round(seen.memory_mb), seen.processes)
    return " | ".join(map(str, (*figures, *(seen.connections or ("",)))))


def _check(night: "dict[str, dict[str, object]]", routers: int, status: int) -> None:
    names = router_names(routers)
    if night.get("failures", {}).keys() != set(names[: 2 * FAULTS]):
        sys.exit(f"status {status}, other routers failed than those without files: {sorted(night.get('failures', {}))}")
    if list(night["judged"]) != names[2 * FAULTS :]:
        sys.exit(f"only {len(night['judged'])} of {routers - 2 * FAULTS} routers have a judged change")


def _below(pid: int) -> list[int]:
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:  # it has ended
                continue
    return found


if __name__ == "__main__":
    main()
