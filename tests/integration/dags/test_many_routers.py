"""Runs of many routers: Airflow's bound of mapped tasks is named, and what was read is fetched in one request."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.support.airflow import dags_environment
from tests.support.installation import installation_in

# Airflow keeps global state: it gets a process of its own. Its server is stood in for by what it would answer.
ASK = """
import json, sys
from types import SimpleNamespace
from unittest.mock import patch
from airflow.sdk.exceptions import AirflowFailException
from airflow.sdk.execution_time import comms, task_runner
from airflow.sdk.execution_time.lazy_sequence import LazyXComSequence
from hntes.airflow import backfill_tasks, night_tasks

def listed():
    with patch.object(night_tasks, "get_current_context", lambda: {"params": {"routers": []}}):
        try:
            return night_tasks.list_routers.function()
        except AirflowFailException as problem:
            return str(problem)

folders = [*(f"/flows/{number}" for number in range(50)), sys.argv[1]]
asked = []

class Server:
    def send(self, message):
        asked.append(type(message).__name__)
        if isinstance(message, comms.GetXComCount):
            return comms.XComCountResponse(len=len(folders))
        if isinstance(message, comms.GetXComSequenceSlice):
            return comms.XComSequenceSliceResult(root=folders[message.start:message.stop:message.step])
        if message.offset >= len(folders):
            return comms.ErrorResponse()
        return comms.XComSequenceIndexResult(root=folders[message.offset])

def detected(folder_was_read):
    task_runner.SUPERVISOR_COMMS = Server()
    source = SimpleNamespace(operator=SimpleNamespace(dag_id="d", task_id="t"), key="return_value")
    read = LazyXComSequence(xcom_arg=source, ti=SimpleNamespace(run_id="r"))
    if not folder_was_read:
        folders.pop()
    try:
        backfill_tasks.detect.function("r1", [], read)
    except AirflowFailException as problem:
        return str(problem)

print(json.dumps({"listed": listed(), "read": detected(True), "not read": detected(False), "asked": asked}))
"""

pytestmark = pytest.mark.slow


def answers(folder: Path, most: int) -> Any:
    """What the tasks of a run of three routers do where Airflow makes so many tasks of a list."""
    site = installation_in(folder / "site", routers=3)
    environment = dags_environment(folder) | {
        "HNTES_SETTINGS": str(site.settings),
        "AIRFLOW__CORE__MAX_MAP_LENGTH": str(most),
    }
    command = [sys.executable, "-c", ASK, str(ROOT / "demo" / "flows" / "r1")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_more_routers_than_airflow_maps_are_refused_with_what_to_set(tmp_path: Path) -> None:
    told = answers(tmp_path, 2)
    assert "3 routers are more than" in told["listed"]
    assert "AIRFLOW__CORE__MAX_MAP_LENGTH to 3 or more" in told["listed"]


def test_as_many_as_airflow_maps_are_listed_and_what_was_read_is_one_request(tmp_path: Path) -> None:
    told = answers(tmp_path, 3)
    assert told["listed"] == ["r1", "r2", "r3"]
    assert told["read"] is None
    assert "was not read in this run" in told["not read"]
    assert told["asked"] == ["GetXComSequenceSlice"] * 2
