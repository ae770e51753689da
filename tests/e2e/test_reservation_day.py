"""A day of reservations in a real Airflow, by the API, past the real gate, onto a router of each platform and off it.

The day's clock is moved from edge to edge (`tests/support/moved_clock.py`): in real time with reservations of minutes
a busy machine would decide what is late, and a day is what was promised. All else is real: Airflow's scheduler runs the
DAG, each text is simulated, SSH and NETCONF go over loopback, and routers take back by themselves what nobody confirms.
"""

import hashlib
import hmac
import importlib.util
from pathlib import Path
from typing import Any

import pytest

from hntes.timestamps import parse_timestamp
from tests.conftest import IN_CI
from tests.support.reservation_day import API, DAG, P1, P2, P3, SECRET, Day, reservation_day

MBIT = 10**6
HOUR_S = 3600
pytestmark = [pytest.mark.long, pytest.mark.timeout(3000)]

# What the audit log tells of each act of the story below, worked out by hand.
GRANTED = ["quota r1 granted", "quota r2 granted", "quota r3 granted"]
BOOKED = ["reserve reservation 1", "reserve reservation 2", "reserve reservation 3", "reserve reservation 4"]
PREPARED = [
    *("propose r1 pending 08:00", "propose r1 pending 09:00", "propose r1 pending 10:00", "propose r1 pending 11:00"),
    *("judge r1 passed",) * 3,
    *(
        "decide r1 approved 08:00 by quota 1",
        "decide r1 approved 09:00 by quota 1",
        "decide r1 approved 10:00 by quota 1",
    ),
    "decide r1 approved 11:00 by the text approved for 2026-11-20",
    *("propose r2 pending 09:00", "propose r2 pending 11:00", "judge r2 passed", "decide r2 approved 09:00 by quota 2"),
    "decide r2 approved 11:00 by the text approved for 2026-11-20",
    *("propose r3 pending at once", "propose r3 pending 09:00", "propose r3 pending 10:00", "propose r3 pending 11:00"),
    *("judge r3 passed",) * 3,
    *("decide r3 approved at once by quota 3", "decide r3 approved 10:00 by quota 3"),
    "decide r3 approved 11:00 by the text approved for 2026-11-20",
    *("verified r3", "notify reservation 3: on, 900 Mb/s"),
    "decide r3 approved 09:00 by otto",
]
BEGUN = ["verified r1", "notify reservation 1: on, 600 Mb/s"]
FAILED = [
    *("verified r1", "undelivered r2 09:00", "verified r3"),
    *("notify reservation 2: late, 300 Mb/s", "notify reservation 3: on, 700 Mb/s"),
]
RECOVERED = ["verified r2", "notify reservation 2: on, 300 Mb/s"]
ENDED = [
    *("verified r1", "notify reservation 4: on, 600 Mb/s"),  # 09:50: the first gives way to the fourth
    "verified r3",  # 10:00: the third is over
    *("cancel reservation 4", "propose r1 pending at once", "judge r1 passed", "decide r1 approved at once by quota 1"),
    "verified r1",
    *("verified r1", "verified r2", "verified r3"),  # 11:00: so is the second
]


def test_a_day_from_the_api_to_three_routers_and_off_them_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if importlib.util.find_spec("airflow") is None and not IN_CI:
        pytest.skip("Airflow is not installed; `make everything` installs it")
    with reservation_day(tmp_path, "2026-11-21T05:00Z", monkeypatch) as day:
        before, since = day.shown(), len(day.site.json("audit"))
        grant(day)
        book(day)
        prepare(day)
        begin(day)
        fail_and_recover(day)
        expire_and_cancel(day)
        assert day.shown() == before
        assert_told(day)
        run_by_schedule(day)
        assert day.shown() == before
        assert told_by_log(day, since) == [
            *GRANTED, *BOOKED, *PREPARED, *BEGUN, *FAILED, *RECOVERED, *ENDED
        ]  # fmt: skip
        day.site.run("audit", "--verify")


def grant(day: Day) -> None:
    for port, rate in ((P1, "1G"), (P2, "10G"), (P3, "900M")):
        day.site.run("reserve", "quota", "add", "--port", port, "--rate", rate, "--until", "2026-11-28T00:00Z",
                     "--reason", "copies of this week", "--who", "otto")  # fmt: skip


