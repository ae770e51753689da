"""The DAGs in a real Airflow on PostgreSQL, HNTES's own tables on another PostgreSQL server."""

import contextlib
import hashlib
import importlib.util
import json
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests.conftest import IN_CI
from tests.support import postgres
from tests.support.airflow import Airflow, RefusedError, running
from tests.support.installation import Installation, demo_installation
from tests.support.postgres import Server

FIRST, SECOND, THIRD = "2026-11-20", "2026-11-21", "2026-11-23"
USERS = ("anna", "bert")
PINNED = "192.0.2.0/24>203.0.113.0/24"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@dataclass(frozen=True)
class Site:
    """One installation, its database server, the Airflow that runs its nights, and the hold on its flow reader."""

    airflow: Airflow
    hntes: Installation
    server: Server
    hold: Path
    late: Path

    def states(self, day: str) -> dict[str, tuple[str, str | None]]:
        entries = self.hntes.json("changes", "--all")
        return {e["router"]: (e["state"], e["decided_by"]) for e in entries if e["day"] == day}

    def victim(self) -> int:
        """Waits until a task reads its first flow file and stands still there; the task's process id."""
        marked = self.hold.with_suffix(".victim")
        text = self.airflow.wait_until("a task is held", lambda: marked.exists() and marked.read_text().strip())
        marked.unlink()
        return int(text)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, postgresql_server: Server) -> Iterator[Site]:
    if importlib.util.find_spec("airflow") is None and not IN_CI:
        pytest.skip("Airflow is not installed; `make everything` installs it")
    binaries = postgres.find_binaries()
    assert binaries is not None
    folder = tmp_path_factory.mktemp("airflow")
    with (
        postgresql_server.database() as metadata_url,
        postgres.temporary_server(binaries) as server,
        server.database() as url,
    ):
        end_idle_transactions(metadata_url)
        hold = folder / "hold"
        installation = demo_installation(folder / "site", url, **{"[detection]": _reader(folder, hold)})
        environment = {
            "HNTES_SETTINGS": str(installation.settings),
            "HNTES_SCHEDULE": "",
            "HNTES_NIGHT_DEADLINE_S": "5",
            "HNTES_LATE_COMMAND": f"tee -a {folder / 'late.txt'}",
            "HNTES_RETRY_DELAY_S": "8",
            "HNTES_REVIEW_POLL_S": "2",
        }
        with running(folder / "home", metadata_url, USERS, **environment) as airflow:
            airflow.wait_until("the DAGs are known", lambda: len(airflow.call("GET", "/dags")["dags"]) == 3)
            assert airflow.call("GET", "/importErrors")["total_entries"] == 0
            airflow.call("PATCH", "/dags/hntes_nightly", {"is_paused": False})
            airflow.call("PATCH", "/dags/hntes_backfill", {"is_paused": False})
            yield Site(airflow, installation, server, hold, folder / "late.txt")


def _reader(folder: Path, hold: Path) -> str:
    """Settings with an nfdump that, once and when told to, names its caller and stands still until that is killed."""
    program = folder / "nfdump"
    victim = hold.with_suffix(".victim")
    program.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *-r*) if rm {hold} 2>/dev/null; then echo $PPID > {victim}\n'
        "while kill -0 $PPID 2>/dev/null; do sleep 0.5; done; exit 1; fi;; esac\n"
        'exec nfdump "$@"\n'
    )
    program.chmod(0o755)
    return f'[ingest]\nnfdump = "{program}"\n\n[detection]'


def end_idle_transactions(url: str) -> None:
    """As the guide says: else a killed worker's request can keep the run's row locked for ever."""
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        name = engine.dialect.identifier_preparer.quote(str(engine.url.database))
        connection.execute(sa.text(f"ALTER DATABASE {name} SET idle_in_transaction_session_timeout = '15s'"))
    engine.dispose()


def night(site: Site, day: str) -> tuple[str, str]:
    run = site.airflow.trigger("hntes_nightly", {"day": day})
    return run, site.airflow.finished("hntes_nightly", run)


