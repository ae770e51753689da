"""The DAGs as Airflow reads them: without errors, without a database, in the right order."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from hntes.cli.cli import main
from tests.conftest import IN_CI, ROOT
from tests.support.airflow import dags_environment
from tests.support.stages import STAGE_NAMES, StageNames

# Airflow warns of its own deprecations and keeps global state: it gets a process of its own.
READ = """
import json, sys
HEAVY = {"psycopg", "matplotlib", "duckdb", "gate", "rules", "etl"}
from airflow.dag_processing.dagbag import DagBag

def read_dags(folder):
    bag = DagBag(folder)
    return {
        "errors": bag.import_errors,
        "heavy": sorted(set(sys.modules) & HEAVY),
        "dags": {dag.dag_id: read_dag(dag) for dag in bag.dags.values()},
    }

def read_dag(dag):
    return {
        "schedule": dag.schedule,
        "runs": dag.max_active_runs,
        "catchup": dag.catchup,
        "params": {name: dag.params.get_param(name).schema for name in dag.params},
        "values": {name: dag.params.get_param(name).value for name in dag.params},
        "deadline": bool(dag.deadline),
        "tasks": {
            task.task_id: {
                "after": sorted(task.upstream_task_ids),
                "rule": str(task.trigger_rule.value if hasattr(task.trigger_rule, "value") else task.trigger_rule),
                "retries": task.retries,
                "delay": task.retry_delay.total_seconds(),
                "backoff": task.retry_exponential_backoff,
                "max_delay": task.max_retry_delay.total_seconds() if task.max_retry_delay else None,
                "timeout": task.execution_timeout.total_seconds() if task.execution_timeout else None,
                "outlets": [outlet.uri for outlet in task.outlets],
                "command": getattr(task, "bash_command", None),
            }
            for task in dag.tasks
        },
    }

print("READ_DAGS" + json.dumps([read_dags(folder) for folder in sys.argv[1:]], default=str))
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What Airflow reads in the project's DAGs, and in the DAG file that the guide shows."""
    home = tmp_path_factory.mktemp("airflow")
    shown = home / "dags"
    shown.mkdir()
    guide = (ROOT / "docs" / "how-to" / "airflow.md").read_text(encoding="utf-8")
    (shown / "shown.py").write_text(guide.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    return read_dags(home, ROOT / "dags", shown)


@pytest.fixture(scope="module")
def read(folders: Any) -> Any:
    return folders[0]


def read_dags(home: Path, *folders: Path) -> Any:
    if importlib.util.find_spec("airflow") is None and not IN_CI:
        pytest.skip("Airflow is not installed; `make everything` installs it")
    # No settings file is named and none lies in the working folder: reading a DAG file must need neither.
    environment = os.environ | dags_environment(home)
    environment.pop("HNTES_SETTINGS", None)
    command = [sys.executable, "-c", READ, *map(str, folders)]
    done = subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, check=False)
    assert "READ_DAGS" in done.stdout, done.stderr[-3000:]
    return json.loads(done.stdout.partition("READ_DAGS")[2].splitlines()[0])


def test_all_are_read_without_errors(read: Any) -> None:
    assert read["errors"] == {}
    assert sorted(read["dags"]) == [
        "hntes_backfill", "hntes_delivery", "hntes_nightly", "hntes_reservations", "hntes_review",
    ]  # fmt: skip


def test_reading_them_loads_no_stage(read: Any) -> None:
    assert read["heavy"] == []


def test_the_night_runs_alone_by_the_clock_and_has_a_deadline(read: Any) -> None:
    night = read["dags"]["hntes_nightly"]
    assert (night["schedule"], night["runs"], night["catchup"], night["deadline"]) == ("45 0 * * *", 1, False, True)
    assert read["dags"]["hntes_review"]["schedule"] is None  # begun by the night


def test_a_delivery_begins_by_hand_and_is_a_dry_run_unless_told_otherwise(read: Any) -> None:
    delivery = read["dags"]["hntes_delivery"]
    assert (delivery["schedule"], delivery["runs"], delivery["catchup"]) == (None, 1, False)
    assert delivery["params"]["mode"]["enum"] == ["dry-run", "commit"]
    assert delivery["values"]["mode"] == "dry-run"
    assert delivery["tasks"]["push_routers"]["after"] == ["show_plan"]


def test_reservations_begin_by_hand_are_a_dry_run_and_are_delivered_whatever_became_of_new_texts(read: Any) -> None:
    found = read["dags"]["hntes_reservations"]
    assert (found["schedule"], found["runs"], found["values"]["mode"]) == (None, 1, "dry-run")
    delivered = found["tasks"]["deliver_scheduled"]
    assert (delivered["after"], delivered["rule"]) == (["prepare_scheduled"], "all_done")


