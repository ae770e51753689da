"""An installation of HNTES whose nights a real Airflow runs, each with a PostgreSQL server of its own, and ways to
disturb them.
"""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from tests.support import postgres
from tests.support.airflow import Airflow, running
from tests.support.installation import Installation, demo_installation
from tests.support.postgres import Server

USERS = ("anna", "bert")
DAGS = ("hntes_nightly", "hntes_review", "hntes_backfill", "hntes_delivery", "hntes_reservations")
DEADLINE_S = 30
SLOTS = 3  # tasks at once, and folders


@dataclass(frozen=True)
class Site:
    """`server` holds HNTES's tables, `metadata` those of Airflow."""

    airflow: Airflow
    hntes: Installation
    server: Server
    metadata: Server
    folder: Path

    def states(self, day: str) -> dict[str, tuple[str, str | None]]:
        """The changes of a day by router: state, and who decided."""
        entries = self.hntes.json("change", "list", "--all")
        return {e["router"]: (e["state"], e["decided_by"]) for e in entries if e["day"] == day}

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """Rows of HNTES's database."""
        engine = sa.create_engine(self.hntes.database_url)
        try:
            with engine.connect() as connection:
                return [tuple(row) for row in connection.execute(sa.text(statement))]
        finally:
            engine.dispose()

    def hold(self, count: int) -> None:
        """Has the next so many tasks that come to a flow file of 18:30 stand still there, until `release`."""
        (self.folder / "holds" / "release").unlink(missing_ok=True)
        for number in range(count):
            (self.folder / "holds" / f"hold.{number}").touch()

    def held(self, count: int) -> dict[int, Path]:
        """Waits until so many tasks stand still; the flow file that each is at, by process id."""
        holds = self.folder / "holds"
        self.airflow.wait_until(f"{count} tasks are held", lambda: len(list(holds.glob("held.*"))) == count)
        found = {}
        for marked in holds.glob("held.*"):
            found[int(marked.suffix[1:])] = Path(marked.read_text().strip())
            marked.unlink()
        assert all(self.airflow.processes()[pid].startswith("airflow worker") for pid in found)
        return found

    def release(self) -> None:
        """Lets all that stand still go on."""
        (self.folder / "holds" / "release").touch()

    def late(self) -> str:
        """What $HNTES_LATE_COMMAND was told."""
        told = self.folder / "late.txt"
        return told.read_text() if told.exists() else ""

    @contextlib.contextmanager
    def blocked(self, installation: Installation, table: str) -> Iterator[None]:
        """Nobody can write to a table: transactions stand still in their middle; a stop of the server ends them all."""
        engine = sa.create_engine(installation.database_url)
        connection = engine.connect()
        try:
            connection.execute(sa.text(f"LOCK TABLE {table} IN EXCLUSIVE MODE"))
            yield
        finally:
            with contextlib.suppress(sa.exc.DBAPIError):
                connection.close()
            engine.dispose()

    def waiting(self) -> int:
        """How many sessions wait for a lock."""
        rows = self.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
        return int(rows[0][0])


@contextlib.contextmanager
def airflow_site(folder: Path) -> Iterator[Site]:
    """The demonstration's routers, under an Airflow that is up and knows all DAGs; nothing of it is left at the end."""
    binaries = postgres.find_binaries()
    assert binaries is not None
    with (
        postgres.temporary_server(binaries) as metadata,
        metadata.database() as metadata_url,
        postgres.temporary_server(binaries) as server,
        server.database() as url,
    ):
        end_idle_transactions(metadata_url)
        write_reader(folder)
        installation = demo_installation(folder / "site", url, **{"[ingest]": reader_settings(folder)})
        environment = {
            "HNTES_SETTINGS": str(installation.settings),
            "HNTES_SCHEDULE": "",
            "HNTES_NIGHT_DEADLINE_S": str(DEADLINE_S),
            "HNTES_LATE_COMMAND": f"tee -a {folder / 'late.txt'}",
            "HNTES_RETRY_DELAY_S": "8",
            "HNTES_REVIEW_POLL_S": "2",
        }
        with running(folder / "home", metadata_url, USERS, **environment) as airflow:
            airflow.wait_until("the DAGs are known", lambda: len(airflow.call("GET", "/dags")["dags"]) == len(DAGS))
            assert airflow.call("GET", "/importErrors")["total_entries"] == 0
            airflow.call("PATCH", "/dags/hntes_nightly", {"is_paused": False})
            airflow.call("PATCH", "/dags/hntes_backfill", {"is_paused": False})
            yield Site(airflow, installation, server, metadata, folder)
        assert airflow.processes() == {}