def review_of(site: Site, run: str) -> str:
    begun = [name for name in site.airflow.runs("hntes_review") if name.startswith(f"{run}.")]
    assert len(begun) == 1, begun
    return begun[0]


def requests(site: Site, review: str) -> dict[str, dict[str, Any]]:
    """The open requests of a review, by router."""
    path = f"/dags/hntes_review/dagRuns/{review}/hitlDetails?response_received=false"
    listed = site.airflow.call("GET", path)["hitl_details"]
    return {entry["task_instance"]["rendered_map_index"]: entry for entry in listed}


def answer(site: Site, request: dict[str, Any], verb: str, note: str, user: str) -> None:
    (option,) = [option for option in request["options"] if option.startswith(verb)]
    task = request["task_instance"]
    path = f"/dags/hntes_review/dagRuns/{task['dag_run_id']}/taskInstances/{task['task_id']}/{task['map_index']}"
    body = {"chosen_options": [option], "params_input": {"note": note}}
    site.airflow.call("PATCH", f"{path}/hitlDetails", body, user)


def test_a_night_is_reviewed_in_airflow_and_on_the_command_line(site: Site) -> None:
    run, state = night(site, FIRST)
    assert state == "success"
    assert {name: state for name, (state, _) in site.states(FIRST).items()} == dict.fromkeys(
        ("r1", "r2", "r3"), "pending"
    )
    review = review_of(site, run)
    waiting = site.airflow.wait_until("three requests", lambda: len(r := requests(site, review)) == 3 and r)
    hashes = {entry["router"]: entry["candidate_hash"] for entry in site.hntes.json("changes")}
    for router, request in waiting.items():
        assert hashes[router] in request["body"]
        assert "198.18.60.0/24" in request["body"]
        assert "gate: passed" in request["body"]
    answer(site, waiting["r1"], "Approve", "ticket 42", "anna")
    answer(site, waiting["r2"], "Reject", "too early", "bert")
    options = ("--router", "r3", "--day", FIRST, "--hash", hashes["r3"])
    site.hntes.run("approve", *options, "--who", "carl")
    assert site.airflow.finished("hntes_review", review) == "success"
    assert site.states(FIRST) == {"r1": ("approved", "anna"), "r2": ("rejected", "bert"), "r3": ("approved", "carl")}
    assert site.hntes.json("changes", "--all")[0]["decision_note"] == "ticket 42"
    tasks = site.airflow.tasks("hntes_review", review)
    assert sorted(t["state"] for (name, _), t in tasks.items() if name == "router_review.hand_over") == [
        "skipped", "success", "success",
    ]  # fmt: skip
    with pytest.raises(RefusedError) as refused:
        answer(site, waiting["r3"], "Reject", "", "anna")
    assert refused.value.status == 409
    for router in ("r1", "r3"):
        approved = site.hntes.output / router / "approved"
        manifest = json.loads((approved / "manifest.json").read_text())
        assert manifest["sha256"] == hashes[router]
        assert hashlib.sha256((approved / manifest["file"]).read_bytes()).hexdigest() == hashes[router]
    assert not (site.hntes.output / "r2" / "approved").exists()

    assert f"the night of run {run} is late" in site.late.read_text()  # it took more than five seconds

    before = site.hntes.state()
    run, state = night(site, FIRST)
    assert state == "success"
    assert site.airflow.tasks("hntes_nightly", run)["begin_review", -1]["state"] == "skipped"
    assert site.hntes.state() == before


def test_parameters_that_are_no_day_or_no_router_are_refused(site: Site) -> None:
    for conf in ({"day": "2026-13-01"}, {"day": "yesterday"}, {"routers": ["; rm -rf /"]}, {"routers": "r1"}):
        with pytest.raises(RefusedError) as refused:
            site.airflow.trigger("hntes_nightly", conf)
        assert refused.value.status == 400


