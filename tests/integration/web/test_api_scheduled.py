"""Scheduled changes and the calendar of reservations for programs: what waits, and decisions on exactly that."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.api_program import Program, program
from tests.support.installation import Installation
from tests.support.reserving import NOW_S, set_clock
from tests.support.review_page import site as page_of
from tests.support.scheduled_site import R1, SECOND, at, reserve, standing, waiting_site

HOUR = 3600


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """A text that the gate has passed waits from 11:00 to 12:00, and the rules' own from then on."""
    set_clock(monkeypatch)
    return waiting_site(tmp_path)


@pytest.fixture
def deploy(there: Installation) -> Program:
    return program(page_of(there.settings))


def address(there: Installation) -> str:
    with at(there) as context:
        return f"/api/changes/{standing(context)[0].change_id}"


def seen(shown: dict[str, Any]) -> dict[str, Any]:
    change = shown["about"]["change"]
    return {"candidate_hash": change["candidate_hash"], "base_hash": change["base_hash"], "end": shown["end"]}


def test_what_waits_is_listed_and_shown(there: Installation, deploy: Program) -> None:
    listed = deploy.get("/api/changes?kind=scheduled")
    (first, _second) = listed["changes"]
    assert f"/api/changes/{first['change_id']}" == address(there)
    assert (first["gate"], listed["total"]) == ("passed", 2)
    shown = deploy.get(address(there))
    assert (shown["end"], shown["transition"], shown["pairs"]) == ("2026-11-24T12:00:00Z", None, [])
    assert shown["reserved"] == [{"name": "reservation-1", "rate_bps": 10**9}]
    difference = deploy.ask("GET", f"{address(there)}/files/difference.txt").text
    assert "+ policer hntes-premium-reservation-1" in " ".join(difference.split())
    for missing in ("transition.txt", "figure-9.svg"):
        assert deploy.ask("GET", f"{address(there)}/files/{missing}").status_code == 404
    assert deploy.get("/api/status")["pending_scheduled"] == 2


def test_an_approval_is_of_what_was_seen_in_the_tokens_name(there: Installation, deploy: Program) -> None:
    where = address(there)
    answer = deploy.ask("POST", f"{where}/approve", body={**seen(deploy.get(where)), "note": "ticket 42"})
    assert (answer.status_code, answer.json()["outcome"]) == (200, "decided")
    event = there.json("audit", "--kind", "decide")[-1]
    assert (event["identity"], event["who"], event["note"]) == ("token:deploy", "anna", "ticket 42")
    assert event["change_id"] == answer.json()["change_id"]
    there.run("audit", "--verify")
    again = deploy.ask("POST", f"{where}/reject", body={**seen(deploy.get(where)), "note": "too late"})
    assert (again.status_code, again.json()["outcome"]) == (409, "already_decided")


@pytest.mark.parametrize(
    "changed",
    [{"candidate_hash": "0" * 64}, {"base_hash": "0" * 64}, {"end": None}, {"end": "2026-11-24T13:00:00Z"}],
)  # fmt: skip
def test_another_text_base_or_period_is_refused(there: Installation, deploy: Program, changed: dict[str, Any]) -> None:
    where, before = address(there), there.json("audit")
    for verb in ("approve", "reject"):
        body = {**seen(deploy.get(where)), "note": "seen", **changed}
        answer = deploy.ask("POST", f"{where}/{verb}", body=body)
        assert (answer.status_code, answer.json()["outcome"]) == (409, "stale_hash")
    assert there.json("audit") == before


def test_a_period_in_another_time_zone_is_the_same(there: Installation, deploy: Program) -> None:
    where = address(there)
    body = {**seen(deploy.get(where)), "note": "no"}
    assert deploy.ask("POST", f"{where}/reject", body=body | {"end": "noon"}).status_code == 422
    same = deploy.ask("POST", f"{where}/reject", body=body | {"end": "2026-11-24T13:00:00+01:00"})
    assert same.json()["change"]["state"] == "rejected"


def test_the_calendar_has_all_owners(there: Installation, deploy: Program) -> None:
    with at(there) as context:
        reserve(context, NOW_S + HOUR, NOW_S + 3 * HOUR, pair=SECOND, owner="bert")
    shown = deploy.get("/api/calendar?limit=1")
    assert (shown["total"], shown["next_offset"], len(shown["reservations"])) == (2, 1, 1)
    assert deploy.get("/api/calendar?offset=1")["reservations"][0]["owner"] == "bert"
    (used,) = [each for each in shown["ports"] if each["port"] == R1]
    assert used["periods"] == [
        {"start": "2026-11-24T11:00:00Z", "end": "2026-11-24T12:00:00Z", "reserved_bps": 2 * 10**9},
        {"start": "2026-11-24T12:00:00Z", "end": "2026-11-24T13:00:00Z", "reserved_bps": 10**9},
    ]
    assert (used["most_bps"], used["periods_total"]) == (2 * 10**9, 2)
    # a token of anna's that reserves sees hers alone
    own = deploy.get("/api/reservations")["reservations"]
    assert {each["owner"] for each in own} <= {"anna"}
