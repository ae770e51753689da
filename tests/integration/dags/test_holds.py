"""A hold is the same in Airflow's form, on the page and on the command line: what one writes the others see."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from hntes import clock
from tests.conftest import ROOT
from tests.support.airflow import dags_environment
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights

# Airflow keeps global state: it gets a process of its own. Its server, which keeps the requests, is left out.
ASK = """
import json, sys
from uuid import UUID
from unittest.mock import patch
from hntes.airflow import approval, trigger
from airflow.sdk.exceptions import AirflowFailException

day, first, until = sys.argv[1:]
told = {"closed": []}
task = approval.ChangeSetApproval(task_id="decide", router="r1", day=day, candidate_hash=first)

def answer(verb, shown=first[:12], note="", **form):
    event = {"chosen_options": [f"{verb} {shown}"], "responded_by_user": {"id": "anna", "name": "anna"},
             "params_input": {"note": note} | form}
    try:
        return task.decide(None, event)["explanation"]
    except AirflowFailException as problem:
        return f"refused: {problem}"

def settled(since_ms):
    watch = trigger.ChangeSetTrigger(router="r1", day=day, candidate_hash=first, since_ms=since_ms, ti_id=UUID(int=0),
                                     options=["x"], params={}, timeout_datetime=None, poke_interval=1)
    close = lambda _, options, given: told["closed"].append([options, given["note"]])
    with patch.object(trigger, "update_hitl_detail_response", close):
        event = watch._settled()
    return event and event.payload

told["before"] = settled(0)
told["no day"] = answer("Hold", note="a window")
told["no reason"] = answer("Hold", until=until)
told["another"] = answer("Hold", shown="0" * 12, note="a window", until=until)
told["held"] = answer("Hold", note="a window", until=until)
told["seen"] = settled(0)
told["held before"] = settled(2**60)
told["followed"] = task.decide(None, {"row": "pending", "shown": first})["explanation"]
print(json.dumps(told))
"""


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    return prepared_nights.site(tmp_path / "site")


def test_a_hold_in_airflow_is_seen_everywhere_and_one_from_elsewhere_ends_the_request(
    site: Installation, tmp_path: Path
) -> None:
    (first,) = (each["candidate_hash"] for each in site.json("change", "list") if each["router"] == "r1")
    until = str(clock.today() + timedelta(days=3))
    environment = os.environ | dags_environment(tmp_path) | {"HNTES_SETTINGS": str(site.settings)}
    environment["PYTHONPATH"] = os.pathsep.join((str(ROOT), str(ROOT / "dags")))
    ran = subprocess.run(
        [sys.executable, "-c", ASK, NIGHT, first, until], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout.splitlines()[-1])
    assert told["before"] is None
    assert "not held" in told["no day"]
    assert "needs the name of who holds it, and a reason" in told["no reason"]
    assert "was shown" in told["another"]
    assert told["held"] == f"r1 {NIGHT}: held until {until} by anna"
    assert told["seen"] == {"row": "pending", "shown": first}
    assert told["held before"] is None, "one that was held before is asked about on purpose"
    assert told["followed"] == f"r1 {NIGHT}: held until {until}"
    ((options, note),) = told["closed"]
    assert options == [f"Hold {first[:12]}"]
    assert note == f"held until {until} by anna outside Airflow: a window"
    (event,) = (each for each in site.json("audit") if each["kind"] == "hold")
    assert (event["identity"], event["who"], event["note"]) == ("airflow:anna", "anna", "a window")
    assert f"held until {until}" in site.run("change", "show", "--router", "r1", "--day", NIGHT).stdout
