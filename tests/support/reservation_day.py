"""All that a day of reservations needs, as it runs in production: Airflow's programs, the review page's program with
its API, PostgreSQL, a webhook, and a router of each platform behind SSH. The demonstration's flows give the rules.
"""

import http.client
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from hntes import clock
from hntes.workflow.reservations.webhook_notifications import SECRET_VARIABLE
from tests.conftest import ROOT
from tests.support import postgres
from tests.support.airflow import Airflow, running
from tests.support.airflow_site import end_idle_transactions
from tests.support.compose import free_port
from tests.support.delivery import OPERATORS_OWN, OPERATORS_OWN_IOSXE, OPERATORS_OWN_IOSXR
from tests.support.devices.cisco.iosxe import XeRouter
from tests.support.devices.cisco.iosxe_cli import XeTerminal
from tests.support.devices.cisco.iosxr import XrRouter
from tests.support.devices.cisco.iosxr_cli import XrTerminal, typed
from tests.support.devices.clock import ManualClock
from tests.support.devices.farm import EmulatedRouter, Farm
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.rpc import NetconfSession
from tests.support.devices.junos.text import write_text
from tests.support.installation import Installation, installation_in
from tests.support.moved_clock import MovedClock
from tests.support.pushes_iosxe import XeBench
from tests.support.pushes_iosxr import XrBench
from tests.support.random_calendars import policed
from tests.support.scheduled_site import JUDGED_PLAN, access
from tests.support.webhook import Hook, receiving

SECRET = "a secret of tests, not of people"
P1, P2, P3 = "r1:xe-0/1/0", "r2:HundredGigE0/0/1/0", "r3:TenGigabitEthernet0/0/1"
DAG = "hntes_reservations"
API = "/api/reservations"
START_LIMIT_S = 120.0


class _RunningClock(ManualClock):
    """Of routers whose timers run by themselves."""

    @property
    def now_s(self) -> float:
        return time.monotonic()


@dataclass
class Emulated:
    """One router: how it is reached, and its configuration as it shows it."""

    platform: str
    served: EmulatedRouter
    shown: Callable[[], str]

    def policed(self) -> dict[int, int]:
        """What it polices, bit/s by reservation."""
        return policed(self.shown(), self.platform)