def reader_settings(folder: Path) -> str:
    """What to put in the place of "[ingest]" in settings for the nfdump of `write_reader`."""
    # It stands still for as long as a test needs, which is no sign of a damaged file.
    return f'[ingest]\nreader = "nfdump"\nnfdump = "{folder / "nfdump"}"\nnfdump_limit_s = 3600'


def write_reader(folder: Path) -> None:
    """Writes an nfdump that stands still at the flow files of 18:30 when told to; see Site.hold."""
    program, holds = folder / "nfdump", folder / "holds"
    holds.mkdir(parents=True)
    program.write_text(
        "#!/bin/sh\n"
        'case "$*" in *-r*/flows/*1830*)\n'
        f"for hold in {holds}/hold.*; do if rm $hold 2>/dev/null; then\n"
        'for word in "$@"; do case $word in */flows/*) break;; esac; done\n'
        f"echo $word > {holds}/new.$PPID; mv {holds}/new.$PPID {holds}/held.$PPID\n"
        f"while kill -0 $PPID 2>/dev/null && ! [ -e {holds}/release ]; do sleep 0.2; done\n"
        "kill -0 $PPID 2>/dev/null || exit 1\n"
        "break; fi; done;; esac\n"
        'exec nfdump "$@"\n'
    )
    program.chmod(0o755)


def end_idle_transactions(url: str) -> None:
    """As the guide says: else a killed worker's request can keep the run's row locked for ever."""
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        name = engine.dialect.identifier_preparer.quote(str(engine.url.database))
        connection.execute(sa.text(f"ALTER DATABASE {name} SET idle_in_transaction_session_timeout = '30s'"))
    engine.dispose()


def night(site: Site, day: str) -> tuple[str, str]:
    """A run of the night of a day: its id and how it ended."""
    run = site.airflow.trigger("hntes_nightly", {"day": day})
    return run, site.airflow.finished("hntes_nightly", run)


def review_of(site: Site, run: str) -> str:
    """The run of the review that a night began."""
    begun = [name for name in site.airflow.runs("hntes_review") if name.startswith(f"{run}.")]
    assert len(begun) == 1, begun
    return begun[0]


def requests(site: Site, review: str) -> dict[str, dict[str, Any]]:
    """The open requests of a review, by router."""
    path = f"/dags/hntes_review/dagRuns/{review}/hitlDetails?response_received=false"
    listed = site.airflow.call("GET", path)["hitl_details"]
    return {entry["task_instance"]["rendered_map_index"]: entry for entry in listed}


def answer(site: Site, request: dict[str, Any], verb: str, note: str, user: str) -> None:
    """Answers a request as a person does."""
    (option,) = [option for option in request["options"] if option.startswith(verb)]
    task = request["task_instance"]
    path = f"/dags/hntes_review/dagRuns/{task['dag_run_id']}/taskInstances/{task['task_id']}/{task['map_index']}"
    body = {"chosen_options": [option], "params_input": {"note": note}}
    site.airflow.call("PATCH", f"{path}/hitlDetails", body, user)


@contextlib.contextmanager
def stopped(server: Server, seconds: float) -> Iterator[None]:
    """A server that is away for the body of the statement, and for that many seconds at least."""
    server.stop()
    back = time.monotonic() + seconds
    try:
        yield
        time.sleep(max(0.0, back - time.monotonic()))
    finally:
        server.start()


def attempts(site: Site, dag: str, run: str, task: str) -> dict[int, list[str]]:
    """The logs of all attempts of a task, by map index."""
    logs: dict[int, list[str]] = {}
    for (name, index), found in site.airflow.tasks(dag, run).items():
        if name == task:
            numbers = range(1, found["try_number"] + 1)
            logs[index] = [site.airflow.task_log(dag, run, name, index, number) for number in numbers]
    return logs


def gave_up(task: dict[str, Any]) -> bool:
    """Whether a failed task had attempts left.

    On a busy machine Airflow may begin a task anew that did nothing wrong, so the first attempt need not be the last.
    """
    return bool(task["try_number"] <= task["max_tries"])


def last_log(site: Site, task: dict[str, Any]) -> str:
    """The log of a task's last attempt."""
    run = (task["dag_id"], task["dag_run_id"], task["task_id"], task["map_index"])
    return site.airflow.task_log(*run, task["try_number"])


def asset_days(site: Site, run: str) -> list[str]:
    """The days for which a night said that the flows are in."""
    events = site.airflow.call("GET", "/assets/events?limit=100")["asset_events"]
    return [event["extra"]["day"] for event in events if event["source_run_id"] == run]
