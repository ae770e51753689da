"""The tasks of a delivery: a dry run unless the run says commit, skipped outside of windows, and then a round."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hntes.settings.windows import WEEKDAYS
from tests.conftest import ROOT
from tests.support.airflow import dags_environment
from tests.support.devices.farm import Farm
from tests.support.many_routers import FIRST_DAY, ManyRouters, many_routers
from tests.support.qos_models import PAIRS

# Airflow keeps global state: it gets a process of its own.
RUN = """
import json, sys
from unittest.mock import patch
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException
from hntes.airflow import delivery_tasks

def run(name, mode):
    context = {"params": {"mode": mode, "routers": []}}
    with patch.object(delivery_tasks, "get_current_context", lambda: context):
        try:
            getattr(delivery_tasks, name).function()
        except (AirflowFailException, AirflowSkipException) as end:
            return f"{type(end).__name__}: {end}"
    return "done"

print("TOLD" + json.dumps([run(*each.split()) for each in sys.argv[1:]]))
"""

pytestmark = pytest.mark.long


@pytest.fixture
def many(tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch) -> ManyRouters:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    other_day = WEEKDAYS[(datetime.now(UTC) + timedelta(days=3)).weekday()]
    window = f'[[delivery.windows]]\ndays = ["{other_day}"]\nstart = "00:00"\nend = "24:00"\ntime_zone = "UTC"\n'
    made = many_routers(farm, tmp_path, 2, f"[delivery]\nconfirm_minutes = 1\n{window}", datetime.now(UTC))
    made.approve(FIRST_DAY, PAIRS[:4])
    return made


def run(many: ManyRouters, folder: Path, *tasks: str) -> tuple[list[str], str]:
    """How each task ended, and what they printed; a task is given by its name and the run's mode."""
    environment = os.environ | dags_environment(folder) | {"HNTES_SETTINGS": str(many.installation.settings)}
    environment["PYTHONPATH"] = os.pathsep.join((str(ROOT), str(ROOT / "dags")))
    ran = subprocess.run(
        [sys.executable, "-c", RUN, *tasks], env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    assert "TOLD" in ran.stdout, ran.stderr[-3000:]
    printed, _, told = ran.stdout.partition("TOLD")
    return json.loads(told), printed


def test_it_changes_nothing_unless_it_is_to_commit_and_a_window_is_open(many: ManyRouters, tmp_path: Path) -> None:
    ended, printed = run(many, tmp_path, "show_plan dry-run", "push_routers dry-run", "push_routers commit")
    assert ended[0] == "done"
    assert "pe01 2026-11-21: would change as follows" in printed
    assert ended[1].startswith("AirflowSkipException: a dry run")
    assert ended[2].startswith("AirflowSkipException: no window is open; the next one opens")
    assert all(len(each.commits) == 1 for each in many.routers.values())


def test_it_delivers_and_fails_without_another_attempt_if_a_router_fails(many: ManyRouters, tmp_path: Path) -> None:
    many.set("days = [", 'days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] # ')
    many.routers["pe02"].full_disk = True
    ended, printed = run(many, tmp_path, "push_routers commit")
    assert ended == ["AirflowFailException: failed or not begun: pe02; the report says why"]
    assert "pe01 2026-11-21: delivered" in printed
    assert many.holds_new("pe01")
    many.routers["pe02"].full_disk = False
    assert run(many, tmp_path, "push_routers commit")[0] == ["done"]
    assert many.holds_new("pe02")
