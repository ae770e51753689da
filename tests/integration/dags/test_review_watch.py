"""What one look of the triggerer at a change that waits costs: neither settings nor database are opened anew."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.airflow import dags_environment
from tests.support.prepared_nights import NIGHT, PreparedNights

LOOKS = 5
# Airflow keeps global state: it gets a process of its own.
ASK = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID
from unittest.mock import patch
import hntes.settings
import hntes.sql.engine
from hntes.airflow import trigger

day, candidate, looks = sys.argv[1:]
watches = [
    trigger.ChangeSetTrigger(router="r1", day=day, candidate_hash=candidate, ti_id=UUID(int=0), options=["x"],
                             params={}, timeout_datetime=None, poke_interval=1)
    for _ in range(int(looks))
]
with (
    patch.object(hntes.settings, "read_settings", wraps=hntes.settings.read_settings) as read,
    patch.object(hntes.sql.engine, "open_database", wraps=hntes.sql.engine.open_database) as opened,
    ThreadPoolExecutor(4) as threads,
):
    events = [event and event.payload for event in threads.map(lambda watch: watch._settled(), watches)]
print(json.dumps({"events": events, "read": read.call_count, "opened": opened.call_count}))
"""

pytestmark = pytest.mark.slow


def test_many_looks_read_the_settings_and_open_the_database_once(
    tmp_path: Path, prepared_nights: PreparedNights
) -> None:
    site = prepared_nights.site(tmp_path / "site")
    an_hour_ago_s = time.time() - 3600
    os.utime(site.settings, (an_hour_ago_s, an_hour_ago_s))
    (waiting,) = site.json("change", "list", "--router", "r1")
    environment = dags_environment(tmp_path) | {"HNTES_SETTINGS": str(site.settings)}
    command = [sys.executable, "-c", ASK, NIGHT, waiting["candidate_hash"], str(LOOKS)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told == {"events": [None] * LOOKS, "read": 1, "opened": 1}
