"""A day of reservations: asked for by the API, judged, approved by a quota, on the router, expired, withdrawn, told."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from hntes.web.api.tokens import add_token
from hntes.web.app import made
from hntes.workflow.stages import judge as judge_stage
from tests.support.devices.farm import Farm
from tests.support.gate_subjects import shared_lab
from tests.support.review_page import ORIGIN, site
from tests.support.running_schedule import Edge, running_schedule
from tests.support.scheduled_site import JUDGED_PLAN, R1

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
HOUR, LEAD_S = 3600, 120
AT = "/api/reservations"
FIRST = {
    "source": "198.18.50.0/24", "destination": "203.0.113.0/24", "rate_bps": 600_000_000, "ports": [R1],
    "start": "2026-11-24T11:00Z", "length_s": 2 * HOUR, "external_id": "copy-1",
}  # fmt: skip
SECOND = FIRST | {
    "source": "198.18.51.0/24", "rate_bps": 300_000_000, "start": "2026-11-24T12:00Z", "length_s": 4 * HOUR,
    "external_id": "copy-2",
}  # fmt: skip


@pytest.fixture
def edge(tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edge]:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    # runs are kept for all tests; a database of one test vouches for none
    monkeypatch.setattr(judge_stage, "lab_of", lambda _: shared_lab())
    gate = '[gate]\ntcp_profiles = ["linux-2.6.33"]\nround_trips_ms = [2.0]\nbeta_peak_pct = 15.0\n'
    with running_schedule(tmp_path, farm, monkeypatch, plan=JUDGED_PLAN, sections=gate) as running:
        yield running


@pytest.fixture
def program(edge: Edge) -> "Program":
    return Program(edge)


class Program:
    """A program with a token of anna's."""

    def __init__(self, edge: Edge) -> None:
        server = site(edge.site.settings)
        self.token = add_token(server.web.tokens, "copies", "anna")
        self.client = TestClient(made(server), base_url=ORIGIN, client=("127.0.0.1", 40_000))

    def ask(self, method: str, address: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        answer = self.client.request(method, address, content=content, headers=headers)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def state(self, number: int) -> str:
        (there,) = self.ask("GET", f"{AT}/{number}")["path"]
        return str(there["state"])


def test_from_the_api_to_the_router_and_off_it_again(edge: Edge, program: Program) -> None:
    run = edge.site.run
    run("reserve", "quota", "add", "--port", R1, "--rate", "1G", "--until", "2026-12-01T00:00Z",
        "--reason", "copies of this week", "--who", "otto")  # fmt: skip
    assert [program.ask("POST", AT, each)["number"] for each in (FIRST, SECOND)] == [1, 2]
    assert program.state(1) == "waits"
    said = run("reserve", "propose", "--router", "r1").stdout
    assert said.count("gate: passed") == 3  # the first alone, both, the second alone; without any, nobody is asked
    assert said.count("approved by quota 1") == 3
    assert program.state(1) == "ready"

    edge.at(HOUR - LEAD_S)
    assert "delivered: verified on trial" in run("reserve", "deliver", "--router", "r1", "--commit").stdout
    assert edge.policed() == {1: 600_000_000}
    assert program.state(1) == "on"
    edge.at(2 * HOUR - LEAD_S)
    run("reserve", "deliver", "--router", "r1", "--commit")
    assert edge.policed() == {1: 600_000_000, 2: 300_000_000}
    edge.at(3 * HOUR)  # the first has expired
    run("reserve", "deliver", "--router", "r1", "--commit")
    assert edge.policed() == {2: 300_000_000}

    edge.at(4 * HOUR)  # the second is withdrawn by its owner
    program.ask("DELETE", f"{AT}/2")
    assert "approved by the text approved for 2026-11-23" in run("reserve", "propose", "--router", "r1").stdout
    run("reserve", "deliver", "--router", "r1", "--commit")
    assert edge.policed() == {}
    assert run("reserve", "deliver", "--router", "r1", "--commit").stdout.startswith("r1: up to date")

    told = _told(edge)
    assert told == [
        "quota 1 granted",
        *("reserve reservation 1", "reserve reservation 2"),
        *("propose pending",) * 4,
        *("decide approved",) * 4,
        *("verified",) * 3,
        "cancel reservation 2",
        *("propose pending", "supersede superseded", "decide approved"),
        "verified",
    ]
    run("audit", "--verify")


def _told(edge: Edge) -> list[str]:
    """What the audit log says since the rules were on the router, with the word of each event that it begins with."""
    found = []
    for each in edge.site.json("audit"):
        if each["kind"] in ("reserve", "cancel"):
            found.append(f"{each['kind']} {each['detail'].split(':')[0]}")
        elif each["kind"] == "quota":
            found.append(f"{each['detail'].split(':')[0]} {each['outcome']}")
        elif "/from/" in (each["change_id"] or "") and each["kind"] in ("propose", "supersede", "decide"):
            found.append(f"{each['kind']} {each['outcome']}")
        elif each["kind"] == "verified":
            found.append("verified")
    return found[1:]
