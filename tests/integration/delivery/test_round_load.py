"""The load of routers in a round of deliveries, by the command line: a real SNMP agent is the canary's."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hntes.delivery.load_agent import read_load
from hntes.platforms.junos.load import LOAD
from hntes.settings.snmp import SnmpAccess
from tests.contract.platform.case import case_of
from tests.support.devices.farm import Farm
from tests.support.devices.junos.text import write_text
from tests.support.many_routers import FIRST_DAY, ManyRouters, at_night, many_routers
from tests.support.qos_models import PAIRS
from tests.support.snmp_agent import COMMUNITY, SNMPD, Agent, Objects, router_agent

pytestmark = pytest.mark.skipif(SNMPD is None, reason="snmpd is not on this machine")

EVENING = datetime(2026, 11, 23, 22, 5, tzinfo=ZoneInfo("Europe/Berlin"))
DELIVERY = """
[delivery]
timeout_s = 30
confirm_minutes = 2
canary = "pe02"
canary_minutes = 5
[delivery.load.snmp]
timeout_s = 2
retries = 0
"""
# Of the routing engine, whose processor is the busiest then.
RISEN = {"1.3.6.1.4.1.2636.3.1.13.1.8.9.1.0.0": ("gauge", 97)}
SAID = "processor Routing Engine 0 at 97 %, above delivery.load.max_cpu_pct, 85 %, in 3 readings in a row"
CALM = "processor 21 % (FPC: MPC5E @ 0/*/*), memory 41 % (Routing Engine 0)"


@pytest.fixture
def calm() -> Objects:
    agent = case_of("junos").agent
    assert agent is not None
    return agent[0]


@pytest.fixture
def running() -> Iterator[ExitStack]:
    """What runs beside the routers; closed, the agent is silent."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def agent(running: ExitStack, calm: Objects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    monkeypatch.setenv(*next(iter(COMMUNITY.items())))
    columns = [".".join(map(str, column)) for column in LOAD.columns.values()]
    agent = running.enter_context(router_agent(tmp_path / "agent", columns, calm))
    # until the programs behind it have started, which the readings are not to wait for
    read_load(LOAD, SnmpAccess(timeout_s=20), agent.address)
    return agent


@pytest.fixture
def many(agent: Agent, tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch) -> ManyRouters:
    """Three routers, of which the canary's agent is in the settings."""
    made = many_routers(farm, tmp_path, 3, DELIVERY, EVENING)
    at_night(made, monkeypatch)
    made.approve(FIRST_DAY, PAIRS[:4])
    port = f"port = {made.served['pe02'].port}\n"
    made.set(port, f'{port}  snmp = "{agent.address}"\n')
    return made


def delivered(many: ManyRouters, expect: int) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = many.installation.json("router", "deliver", "--all", "--commit", expect=expect)
    return found


def outcomes(found: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: each["outcome"] for name, each in found.items()}