def test_a_folder_that_is_missing_holds_up_its_own_router_alone(site: Site) -> None:
    text = site.hntes.settings.read_text()
    site.hntes.settings.write_text(text.replace("flows/r3", "flows/nowhere"))
    try:
        run, state = night(site, SECOND)
    finally:
        site.hntes.settings.write_text(text)
    assert state == "failed"
    assert site.states(SECOND) == {"r1": ("empty", None), "r2": ("pending", None)}  # r1 has what it needs already
    tasks = site.airflow.tasks("hntes_nightly", run)
    ((failed, task),) = [(i, t) for (name, i), t in tasks.items() if name == "read_flows" and t["state"] == "failed"]
    assert task["try_number"] == 1  # a missing folder does not come by itself
    assert "no such flow folder" in site.airflow.task_log("hntes_nightly", run, "read_flows", failed, 1)
    site.airflow.wait_until("the review waits", lambda: len(requests(site, review_of(site, run))) == 1)


def test_a_request_ends_when_its_candidate_is_no_longer_the_one(site: Site) -> None:
    (older,) = [run for run, state in site.airflow.runs("hntes_review").items() if state == "running"]
    (shown,) = requests(site, older).values()
    change_candidate(site.hntes)
    assert site.airflow.finished("hntes_review", older) == "failed"
    with contextlib.suppress(RefusedError):
        answer(site, shown, "Approve", "", "anna")
    assert site.states(SECOND)["r2"] == ("pending", None)
    anew = site.airflow.trigger("hntes_review", {"day": SECOND, "routers": ["r2"]})
    (request,) = site.airflow.wait_until("a new request", lambda: requests(site, anew)).values()
    assert request["options"] != shown["options"]
    assert "192.0.2.0/24" in request["body"]


def test_a_disturbed_night_ends_like_an_undisturbed_one(site: Site, postgresql_server: Server) -> None:
    """A task is killed, the database goes, the scheduler is killed; and the older night's review ends by itself."""
    (older,) = [run for run, state in site.airflow.runs("hntes_review").items() if state == "running"]
    site.hold.touch()
    run = site.airflow.trigger("hntes_nightly", {"day": THIRD})
    os.kill(site.victim(), signal.SIGKILL)
    site.server.stop()
    site.airflow.wait_until("a task misses the database", lambda: told_of_database(site, run))
    site.server.start()
    site.hold.touch()
    site.victim()
    site.airflow.kill_program("scheduler")
    site.airflow.start_program("scheduler")
    assert site.airflow.finished("hntes_nightly", run) == "success"
    assert site.airflow.finished("hntes_review", older) == "success"
    assert site.states(SECOND)["r2"] == ("superseded", None)
    with postgresql_server.database() as url:
        undisturbed = demo_installation(site.hold.parent / "undisturbed" / "site", url)
        undisturbed.run("nightly", "--day", FIRST)
        decide(undisturbed, "r1", "approve", "anna", "ticket 42")
        decide(undisturbed, "r2", "reject", "bert", "too early")
        decide(undisturbed, "r3", "approve", "carl", None)
        undisturbed.run("hand-over")
        undisturbed.run("nightly", "--day", SECOND, "--router", "r1", "--router", "r2")
        change_candidate(undisturbed)
        undisturbed.run("nightly", "--day", THIRD)
        assert site.hntes.state() == undisturbed.state()


def told_of_database(site: Site, run: str) -> bool:
    """Whether an attempt to read flows ended because the database was not there."""
    for (name, index), task in site.airflow.tasks("hntes_nightly", run).items():
        for attempt in range(1, task["try_number"] + 1) if name == "read_flows" else ():
            if "cannot be opened: connection" in site.airflow.task_log("hntes_nightly", run, name, index, attempt):
                return True
    return False


def decide(installation: Installation, router: str, verb: str, who: str, note: str | None) -> None:
    (entry,) = installation.json("changes", "--router", router)
    options = ["--router", router, "--hash", entry["candidate_hash"], "--who", who]
    installation.run(verb, *options, *(("--note", note) if note else ()))


def change_candidate(installation: Installation) -> None:
    """Another rule for r2, and its change of the second day anew."""
    pin = ("pin", "add", PINNED, "--router", "r2", "--owner", "anna", "--reason", "weekly copy", "--from-day", SECOND)
    installation.run(*pin)
    installation.run("nightly", "--day", SECOND, "--router", "r2")