@dataclass
class Day:
    """The installation and all that runs around it."""

    site: Installation
    clock: MovedClock
    airflow: Airflow
    routers: dict[str, Emulated]
    hook: Hook
    port: int
    tokens: dict[str, str]
    runs: list[tuple[str, str]] = field(default_factory=list)

    def at(self, moment: str) -> None:
        """It is that moment, written as the API takes it."""
        self.clock.set(datetime.fromisoformat(moment))

    def ask(self, owner: str, method: str, address: str = API, body: Any = None) -> tuple[int, Any]:
        """What the API answers a program of an owner: status and document."""
        headers = {"Authorization": f"Bearer {self.tokens[owner]}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, address, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def reserve(self, owner: str, **asked: Any) -> int:
        """Reserves what must fit; its number."""
        status, answer = self.ask(owner, "POST", body=asked)
        assert status == 201, answer
        return int(answer["number"])

    def run_dag(self) -> str:
        """Runs the DAG of reservations as it stands, with the mode of the environment; how it ended."""
        run = self.airflow.trigger(DAG, {})
        state = self.airflow.finished(DAG, run)
        self.runs.append((run, state))
        return state

    def printed(self, task: str) -> str:
        """What a task of the last run printed."""
        run, _ = self.runs[-1]
        return self.airflow.task_log(DAG, run, task, -1, 1)

    def policed(self) -> dict[str, dict[int, int]]:
        return {name: each.policed() for name, each in self.routers.items()}

    def shown(self) -> dict[str, str]:
        """The configuration of each router."""
        return {name: each.shown() for name, each in self.routers.items()}

    def told(self) -> list[tuple[str, int, str, int]]:
        """What owners were told: owner, reservation, state, bit/s."""
        return [(each["owner"], each["reservation"], each["state"], each["rate_bps"]) for each in self.hook.told()]


@contextmanager
def reservation_day(folder: Path, moment: str, patched: pytest.MonkeyPatch) -> Iterator[Day]:
    """The day from that moment on; the rules of the demonstration's first night are on the routers already."""
    moved = MovedClock(folder / "clock", datetime.fromisoformat(moment))
    patched.setattr(clock, "now_ms", moved.now_ms)
    patched.setenv("HNTES_ROUTER_PASSWORD", "secret")
    binaries = postgres.find_binaries()
    assert binaries is not None
    with ExitStack() as stack:
        enter = stack.enter_context
        server = enter(postgres.temporary_server(binaries))
        metadata_url, url = enter(server.database()), enter(server.database())
        end_idle_transactions(metadata_url)
        routers, hook, port = _routers(enter(Farm())), enter(receiving()), free_port()
        site = _installation(folder / "site", url, routers, hook, port)
        _bring_rules(site)
        tokens = {owner: _token(site, owner) for owner in ("anna", "bert")}
        enter(_api(site, moved, port))
        environment = {
            "HNTES_SETTINGS": str(site.settings), "HNTES_DELIVERY_MODE": "commit", "HNTES_RETRY_DELAY_S": "8",
            "PYTHONPATH": moved.python_path, SECRET_VARIABLE: SECRET,
        }  # fmt: skip
        airflow = enter(running(folder / "home", metadata_url, ("otto",), **environment))
        airflow.wait_until(
            "the DAG is known", lambda: DAG in {e["dag_id"] for e in airflow.call("GET", "/dags")["dags"]}
        )
        airflow.call("PATCH", f"/dags/{DAG}", {"is_paused": False})
        yield Day(site, moved, airflow, routers, hook, port, tokens)


def _routers(farm: Farm) -> dict[str, Emulated]:
    junos = JunosRouter.with_text("r1", OPERATORS_OWN, _RunningClock())
    xr, xe = XrRouter("r2", _RunningClock()), XeRouter("r3", _RunningClock())
    typed(xr, OPERATORS_OWN_IOSXR)
    terminal = XeTerminal(xe, "alice")
    for line in ("configure terminal", *OPERATORS_OWN_IOSXE.splitlines(), "end", "write memory"):
        terminal.enter(line)
    return {
        "r1": Emulated(
            "junos",
            farm.serve(junos, netconf=lambda user: NetconfSession(junos, user)),
            lambda: "\n".join(write_text(junos.active)),
        ),
        "r2": Emulated(
            "iosxr",
            farm.serve(xr, terminal=lambda user: XrTerminal(xr, user)),
            lambda: _listed(XrBench.statements(xr.running)),
        ),
        "r3": Emulated(
            "iosxe",
            farm.serve(xe, terminal=lambda user: XeTerminal(xe, user)),
            lambda: _listed(XeBench.statements(xe.running)),
        ),
    }


def _listed(statements: dict[str, list[str]]) -> str:
    """The sections by name. A device lists its configuration in an order of its own; the emulated ones keep that in
    which it was typed, where it has no meaning."""
    return "\n".join(line for head in sorted(statements) for line in statements[head])


def _installation(folder: Path, url: str, routers: dict[str, Emulated], hook: Hook, port: int) -> Installation:
    hooks = "".join(
        f'[[reservations.webhooks]]\nowner = "{owner}"\nurl = "http://127.0.0.1:{hook.server_port}/rates"\n'
        for owner in ("anna", "bert")
    )
    reached = {
        f"snmp_index = {number}\n": f"snmp_index = {number}\n{access(routers[name].served)}"
        for name, number in (("r1", 501), ("r2", 502), ("r3", 503))
    }
    return installation_in(folder, url, **{
        # its runs are its own: each text is simulated
        "../var/simulations": str(folder / "simulations"),
        '[plans.recommended]\nkind = "two_queue"\n': f'[plans.recommended]\nkind = "two_queue"\n{JUDGED_PLAN}\n',
        # a beta queue of 35% lets bursts of that mean through
        "[gate]\n": "[gate]\nbeta_peak_pct = 15.0\nround_trips_ms = [2.0]\n",
        "[replay]": f"[delivery]\nconfirm_minutes = 2\ntimeout_s = 60\n\n[web]\nport = {port}\n"
        f'accounts = "{folder}/accounts.json"\ntokens = "{folder}/tokens.json"\n\n'
        f"[reservations]\nlead_s = 600\n{hooks}\n[replay]",
        **reached,
    })  # fmt: skip


def _bring_rules(site: Installation) -> None:
    """The first night is judged and approved, and its rules are delivered."""
    night = site.json("nightly", "--day", "2026-11-20")
    for name, judged in night["judged"].items():
        assert judged["passes"], (name, judged)
        site.run("change", "approve", "--router", name, "--hash", judged["candidate_hash"], "--who", "otto")
    site.run("router", "deliver", "--commit")


def _token(site: Installation, owner: str) -> str:
    made = site.run("user", "add-token", f"copies-{owner}", "--owner", owner, "--prefix", "198.18.0.0/16")
    return made.stdout.splitlines()[-1]


@contextmanager
def _api(site: Installation, moved: MovedClock, port: int) -> Iterator[None]:
    """`hntes web` as a program of its own."""
    environment = os.environ | {"PYTHONPATH": moved.python_path}
    with subprocess.Popen(site.command("web"), cwd=ROOT, env=environment) as server:
        try:
            _wait_for(port, server)
            yield
        finally:
            server.terminate()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline and server.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/health")
            connection.getresponse()
        except OSError:
            time.sleep(0.2)
        else:
            return
        finally:
            connection.close()
    raise AssertionError("the API did not come up")