def after_a_while(many: ManyRouters, monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Does something once, when the canary has run for 3 minutes."""
    sleep, waiting = many.night.sleep, [act]

    def slept(seconds: float) -> None:
        sleep(seconds)
        if many.night.waited_s >= 180 and waiting:
            waiting.pop()()

    monkeypatch.setattr(many.night, "sleep", slept)


def running_of(many: ManyRouters, name: str) -> str:
    return "\n".join(write_text(many.routers[name].active))


def test_a_load_that_stays_fine_is_told_and_the_others_follow(many: ManyRouters) -> None:
    done = many.installation.run("router", "deliver", "--all", "--commit")
    assert "are not watched, for want of `snmp` in the settings: pe01, pe03\n" in done.stdout
    report = done.stdout[done.stdout.index("-- report") :]
    assert f"(canary)\n  before: {CALM}\n  on trial: {CALM}\n" in report
    assert report.count("before: ") == 1
    # a wait between readings is no failure, which a round tells at once
    assert "not kept" not in done.stderr
    assert all(map(many.holds_new, many.routers))
    pushes = many.installation.json("audit", "--kind", "push", "--router", "pe02")
    assert [(each["outcome"], each["detail"]) for each in pushes] == [
        ("trial starts", CALM), ("verified: to be confirmed", CALM), ("kept", ""),
    ]  # fmt: skip
    assert many.night.waited_s == pytest.approx(300, abs=5)


def test_what_was_read_is_in_the_document_for_machines(many: ManyRouters) -> None:
    many.set("canary_minutes = 5", "canary_minutes = 0")
    plan = many.installation.json("router", "deliver", "--all")
    assert {name: (each["is_watched"], each["load"]) for name, each in plan.items()} == {
        "pe01": (False, None), "pe02": (True, None), "pe03": (False, None),
    }  # fmt: skip
    found = delivered(many, 0)
    parts = {
        "cpu": {"name": "FPC: MPC5E @ 0/*/*", "pct": 21.0}, "memory": {"name": "Routing Engine 0", "pct": 41.0},
    }  # fmt: skip
    assert found["pe02"]["load"] == {"before": parts, "on_trial": parts}
    assert found["pe01"]["load"] is None


def test_a_load_that_rises_on_trial_is_rolled_back_and_ends_the_round(
    many: ManyRouters, agent: Agent, calm: Objects
) -> None:
    before = running_of(many, "pe02")
    many.paces["pe02"].during = partial(agent.tell, {**calm, **RISEN})
    found = delivered(many, 3)
    assert outcomes(found) == {"pe02": "failed", "pe01": "not_started", "pe03": "not_started"}
    assert found["pe02"]["problem"] == f"router pe02: {SAID}\nThe router has rolled back"
    assert running_of(many, "pe02") == before
    assert many.routers["pe02"].pending is None
    (*_, last) = many.installation.json("audit", "--kind", "push", "--router", "pe02")
    assert last["outcome"] == "rolled back: the router holds the text before"
    assert last["detail"] == "processor 97 % (Routing Engine 0), memory 41 % (Routing Engine 0)"


def test_a_load_that_rises_while_the_canary_runs_keeps_the_others(
    many: ManyRouters, agent: Agent, calm: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    after_a_while(many, monkeypatch, partial(agent.tell, {**calm, **RISEN}))
    found = delivered(many, 3)
    assert outcomes(found) == {"pe02": "done", "pe01": "not_started", "pe03": "not_started"}
    assert found["pe01"]["problem"] == f"the canary pe02 failed its verification: {SAID}"
    assert 180 + 30 <= many.night.waited_s <= 180 + 60
    assert [name for name, _ in many.begun] == ["pe02"]


def test_an_agent_that_falls_silent_while_the_canary_runs_keeps_the_others(
    many: ManyRouters, agent: Agent, running: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    after_a_while(many, monkeypatch, running.close)
    found = delivered(many, 3)
    assert outcomes(found) == {"pe02": "done", "pe01": "not_started", "pe03": "not_started"}
    assert f"its SNMP agent {agent.address} gives no answer: " in found["pe03"]["problem"]
    assert many.night.waited_s <= 180 + 60


def test_a_canary_that_ran_since_an_earlier_call_is_read_before_the_others_follow(
    many: ManyRouters, agent: Agent, calm: Objects
) -> None:
    many.installation.run("router", "deliver", "--router", "pe02", "--commit")
    many.night.wall.advance(3600)
    agent.tell({**calm, **RISEN})
    said = many.installation.run("router", "deliver", "--all", "--commit", expect=4).stdout
    assert f"the canary pe02 failed its verification: {SAID}" in said
    assert [name for name, _ in many.begun] == ["pe02"]


def test_a_router_that_is_loaded_already_is_not_begun(many: ManyRouters, agent: Agent, calm: Objects) -> None:
    agent.tell({**calm, **RISEN})
    found = delivered(many, 3)
    assert found["pe02"]["problem"].startswith(f"router pe02: {SAID}; nothing was changed. To deliver without")
    assert "remove `snmp` of router pe02 from the settings" in found["pe02"]["problem"]
    assert all(len(each.commits) == 1 for each in many.routers.values())
    assert many.installation.json("audit", "--kind", "push") == []


def test_a_secret_that_is_missing_is_named_before_anything_is_changed(
    many: ManyRouters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(next(iter(COMMUNITY)))
    found = delivered(many, 3)
    assert "HNTES_SNMP_COMMUNITY is not set" in found["pe02"]["problem"]
    assert all(len(each.commits) == 1 for each in many.routers.values())


def test_an_address_of_the_polled_counters_is_taken_with_the_section_alone(
    many: ManyRouters, agent: Agent, calm: Objects, tmp_path: Path
) -> None:
    """Polling counters has its own process, and its secrets may be there alone."""
    many.set(f'  snmp = "{agent.address}"\n', "")
    polled = f'[counters]\nsource = "snmp"\n[counters.snmp]\nfolder = "{tmp_path}/counters"\n'
    many.set("[delivery]\n", f'{polled}[counters.snmp.routers]\npe02 = "{agent.address}"\n[delivery]\n')
    agent.tell({**calm, **RISEN})
    assert "remove [delivery.load] from the settings" in delivered(many, 3)["pe02"]["problem"]
    many.set("[delivery.load.snmp]\ntimeout_s = 2\nretries = 0\n", "")
    assert outcomes(delivered(many, 0))["pe02"] == "done"