def test_the_stages_of_a_night_follow_each_other(read: Any) -> None:
    tasks = read["dags"]["hntes_nightly"]["tasks"]
    group = [f"router_night.{task}" for task in ("ingest", "propose")]
    order = ["list_routers", *group, "choose_reviews"]
    for before, after in zip(order, [*order[1:], "begin_review"], strict=True):
        assert before in tasks[after]["after"], f"{after} does not wait for {before}"
    assert tasks["announce_flows"]["outlets"] == ["hntes://flows/daily"]


def test_no_router_waits_for_another_before_the_review(read: Any) -> None:
    tasks = read["dags"]["hntes_nightly"]["tasks"]
    outside = {"choose_day", "list_routers"}
    # each costs Airflow about two processor seconds per router
    assert {name for name in tasks if name.startswith("router_night.")} == {
        "router_night.ingest", "router_night.propose",
    }  # fmt: skip
    for name, task in tasks.items():
        if name.startswith("router_night."):
            others = {before for before in task["after"] if not before.startswith("router_night.")}
            assert others <= outside, name


@pytest.mark.parametrize("row", STAGE_NAMES, ids=lambda row: row.stage)
def test_each_stage_has_the_tasks_of_its_name(read: Any, row: StageNames) -> None:
    named = {(dag, task) for dag, found in read["dags"].items() for task in found["tasks"] if task.endswith(row.stage)}
    assert named == set(row.tasks)


def test_a_backfill_does_nothing_before_its_days_are_checked(read: Any) -> None:
    tasks = read["dags"]["hntes_backfill"]["tasks"]
    assert tasks["choose_days"]["after"] == []
    first = [name for name, task in tasks.items() if not task["after"]]
    assert first == ["choose_days"]


def test_the_attempts_outlive_a_database_that_is_away_for_minutes(read: Any) -> None:
    for dag in read["dags"].values():
        for name, task in dag["tasks"].items():
            waits = [min(task["delay"] * task["backoff"] ** each, task["max_delay"]) for each in range(task["retries"])]
            assert sum(waits) >= 900, name


def test_nothing_that_failed_for_one_router_stops_the_others(read: Any) -> None:
    tasks = read["dags"]["hntes_nightly"]["tasks"]
    for joining in ("announce_flows", "choose_reviews", "report"):
        assert tasks[joining]["rule"] == "all_done"


def test_every_task_but_those_of_a_person_ends_and_is_tried_again(read: Any) -> None:
    for dag in read["dags"].values():
        for name, task in dag["tasks"].items():
            assert task["retries"] >= 3, name
            if name != "router_review.decide":
                assert task["timeout"], name


def test_parameters_have_schemas(read: Any) -> None:
    for dag in read["dags"].values():
        for name, schema in dag["params"].items():
            assert "pattern" in schema or "items" in schema, name


def test_the_dag_that_the_guide_shows_is_read(folders: Any) -> None:
    shown = folders[1]
    assert shown["errors"] == {}
    tasks = shown["dags"]["hntes_by_command"]["tasks"]
    assert tasks["deliver"]["after"] == ["night"]
    commands = [called(task["command"]) for task in tasks.values()]
    assert [command.name for command, _ in commands] == ["nightly", "deliver"]
    for command, options in commands:
        assert options <= {name for parameter in command.params for name in parameter.opts}


def called(line: str) -> tuple[click.Command, set[str]]:
    """The command of HNTES that a shell would run, and the names of the options that it is given."""
    _, *words = line.split()
    command: click.Command | None = main
    while isinstance(command, click.Group) and words:
        command = command.get_command(click.Context(command), name := words.pop(0))
        assert command is not None, f"{line}: there is no {name}"
    assert command is not None
    return command, {word for word in words if word.startswith("--")}


def test_every_variable_that_is_read_is_explained() -> None:
    files = (ROOT / "src" / "hntes" / "airflow").glob("*.py")
    read = {name for path in files for name in re.findall(r'"(HNTES_[A-Z_]+)"', path.read_text(encoding="utf-8"))}
    guide = (ROOT / "docs" / "how-to" / "airflow.md").read_text(encoding="utf-8")
    assert len(read) > 4
    assert {name for name in read if f"`{name}`" not in guide} == set()


def test_no_dag_file_hides_a_room() -> None:
    """Airflow puts the DAGs' folder on the path: a file of a room's name would be imported in its place."""
    rooms = {path.name for path in ROOT.iterdir() if path.is_dir()}
    files = {path.stem for path in Path(ROOT / "dags").iterdir()}
    assert files & rooms == set()
