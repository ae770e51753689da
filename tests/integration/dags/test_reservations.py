"""The tasks of reservations: a quota approves, the router gets what is due, and loses what was cancelled."""

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hntes import clock
from hntes.workflow.delivery.push import push_router
from hntes.workflow.reservations.reserve import cancel
from tests.conftest import ROOT
from tests.support.airflow import dags_environment
from tests.support.delivery import OPERATORS_OWN, SharedTimer
from tests.support.devices.farm import Farm
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.rpc import NetconfSession
from tests.support.devices.junos.text import write_text
from tests.support.installation import Installation
from tests.support.scheduled_site import (
    access,
    approve_rules,
    at,
    grant,
    pass_gate,
    propose,
    reserve,
    scheduled_site,
    standing,
)

# Airflow keeps global state: it gets a process of its own.
RUN = """
import json, sys
from unittest.mock import patch
from airflow.sdk.exceptions import AirflowFailException
from hntes.airflow import reservation_tasks

def run(name, mode):
    context = {"params": {"mode": mode, "routers": ["r1"]}}
    with patch.object(reservation_tasks, "get_current_context", lambda: context):
        try:
            getattr(reservation_tasks, name).function()
        except AirflowFailException as end:
            return f"{type(end).__name__}: {end}"
    return "done"

print("TOLD" + json.dumps([run(*each.split()) for each in sys.argv[1:]]))
"""

pytestmark = pytest.mark.long


def run(site: Installation, folder: Path, *tasks: str) -> tuple[list[str], str]:
    """How each task ended, and what they printed; a task is given by its name and the run's mode."""
    environment = os.environ | dags_environment(folder) | {"HNTES_SETTINGS": str(site.settings)}
    environment["PYTHONPATH"] = os.pathsep.join((str(ROOT), str(ROOT / "dags")))
    ran = subprocess.run(
        [sys.executable, "-c", RUN, *tasks], env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    assert "TOLD" in ran.stdout, ran.stderr[-3000:]
    printed, _, told = ran.stdout.partition("TOLD")
    return json.loads(told), printed


def running_rules(folder: Path, farm: Farm) -> tuple[Installation, JunosRouter]:
    """r1 runs the rules that were approved yesterday; what is reserved begins there with an hour of lead."""
    router = JunosRouter.with_text("r1", OPERATORS_OWN)
    served = farm.serve(router, netconf=lambda user: NetconfSession(router, user))
    site = scheduled_site(folder, more=access(served), section="lead_s = 3600")
    with at(site) as context:
        approve_rules(context, day=(datetime.now(UTC) - timedelta(days=1)).date())
        push_router(context, context.settings.router("r1"), commit=True, timer=SharedTimer(router))
    return site, router


def policed(router: JunosRouter) -> list[str]:
    return re.findall(r"policer hntes-premium-(\S+) ", "\n".join(write_text(router.active)))


def test_from_a_quota_to_the_router_and_off_it_again(
    tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the real clock: what begins in half an hour is due at once, as the settings have an hour of lead.

    The gate's simulations are another test's: the text's judgement is there when the tasks begin.
    """
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    site, router = running_rules(tmp_path, farm)
    now_s = clock.now_ms() // 1000
    with at(site) as context:
        grant(context, 3, now_s, now_s + 7200)
        number = reserve(context, now_s + 1800, now_s + 5400)
        propose(context)
        pass_gate(context)
    ended, printed = run(site, tmp_path, "prepare_scheduled dry-run", "deliver_scheduled dry-run")
    assert ended == ["done", "done"]
    assert "approved by quota 1" in printed
    assert "would change as follows" in printed
    assert policed(router) == []
    assert run(site, tmp_path, "deliver_scheduled commit")[0] == ["done"]
    assert policed(router) == ["reservation-1"]
    with at(site) as context:
        cancel(context, number, "moved")
    ended, printed = run(site, tmp_path, "prepare_scheduled commit", "deliver_scheduled commit")
    assert ended == ["done", "done"]
    assert "delivered: verified on trial" in printed
    assert policed(router) == []
    with at(site) as context:
        assert {each.state for each in standing(context)} <= {"approved"}
    site.run("audit", "--verify")


def test_a_text_that_cannot_be_made_fails_its_task_long_before_the_edge_and_holds_up_no_delivery(
    tmp_path: Path,
) -> None:
    site = scheduled_site(
        tmp_path, plan="alpha_share_pct = 55\nbeta_share_pct = 40"
    )  # without a queue for reservations
    now_s = clock.now_ms() // 1000
    with at(site) as context:
        approve_rules(context, day=(datetime.now(UTC) - timedelta(days=1)).date())
        reserve(context, now_s + 7200, now_s + 9000)
    ended, printed = run(site, tmp_path, "prepare_scheduled dry-run", "deliver_scheduled dry-run")
    told = "texts of r1 cannot be made, or the gate has not passed them; see the lines above"
    assert ended == [f"AirflowFailException: {told}", "done"]
    assert "no text can be rendered: " in printed


def test_what_nobody_has_approved_fails_the_run_before_it_begins(
    tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    site, router = running_rules(tmp_path, farm)
    now_s = clock.now_ms() // 1000
    with at(site) as context:
        reserve(context, now_s + 1800, now_s + 5400)
        propose(context)
    ended, printed = run(site, tmp_path, "deliver_scheduled commit")
    assert ended[0].startswith("AirflowFailException: a router failed, something is late")
    assert "LATE: reservation 1 is not on r1" in printed
    assert policed(router) == []
