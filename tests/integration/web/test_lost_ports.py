"""Reservations on a port that left the settings: what their owners are told, and what others are not."""

from pathlib import Path
from typing import Any

import pytest

from hntes.web.api.tokens import add_token
from hntes.web.site import Site
from tests.support.api_program import Program
from tests.support.installation import Installation
from tests.support.reserving import OTHER_PAIR, P1, P2, PAIR, reserving_installation, set_clock
from tests.support.review_page import site

AT = "/api/reservations"
GBPS = 10**9
OWN_LOST = f"port {P2} is no longer a port with queues in the settings; cancel the reservation"
OTHERS_LOST = "a transfer that shares this one's rate has a port that is no longer in the settings; ask the operators"


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    set_clock(monkeypatch)
    return reserving_installation(tmp_path)


@pytest.fixture
def server(installation: Installation) -> Site:
    return site(installation.settings)


@pytest.fixture
def anna(server: Site) -> Program:
    return Program(server, add_token(server.web.tokens, "copies", "anna"))


@pytest.fixture
def bert(server: Site) -> Program:
    return Program(server, add_token(server.web.tokens, "others", "bert"))


def _reserve(program: Program, pair: str, *ports: str, **more: Any) -> str:
    source, destination = pair.split(">")
    asked = {"source": source, "destination": destination, "rate_bps": 2 * GBPS, "ports": ports, "length_s": 7200}
    answer = program.ask("POST", AT, body={**asked, "start": "2026-11-24T12:00Z", **more})
    assert answer.status_code == 201, answer.text
    return str(answer.headers["location"])


def _without_r2(installation: Installation) -> None:
    text = installation.settings.read_text(encoding="utf-8")
    kept, found, _ = text.partition('[[routers]]\nname = "r2"')
    assert found
    installation.settings.write_text(kept, encoding="utf-8")


def _background(floor_gbps: int, rate_gbps: int) -> dict[str, Any]:
    return {"kind": "background", "floor_bps": floor_gbps * GBPS, "rate_bps": rate_gbps * GBPS}


def test_a_lost_port_hides_nobody_elses_reservations(installation: Installation, anna: Program, bert: Program) -> None:
    lost = _reserve(anna, PAIR, P2)
    shared = _reserve(bert, OTHER_PAIR, P1, **_background(1, 9))
    steady = _reserve(bert, "198.18.12.0/24>203.0.113.0/24", P1)
    before = [bert.get(each) for each in (shared, steady)]
    # of 4 Gb/s that may be reserved the foreground transfer leaves 2
    assert [each["rate_bps"] for each in before[0]["shares"]] == [2 * GBPS]
    _without_r2(installation)
    assert [bert.get(each) for each in (shared, steady)] == before
    shown = anna.get(lost)
    assert (shown["state"], shown["sheet"], shown["shares"], shown["path"]) == ("booked", None, [], None)
    assert shown["problem"] == OWN_LOST
    assert anna.ask("DELETE", lost).status_code == 200
    assert {"state": "cancelled", "sheet": None, "shares": [], "path": [], "problem": None}.items() <= (
        anna.get(lost).items()
    )


def test_what_shares_a_rate_with_a_lost_port_is_told_nothing_of_it(
    installation: Installation, anna: Program, bert: Program
) -> None:
    lost = _reserve(anna, PAIR, P1, P2, **_background(1, 9))
    shared = _reserve(bert, OTHER_PAIR, P1, **_background(1, 9))
    steady = _reserve(bert, "198.18.12.0/24>203.0.113.0/24", P1, rate_bps=GBPS)
    _without_r2(installation)
    shown = bert.get(shared)
    assert (shown["shares"], shown["path"], shown["problem"]) == (None, None, OTHERS_LOST)
    assert "fq maxrate 1000000000bit" in shown["sheet"]
    assert [each["state"] for each in bert.get(steady)["path"]] == ["waits"]
    assert anna.ask("DELETE", lost).status_code == 200
    # alone it gets what the foreground transfer leaves of 4 Gb/s
    assert [each["rate_bps"] for each in bert.get(shared)["shares"]] == [3 * GBPS]


def test_a_foreground_transfer_across_a_lost_port_is_known_by_its_promise(
    installation: Installation, anna: Program, bert: Program
) -> None:
    _reserve(anna, PAIR, P1, P2)
    shared = _reserve(bert, OTHER_PAIR, P1, **_background(1, 9))
    _without_r2(installation)
    assert [each["rate_bps"] for each in bert.get(shared)["shares"]] == [2 * GBPS]


def test_what_is_over_needs_no_port(installation: Installation, anna: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = _reserve(anna, PAIR, P2)
    _without_r2(installation)
    set_clock(monkeypatch, 1_795_514_400 + 5 * 86_400)
    assert {"state": "past", "sheet": None, "shares": [], "path": [], "problem": None}.items() <= anna.get(lost).items()


def test_the_command_shows_what_it_can_and_names_the_lost_port(installation: Installation, anna: Program) -> None:
    _reserve(anna, PAIR, P2)
    _without_r2(installation)
    shown = installation.run("reserve", "show", "1")
    assert "reservation 1, booked, of anna" in shown.stdout
    assert f"port {P2} is no longer a port with queues in the settings" in shown.stderr
    as_json = installation.json("reserve", "show", "1")
    assert (as_json["sheet"], as_json["path"]) == (None, None)
    assert "hntes reserve cancel 1" in as_json["problem"]
