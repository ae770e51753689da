"""What the task `report` says at the end of a night in which routers went wrong in different ways."""

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from hntes.sql import day_status
from hntes.sql.entries import DayEntry
from hntes.sql.session import transaction
from hntes.workflow.context import opened
from tests.conftest import ROOT
from tests.support.airflow import dags_environment
from tests.support.installation import installation_in

# Airflow keeps global state: it gets a process of its own.
REPORT = """
import json, sys
from airflow.sdk.exceptions import AirflowFailException
from hntes.airflow import night_tasks

routers, done = json.loads(sys.argv[1]), json.loads(sys.argv[2])
try:
    night_tasks.report.function("2026-11-19", routers, [{"router": name, "summary": name} for name in done])
    print(json.dumps(""))
except AirflowFailException as problem:
    print(json.dumps(str(problem)))
"""

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("done", "unfinished"), [(["r1", "r2"], True), (["r1", "r2", "r3"], False)])
def test_a_router_that_is_not_finished_hides_no_other_without_files(
    tmp_path: Path, done: list[str], unfinished: bool
) -> None:
    """Of the two that were finished one had no flow file of the day, and one no record that could be used."""
    site = installation_in(tmp_path, routers=3)
    with opened(site.settings) as context, transaction(context.database) as session:
        for name, files in (("r1", 0), ("r2", 3)):
            entry = DayEntry(name, date(2026, 11, 19), 86_400, 0, files, 0, 0, complete=False, reason="")
            day_status.replace_day_status(session, entry)
    environment = dags_environment(tmp_path) | {"HNTES_SETTINGS": str(site.settings)}
    command = [sys.executable, "-c", REPORT, json.dumps(["r1", "r2", "r3"]), json.dumps(done)]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout.splitlines()[-1])
    assert ("not finished: r3; their tasks' logs say why" in told) == unfinished
    assert "router r1: no flow file of 2026-11-19" in told
    assert "router r2: no record in its flow files of 2026-11-19 could be used" in told