def book(day: Day) -> None:
    """A tenth of each port may be promised: 1 Gb/s on r1 and r3, 10 Gb/s on r2."""
    day.at("2026-11-21T06:00Z")
    first = {
        "source": "198.18.50.0/24", "destination": "203.0.113.0/24", "rate_bps": 600 * MBIT, "ports": [P1],
        "start": "2026-11-21T08:00Z", "length_s": 2 * HOUR_S, "external_id": "copy-1",
    }  # fmt: skip
    path = first | {
        "source": "198.18.51.0/24", "rate_bps": 300 * MBIT, "ports": [P1, P2, P3], "start": "2026-11-21T10:00+01:00",
        "external_id": "copy-2",
    }  # fmt: skip
    max_parallel = {
        "source": "198.18.52.0/24", "destination": "203.0.113.0/24", "rate_bps": 900 * MBIT, "floor_bps": 100 * MBIT,
        "kind": "background", "ports": [P3], "end": "2026-11-21T10:00Z",
    }  # fmt: skip
    another = first | {"source": "198.18.53.0/24", "start": "2026-11-21T09:30Z", "length_s": HOUR_S}
    del another["external_id"]
    assert [day.reserve("anna", **first), day.reserve("anna", **path), day.reserve("bert", **max_parallel)] == [1, 2, 3]
    status, refused = day.ask("anna", "POST", body=another)
    # from 09:30 to 10:00 there would be 600 + 300 + 600 Mb/s; from 10:00 on 300 + 600
    assert (status, refused["nearest_start"]) == (409, "2026-11-21T10:00:00Z")
    assert "with reservations 1, 2" in refused["reasons"][0]
    assert day.reserve("anna", **another | {"start": refused["nearest_start"]}) == 4
    assert day.ask("bert", "GET", f"{API}/1")[0] == 404


def prepare(day: Day) -> None:
    """Quotas approve what they cover; the rest waits for a person. What begins at once is on its router at once."""
    assert day.run_dag() == "success"
    assert day.policed() == {"r1": {}, "r2": {}, "r3": {3: 900 * MBIT}}
    printed = day.printed("prepare_scheduled")
    assert printed.count("gate: passed") == 7  # r1: 1, 1+2, 2+4; r2: 2; r3: 3, 2+3, 2
    assert states(day, 2) == {"r1": "ready", "r2": "ready", "r3": "waits"}
    said = day.site.run("reserve", "approve", "--router", "r3", "--day", "2026-11-21", "--who", "otto")
    # at 09:00 r3 polices 300 and 700 Mb/s, above the 900 of its quota
    assert said.stdout.count("approved by otto") == 1
    assert states(day, 2) == dict.fromkeys(("r1", "r2", "r3"), "ready")
    assert states(day, 3, "bert") == {"r3": "on"}


def begin(day: Day) -> None:
    day.at("2026-11-21T07:50:10Z")
    assert day.run_dag() == "success"
    assert day.policed() == {"r1": {1: 600 * MBIT}, "r2": {}, "r3": {3: 900 * MBIT}}


def fail_and_recover(day: Day) -> None:
    """The connection to r2 is cut while the text is typed; its own configuration session ends with it."""
    faults = day.routers["r2"].served.faults
    untouched = day.routers["r2"].shown()
    faults.cut_before = faults.seen + CUT_AT
    day.at("2026-11-21T08:50:10Z")
    assert day.run_dag() == "failed"
    assert day.policed() == {
        "r1": {1: 600 * MBIT, 2: 300 * MBIT}, "r2": {}, "r3": {2: 300 * MBIT, 3: 700 * MBIT}
    }  # fmt: skip
    assert day.routers["r2"].shown() == untouched
    assert states(day, 2) == {"r1": "on", "r2": "late", "r3": "on"}
    assert day.told()[-2:] == [("anna", 2, "late", 300 * MBIT), ("bert", 3, "on", 700 * MBIT)]
    assert max(each["time_ms"] for each in day.site.json("audit")) < parse_timestamp("2026-11-21T09:00Z") * 1000
    day.at("2026-11-21T08:55Z")
    assert day.run_dag() == "success"
    assert day.policed()["r2"] == {2: 300 * MBIT}
    assert states(day, 2) == dict.fromkeys(("r1", "r2", "r3"), "on")


