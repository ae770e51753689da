"""The night of benchmarks/hung_night.py by Airflow with its LocalExecutor: who waits for folders that hang.

python -m benchmarks.hung_night_airflow [--routers 200] [--slots 4] [--limit-s 7200] [--databases sqlite postgresql]
    [--hang lock] [--folder-limit-s 60] [--retry-delay-s 60]

Airflow has a PostgreSQL server of its own; `--databases` are HNTES's. CPU seconds are of all processes, PostgreSQL's
too, from the night's begin to its end, when the last attempt at a folder that hangs has failed. It fails if any other
router is without a judged change or got it after `--limit-s`, or if a folder that hangs was not tried again.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks._hung_site import DATABASES, FAULTS, HANGS, database, hung, installed, router_names, watched
from benchmarks._process import adopt_orphans, tree_cpu_s
from tests.support.airflow import Airflow, running
from tests.support.airflow_site import end_idle_transactions
from tests.support.installation import Installation
from tests.support.killed_nights import NIGHT

DAG = "hntes_nightly"
COLUMNS = (
    "CPU s", "clock s", "last judged, s", "memory, MB", "processes", "connections, Airflow's", "connections, HNTES's",
    "tasks", "attempts",
)  # fmt: skip


@dataclass(frozen=True)
class Task:
    """A task instance of the run; ended_s: since the run began."""

    name: str
    map_index: int
    state: str
    attempts: int
    ended_s: float


def main() -> None:
    """Runs the night with each database and prints a row of the table for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--routers", type=int, default=200, help=f"default: 200; {2 * FAULTS} of them have no files")
    parser.add_argument("--slots", type=int, default=4, help="tasks at once, and routers per stage; default: 4")
    parser.add_argument("--limit-s", type=int, default=7200, help="of the other routers; default: 7200")
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES, help="default: both")
    parser.add_argument("--hang", choices=HANGS, default=HANGS[0], help="default: server")
    parser.add_argument("--folder-limit-s", type=int, default=60, help="HNTES_FOLDER_LIMIT_S; default: 60")
    parser.add_argument("--retry-delay-s", type=int, default=60, help="HNTES_RETRY_DELAY_S; default: 60")
    asked = parser.parse_args()
    adopt_orphans()
    print(f"{asked.routers} routers, {FAULTS} folders hang ({asked.hang}), {FAULTS} are missing, {asked.slots} slots\n")
    print(f"| | {' | '.join(COLUMNS)} |\n|---|" + "---:|" * len(COLUMNS))
    for name in asked.databases:
        with (
            tempfile.TemporaryDirectory() as folder,
            database("postgresql") as metadata_url,
            database(name) as url,
        ):
            assert metadata_url is not None
            site = installed(Path(folder), url, asked.routers)
            with _airflow(Path(folder), metadata_url, site, asked) as airflow, hung(site, asked.hang):
                print(f"| {name} | {_night(airflow, metadata_url, site, asked)} |", flush=True)


@contextmanager
def _airflow(folder: Path, metadata_url: str, site: Installation, asked: argparse.Namespace) -> Iterator[Airflow]:
    """An Airflow that is up and in which the night can be started; reviews only wait there."""
    end_idle_transactions(metadata_url)
    environment = {
        "AIRFLOW__CORE__PARALLELISM": str(asked.slots),
        "HNTES_SETTINGS": str(site.settings),
        "HNTES_SCHEDULE": "",
        "HNTES_PARALLEL": str(asked.slots),
        "HNTES_FOLDER_LIMIT_S": str(asked.folder_limit_s),
        "HNTES_RETRY_DELAY_S": str(asked.retry_delay_s),
    }
    with running(folder / "home", metadata_url, ("anna",), **environment) as airflow:
        airflow.wait_until("the DAG is known", lambda: DAG in str(airflow.call("GET", "/dags")))
        airflow.call("PATCH", f"/dags/{DAG}", {"is_paused": False})
        yield airflow


def _night(airflow: Airflow, metadata_url: str, site: Installation, asked: argparse.Namespace) -> str:
    """The figures of a night, whose results are as they must be."""
    engine = sa.create_engine(metadata_url, isolation_level="AUTOCOMMIT")
    cpu_s, begun_s = tree_cpu_s(os.getpid()), time.monotonic()
    with watched(airflow.processes, [metadata_url, site.database_url]) as seen:
        run = airflow.trigger(DAG, {"day": NIGHT})
        while (state := _state(engine, run)) not in ("success", "failed"):
            if time.monotonic() - begun_s > asked.limit_s + 3600:
                sys.exit(f"the night has not ended; it is {state}")
            time.sleep(2.0)
        clock_s, cpu_s = time.monotonic() - begun_s, tree_cpu_s(os.getpid()) - cpu_s
    tasks = _tasks(engine, run)
    engine.dispose()
    judged = {task.map_index: task.ended_s for task in tasks if _is_good(task, "propose")}
    _check(tasks, sorted(judged), site, asked.routers)
    last_judged_s = max(judged.values())
    if last_judged_s >= asked.limit_s:
        sys.exit(f"the last of the other routers was judged after {last_judged_s:.0f} s")
    figures = (round(cpu_s), round(clock_s), round(last_judged_s), round(seen.memory_mb), seen.processes)
    connections = (*seen.connections, "")[:2]
    return " | ".join(map(str, (*figures, *connections, len(tasks), sum(task.attempts for task in tasks))))


def _state(engine: sa.Engine, run: str) -> Any:
    with engine.connect() as asking:
        return asking.scalar(sa.text("select state from dag_run where run_id = :run and dag_id = :dag"), _of(run))


def _tasks(engine: sa.Engine, run: str) -> list[Task]:
    asked = sa.text(
        "select t.task_id, t.map_index, t.state, t.try_number, "
        "coalesce(extract(epoch from t.end_date - r.start_date), 0)::float "
        "from task_instance t join dag_run r on r.run_id = t.run_id and r.dag_id = t.dag_id "
        "where t.run_id = :run and t.dag_id = :dag"
    )
    with engine.connect() as asking:
        return [
            Task(name, index, state, attempts, ended_s)
            for name, index, state, attempts, ended_s in asking.execute(asked, _of(run))
        ]


def _of(run: str) -> dict[str, str]:
    return {"run": run, "dag": DAG}


def _is_good(task: Task, stage: str) -> bool:
    return task.name == f"router_night.{stage}" and task.state == "success"


def _check(tasks: list[Task], judged: list[int], site: Installation, routers: int) -> None:
    """Ends the program unless exactly the routers without files failed, those that hang after all attempts."""
    names = router_names(routers)
    if judged != list(range(2 * FAULTS, routers)):
        sys.exit(f"only {len(judged)} of {routers - 2 * FAULTS} routers were judged")
    # in another process, which could be killed if it came to a folder that hangs
    listed = subprocess.run(site.command("change", "list", "--json"), capture_output=True, check=True, timeout=120)
    waiting = {entry["router"] for entry in json.loads(listed.stdout)}
    if waiting != set(names[2 * FAULTS :]):
        sys.exit(f"changes wait of other routers than the healthy: {sorted(waiting ^ set(names[2 * FAULTS :]))}")
    attempts = {task.map_index: task.attempts for task in tasks if task.name == "router_night.ingest"}
    if min(attempts[index] for index in range(FAULTS)) < 2:
        sys.exit(f"a folder that hangs was not tried again: {[attempts[index] for index in range(FAULTS)]}")


if __name__ == "__main__":
    main()
