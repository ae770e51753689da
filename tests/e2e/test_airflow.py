"""The DAGs in a real Airflow on PostgreSQL, HNTES's own tables on another PostgreSQL server.

Every run has a night in one process instead: tests/integration/dags/test_night.py.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.conftest import IN_CI
from tests.support.airflow import RefusedError
from tests.support.airflow_site import (
    DEADLINE_S,
    SLOTS,
    Site,
    airflow_site,
    answer,
    asset_days,
    attempts,
    gave_up,
    last_log,
    night,
    reader_settings,
    requests,
    review_of,
    stopped,
)
from tests.support.installation import ROOT, Installation, demo_installation
from tests.support.many_nights import write_nights
from tests.support.postgres import Server
from tests.support.state import State, differences, without_surroundings

FIRST, SECOND, THIRD = "2026-11-20", "2026-11-21", "2026-11-23"
PINNED = "192.0.2.0/24>203.0.113.0/24"
AWAY_S = 65

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    if importlib.util.find_spec("airflow") is None and not IN_CI:
        pytest.skip("Airflow is not installed; `make everything` installs it")
    with airflow_site(tmp_path_factory.mktemp("airflow")) as made:
        yield made


def test_a_night_is_reviewed_in_airflow_and_on_the_command_line(site: Site) -> None:
    run, state = night(site, FIRST)
    assert state == "success"
    assert {name: state for name, (state, _) in site.states(FIRST).items()} == dict.fromkeys(
        ("r1", "r2", "r3"), "pending"
    )
    assert asset_days(site, run) == [FIRST]
    review = review_of(site, run)
    waiting = site.airflow.wait_until("three requests", lambda: len(r := requests(site, review)) == 3 and r)
    hashes = {entry["router"]: entry["candidate_hash"] for entry in site.hntes.json("change", "list")}
    for router, request in waiting.items():
        assert hashes[router] in request["body"]
        assert "198.18.60.0/24" in request["body"]
        assert "gate: passed" in request["body"]
        assert "alpha traffic in one day these rules would have queued" in request["body"]
        assert "measures pass; tightest: " in request["body"]
    answer(site, waiting["r1"], "Approve", "ticket 42", "anna")
    answer(site, waiting["r2"], "Reject", "too early", "bert")
    options = ("--router", "r3", "--day", FIRST, "--hash", hashes["r3"])
    site.hntes.run("change", "approve", *options, "--who", "carl")
    assert site.airflow.finished("hntes_review", review) == "success"
    assert site.states(FIRST) == {"r1": ("approved", "anna"), "r2": ("rejected", "bert"), "r3": ("approved", "carl")}
    assert site.hntes.json("change", "list", "--all")[0]["decision_note"] == "ticket 42"
    tasks = site.airflow.tasks("hntes_review", review)
    assert sorted(t["state"] for (name, _), t in tasks.items() if name == "router_review.deliver") == [
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


def test_a_night_run_again_in_airflow_changes_nothing(site: Site) -> None:
    before = site.hntes.state()
    run = site.airflow.trigger("hntes_nightly", {"day": FIRST, "routers": ["r1"]})
    assert site.airflow.finished("hntes_nightly", run) == "success"
    assert site.airflow.tasks("hntes_nightly", run)["begin_review", -1]["state"] == "skipped"
    assert site.hntes.state() == before


def test_parameters_that_are_no_day_or_no_router_are_refused(site: Site) -> None:
    days = ("2026-13-01", "2026-02-30", "yesterday")
    for conf in (*({"day": day} for day in days), {"routers": ["; rm -rf /"]}, {"routers": "r1"}):
        with pytest.raises(RefusedError) as refused:
            site.airflow.trigger("hntes_nightly", conf)
        assert refused.value.status == 400
    for conf in ({}, {"first_day": FIRST}, {"first_day": FIRST, "last_day": "2026-02-30"}):
        with pytest.raises(RefusedError) as refused:
            site.airflow.trigger("hntes_backfill", conf)
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
    assert asset_days(site, run) == [SECOND]  # of the other two
    tasks = site.airflow.tasks("hntes_nightly", run)
    (failed,) = [task for (name, _), task in tasks.items() if name.endswith(".ingest") and task["state"] == "failed"]
    assert gave_up(failed)  # a missing folder does not come by itself
    assert "no such flow folder" in last_log(site, failed)
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


def test_an_approval_of_a_held_change_set_is_refused_with_what_to_do(site: Site) -> None:
    (review,) = [run for run, state in site.airflow.runs("hntes_review").items() if state == "running"]
    (request,) = requests(site, review).values()
    text = site.hntes.settings.read_text()
    site.hntes.settings.write_text(text.replace("[review]", "[review]\nnew_pairs_limit = 0"))
    try:
        answer(site, request, "Approve", "", "anna")
        assert site.airflow.finished("hntes_review", review) == "failed"
    finally:
        site.hntes.settings.write_text(text)
    assert site.states(SECOND)["r2"] == ("pending", None)
    (failed,) = [t for t in site.airflow.tasks("hntes_review", review).values() if t["state"] == "failed"]
    assert gave_up(failed)
    told = last_log(site, failed)
    assert "the answer of anna (Approve) was not taken" in told
    assert "hntes change acknowledge" in told
    assert f"start hntes_review for day {SECOND} and router r2" in told
    again = site.airflow.trigger("hntes_review", {"day": SECOND, "routers": ["r2"]})
    site.airflow.wait_until("a request once more", lambda: requests(site, again))


def test_a_disturbed_night_ends_like_an_undisturbed_one(site: Site, postgresql_server: Server) -> None:
    """Tasks are killed and orphaned in the middle of a folder, and the database goes for a minute in the middle of
    transactions; the night is told to be late meanwhile, and the older night's review ends by itself.
    """
    (older,) = [run for run, state in site.airflow.runs("hntes_review").items() if state == "running"]
    site.hold(SLOTS)
    run = site.airflow.trigger("hntes_nightly", {"day": THIRD})
    held = site.held(SLOTS)
    assert {file.parent.name for file in held.values()} == {"r1", "r2", "r3"}
    assert files_read(site) == {"r1": 1, "r2": 1, "r3": 1}  # of two each
    site.airflow.wait_until("the night is told to be late", lambda: f"run {run} is late" in site.late())
    kill_one_task_and_the_scheduler(site, run, *held)
    with site.blocked(site.hntes, "day_status"):
        site.release()
        site.airflow.wait_until("all tasks are in the middle of a transaction", lambda: site.waiting() == SLOTS)
        assert files_read(site) == {"r1": 2, "r2": 2, "r3": 2}
        with stopped(site.server, AWAY_S), postgresql_server.database() as url:
            refuse_days_out_of_range(site)
            undisturbed = undisturbed_nights(site.folder / "undisturbed" / "site", url)
    assert half_days(site) == []
    assert site.airflow.finished("hntes_nightly", run) == "success"
    name = sa.make_url(site.hntes.database_url).render_as_string()
    proposing = attempts(site, "hntes_nightly", run, "router_night.propose")
    assert len(proposing) == SLOTS
    for logs in proposing.values():
        gone = next(
            number for number, log in enumerate(logs) if "the database refused the request or disconnected" in log
        )
        assert any(f"database {name} cannot be opened" in log for log in logs[gone + 1 :])
    assert site.airflow.finished("hntes_review", older) == "success"
    assert site.states(SECOND)["r2"] == ("superseded", None)
    # One site's nfdump can be held, and people have accounts in Airflow.
    assert differences(without_surroundings(site.hntes.state()), undisturbed) == []


def undisturbed_nights(folder: Path, url: str) -> State:
    """What the three nights and the decisions on them leave by the command line."""
    # As the disturbed ones, which need a reader that can be held: what a reader counts by exporter is in the state.
    made = demo_installation(folder, url, **{"[ingest]": '[ingest]\nreader = "nfdump"\nnfdump_limit_s = 3600'})
    made.run("nightly", "--day", FIRST)
    decide(made, "r1", "approve", "anna", "ticket 42")
    decide(made, "r2", "reject", "bert", "too early")
    decide(made, "r3", "approve", "carl", None)
    made.run("router", "deliver")
    made.run("nightly", "--day", SECOND, "--router", "r1", "--router", "r2")
    change_candidate(made)
    made.run("nightly", "--day", THIRD)
    return without_surroundings(made.state())


def kill_one_task_and_the_scheduler(site: Site, run: str, killed: int, *orphans: int) -> None:
    """One task dies; the others live on without a scheduler, and their next attempts wait for them."""
    os.kill(killed, signal.SIGKILL)
    site.airflow.wait_until("the killed task ends", lambda: killed not in site.airflow.processes())
    site.airflow.kill_program("scheduler")
    assert set(orphans) <= site.airflow.processes().keys()
    site.airflow.start_program("scheduler")

    def begun_again() -> bool:
        found = [
            t for (name, _), t in site.airflow.tasks("hntes_nightly", run).items() if name == "router_night.ingest"
        ]
        return [(t["state"], t["try_number"] > 1) for t in found] == [("running", True)] * SLOTS

    site.airflow.wait_until("all folders are tried again", begun_again)
    assert set(orphans) <= site.airflow.processes().keys()


def files_read(site: Site) -> dict[str, int]:
    """How many flow files of the third night are in the ledger, by router."""
    found = site.query(f"SELECT folder FROM flow_file WHERE path LIKE '%{THIRD.replace('-', '')}%'")
    names = [Path(folder).name for (folder,) in found]
    return {name: names.count(name) for name in sorted(names)}


def half_days(site: Site) -> list[str]:
    """The routers of which one of the two tables that are written together has the third night, the other not."""
    written = f"SELECT router FROM observation WHERE day = '{THIRD}'"
    settled = f"SELECT router FROM day_status WHERE day = '{THIRD}'"
    found = site.query(f"(({written} EXCEPT {settled}) UNION ({settled} EXCEPT {written}))")
    return [router for (router,) in found]


def refuse_days_out_of_range(site: Site) -> None:
    """A backfill is refused by its first task, which needs no database, and nothing else runs."""
    now = datetime.now(UTC)
    before, later = (f"{now + timedelta(days=days):%Y-%m-%d}" for days in (-2, 40))
    for first, last, told in ((later, before, "swap them"), (before, later, "is in the future")):
        run = site.airflow.trigger("hntes_backfill", {"first_day": first, "last_day": last})
        assert site.airflow.finished("hntes_backfill", run) == "failed"
        tasks = site.airflow.tasks("hntes_backfill", run)
        states = {name: task["state"] for (name, _), task in tasks.items()}
        assert states.pop("choose_days") == "failed"
        assert set(states.values()) == {"upstream_failed"}
        assert told in last_log(site, tasks["choose_days", -1])


@pytest.mark.parametrize(("nights", "away_s"), [(3, None), (30, AWAY_S)], ids=["nights", "month"])
def test_a_disturbed_backfill_ends_like_its_nights_one_by_one(
    site: Site, postgresql_server: Server, tmp_path: Path, nights: int, away_s: float | None
) -> None:
    """Airflow's database goes for so long while files are read, HNTES's for seconds while changes are proposed."""
    days = [day.isoformat() for day in write_nights(tmp_path / "flows", nights)]
    text = site.hntes.settings.read_text()
    with postgresql_server.database() as one_url, site.server.database() as url:
        one_by_one = recent_site(site, tmp_path / "nights", tmp_path / "flows", one_url)
        max_parallel = recent_site(site, tmp_path / "backfill", tmp_path / "flows", url)
        site.hntes.settings.write_text(max_parallel.settings.read_text())
        run = begin_backfill(site, days)
        with site.blocked(max_parallel, "change"):
            with contextlib.nullcontext() if away_s is None else stopped(site.metadata, away_s):
                site.release()
                for day in days:
                    one_by_one.run("nightly", "--day", day, expect=3 if day == days[nights // 2] else 0)
            if away_s is not None:
                restart_what_ended(site, run)
            site.airflow.wait_until("all routers' changes are being stored", lambda: site.waiting() == SLOTS)
            with stopped(site.server, 0):
                pass
        assert site.airflow.finished("hntes_backfill", run) == "success"
        site.hntes.settings.write_text(text)
        assert differences(max_parallel.state(), one_by_one.state()) == []
        mine = max_parallel.json("change", "list", "--all", "--router", "r1")
    assert [entry["state"] for entry in mine] == ["superseded"] * (nights - 1) + ["pending"]
    assert len({entry["candidate_hash"] for entry in mine}) > 1, "the rules never change; the test tests nothing"


def recent_site(site: Site, folder: Path, flows: Path, url: str) -> Installation:
    """An installation on the flow files of recent nights, with the nfdump that can be held."""
    made = demo_installation(folder, url, **{"[ingest]": reader_settings(site.folder)})
    text = made.settings.read_text().replace(str(ROOT / "demo" / "flows"), str(flows))
    made.settings.write_text(text)
    return made


def begin_backfill(site: Site, days: list[str]) -> str:
    """Begins it and waits until all folders are at their first day at once; its run."""
    site.hold(SLOTS)
    run = site.airflow.trigger("hntes_backfill", {"first_day": days[0], "last_day": days[-1]})
    held = site.held(SLOTS).values()
    assert {(file.parent.name, file.name) for file in held} == {
        (router, f"nfcapd.{days[0].replace('-', '')}1830") for router in ("r1", "r2", "r3")
    }
    return run


def restart_what_ended(site: Site, run: str) -> None:
    """Starts the programs that do not outlive their database, as a service manager does; the others stay."""
    ended: set[str] = set()

    def is_up() -> bool:
        ended.update(site.airflow.restart_ended())
        with contextlib.suppress(RefusedError, OSError):
            return run in site.airflow.runs("hntes_backfill") and len(ended) >= 3
        return False

    site.airflow.wait_until("Airflow is up again", is_up)
    assert ended == {"scheduler", "dag-processor", "triggerer"}


@pytest.mark.long  # it needs the disturbed night
def test_only_nights_that_were_late_are_told(site: Site) -> None:
    lasted = {}
    for run in site.airflow.call("GET", "/dags/hntes_nightly/dagRuns")["dag_runs"]:
        moments = [datetime.fromisoformat(run[name]) for name in ("queued_at", "end_date")]
        lasted[run["dag_run_id"]] = (moments[1] - moments[0]).total_seconds()
    for run, seconds in lasted.items():
        assert site.late().count(f"run {run} is late") == (seconds > DEADLINE_S) or abs(seconds - DEADLINE_S) < 30
    assert any(seconds > DEADLINE_S + 30 for seconds in lasted.values())


def decide(installation: Installation, router: str, verb: str, who: str, note: str | None) -> None:
    (entry,) = installation.json("change", "list", "--router", router)
    options = ["--router", router, "--hash", entry["candidate_hash"], "--who", who]
    installation.run("change", verb, *options, *(("--note", note) if note else ()))


def change_candidate(installation: Installation) -> None:
    """Another rule for r2, and its change of the second day anew."""
    installation.pin(PINNED, SECOND, router="r2")
    installation.run("nightly", "--day", SECOND, "--router", "r2")