CUT_AT = 8


def expire_and_cancel(day: Day) -> None:
    day.at("2026-11-21T09:50:10Z")  # the fourth begins as the first ends
    assert day.run_dag() == "success"
    assert day.policed()["r1"] == {2: 300 * MBIT, 4: 600 * MBIT}
    assert states(day, 1) == {"r1": "over"}
    day.at("2026-11-21T10:00:10Z")
    assert day.run_dag() == "success"
    assert day.policed() == {
        "r1": {2: 300 * MBIT, 4: 600 * MBIT}, "r2": {2: 300 * MBIT}, "r3": {2: 300 * MBIT}
    }  # fmt: skip
    day.at("2026-11-21T10:30Z")
    assert day.ask("bert", "DELETE", f"{API}/4")[0] == 404
    status, answer = day.ask("anna", "DELETE", f"{API}/4")
    assert (status, answer["state"]) == (200, "cancelled")
    assert day.run_dag() == "success"
    assert day.policed()["r1"] == {2: 300 * MBIT}
    day.at("2026-11-21T11:00:10Z")
    assert day.run_dag() == "success"
    assert day.policed() == {"r1": {}, "r2": {}, "r3": {}}


def assert_told(day: Day) -> None:
    """Each rate once, in the order in which transfers got them, and signed."""
    assert day.told() == [
        ("bert", 3, "on", 900 * MBIT),
        ("anna", 1, "on", 600 * MBIT),
        ("anna", 2, "late", 300 * MBIT),
        ("bert", 3, "on", 700 * MBIT),
        ("anna", 2, "on", 300 * MBIT),
        ("anna", 4, "on", 600 * MBIT),
    ]
    for headers, body in day.hook.got:
        signed = headers["HNTES-Timestamp"].encode() + b"." + body
        wanted = hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
        assert headers["HNTES-Signature"] == f"sha256={wanted}"


def run_by_schedule(day: Day) -> None:
    """Where the environment names a schedule, the scheduler begins runs by itself; they change nothing any more."""
    events = day.site.json("audit")
    day.airflow.environment["HNTES_RESERVATIONS_SCHEDULE"] = "* * * * *"
    day.airflow.kill_program("dag-processor")
    day.airflow.start_program("dag-processor")

    def scheduled() -> Any:
        found = day.airflow.runs(DAG)
        return [state for run, state in found.items() if run.startswith("scheduled") and state in ("success", "failed")]

    assert set(day.airflow.wait_until("a run by the schedule ends", scheduled)) == {"success"}
    assert day.site.json("audit") == events


def states(day: Day, number: int, owner: str = "anna") -> dict[str, str]:
    """How far a reservation has come on each router, as its program is told."""
    _, answer = day.ask(owner, "GET", f"{API}/{number}")
    return {each["router"]: each["state"] for each in answer["path"]}


def told_by_log(day: Day, since: int) -> list[str]:
    """What `hntes audit` lists after so many events, a line each, of what an operator looks for: what was granted,
    asked for, proposed, judged, decided, kept by a router, not delivered, and told.

    Steps of a push between its beginning and its confirmation are left out.
    """
    return [line for each in day.site.json("audit")[since:] if (line := _line(each))]


def _line(event: dict[str, Any]) -> str:
    kind, router, detail = event["kind"], event["router"] or "", event["detail"]
    if kind in ("reserve", "cancel"):
        return f"{kind} {detail.partition(':')[0]}"
    if kind == "quota":
        return f"quota {router} {event['outcome']}"
    if "/from/" in (event["change_id"] or "") and kind in ("propose", "supersede", "decide", "undelivered"):
        moment = event["change_id"].rpartition("/")[2]
        instant = moment[11:16] if moment.endswith(":00:00Z") else "at once"
        by = f"by {event['who']}" if kind == "decide" else ""
        return " ".join(filter(None, (kind, router, event["outcome"], instant, by)))
    if kind == "judge":
        return f"judge {router} {event['outcome'].replace('_', ' ')}"
    if kind == "notify":
        return f"notify {detail}"
    return f"verified {router}" if kind == "verified" else ""
