"""The day that a scheduled run is about, by each of the two ways in which Airflow counts a schedule's runs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.airflow import dags_environment

# Airflow keeps global state: it gets a process of its own. The run is what its scheduler would make of the DAG.
ASK = """
import json, sys
from datetime import UTC, datetime
from types import SimpleNamespace
from unittest.mock import patch
from airflow.dag_processing.dagbag import DagBag
from airflow.serialization.serialized_objects import DagSerialization
from airflow.timetables.base import TimeRestriction
from hntes.airflow import night_tasks

dag = DagBag(sys.argv[1]).dags["hntes_nightly"]
timetable = DagSerialization.deserialize_dag(DagSerialization.serialize_dag(dag)).timetable
since = datetime(2026, 11, 20, 12, tzinfo=UTC)
info = timetable.next_dagrun_info(
    last_automated_data_interval=None, restriction=TimeRestriction(earliest=since, latest=None, catchup=True)
)
scheduled = SimpleNamespace(
    logical_date=info.logical_date, data_interval_start=info.data_interval.start,
    data_interval_end=info.data_interval.end, run_after=info.run_after,
)
by_hand = SimpleNamespace(logical_date=None, data_interval_start=None, data_interval_end=None, run_after=since)

def day(run):
    with patch.object(night_tasks, "get_current_context", lambda: {"dag_run": run, "params": {"day": None}}):
        return night_tasks.choose_day.function()

print(json.dumps({"due": info.run_after.isoformat(), "scheduled": day(scheduled), "by_hand": day(by_hand)}))
"""

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("intervals", "due", "day"),
    [("False", "2026-11-21T00:45:00+00:00", "2026-11-20"), ("True", "2026-11-22T00:45:00+00:00", "2026-11-21")],
)
def test_a_run_is_about_the_day_before_it_is_due(tmp_path: Path, intervals: str, due: str, day: str) -> None:
    environment = dags_environment(tmp_path) | {"AIRFLOW__SCHEDULER__CREATE_CRON_DATA_INTERVALS": intervals}
    command = [sys.executable, "-c", ASK, str(ROOT / "dags")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told == {"due": due, "scheduled": day, "by_hand": "2026-11-19"}
