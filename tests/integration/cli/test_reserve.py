"""`hntes reserve`: what it prints, and its exit statuses."""

import json
from pathlib import Path

import pytest

from tests.integration.cli.test_completion import completed
from tests.support.installation import Installation
from tests.support.reserving import NOW_S, OTHER_PAIR, P1, P2, PAIR, reserving_installation, set_clock
from tests.unit.rules.reservations.test_published import CONNECTION, INTENT

ADD = ("reserve", "add", PAIR, "--rate", "3G", "--start", "2026-11-24T12:00Z", "--for", "2h", "--port", P1)
TOLD = (
    "198.18.10.0/24 > 203.0.113.0/24 foreground 3 Gb/s from 2026-11-24T12:00:00Z to 2026-11-24T14:00:00Z on r1:xe-0/0/0"
)

WHEN = "from 2026-11-24T12:00:00Z to 2026-11-24T14:00:00Z"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    set_clock(monkeypatch)
    return reserving_installation(tmp_path)


def test_adding_listing_showing_and_cancelling(site: Installation) -> None:
    assert site.run(*ADD, "--owner", "anna", "--ticket", "T-1").stdout == f"reserved: 1: {TOLD}\n"
    (row,) = site.run("reserve", "list").stdout.splitlines()[1:]
    assert row.split()[:2] == ["1", "booked"]
    shown = site.run("reserve", "show", "1").stdout
    assert shown.startswith(f"reservation 1, booked, of anna, ticket T-1: {TOLD}\n")
    assert "fq maxrate 3000000000bit" in shown
    assert site.run("reserve", "cancel", "1", "--reason", "moved").stdout == f"cancelled reservation 1: {TOLD}\n"
    assert site.run("reserve", "list").stderr == "no reservations\n"
    assert [each["state"] for each in site.json("reserve", "list", "--all")] == ["cancelled"]


def test_a_refusal_has_its_own_status_and_says_what_helps(site: Installation) -> None:
    site.run(*ADD, "--owner", "anna")
    other = ("reserve", "add", OTHER_PAIR, *ADD[3:], "--owner", "bert")
    assert site.run(*other, expect=4).stdout.splitlines()[1:] == [
        f"  port r1:xe-0/0/0 is over its cap by 2 Gb/s {WHEN}: with reservation 1",
        "  the first later start that fits is 2026-11-24T14:00:00Z",
    ]  # fmt: skip
    refused = site.json(*other, expect=4)
    assert refused["refusal"]["nearest_start_s"] == NOW_S + 4 * 3600
    assert refused["refusal"]["full"][0]["reservations"] == [1]


PREMIUM_PLAN = """
[plans.recommended]
kind = "two_queue"
alpha_share_pct = 30
beta_share_pct = 35
premium_share_pct = 30
premium_cap_pct = 10
"""
SLOW_PORT = """
[[routers.interfaces]]
name = "xe-0/0/5"
role = "core"
rate_bps = 10_000_000_000
"""


def test_a_plans_class_bounds_what_a_router_is_promised_and_sizes_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch)
    site = reserving_installation(tmp_path, section=PREMIUM_PLAN, more=SLOW_PORT)
    when = ("--start", "2026-11-24T12:00Z", "--for", "2h", "--owner", "anna")
    site.run("reserve", "add", PAIR, "--rate", "800M", "--port", P2, *when)
    other = ("reserve", "add", OTHER_PAIR, "--port", "r2:xe-0/0/5", *when)
    # a tenth of 10 Gb/s, though each of the ports has room
    assert site.run(*other, "--rate", "300M", expect=4).stdout.splitlines()[1] == (
        f"  router r2, all its ports together, is over its cap by 100 Mb/s {WHEN}: with reservation 1"
    )
    site.run(*other, "--rate", "200M")
    # qt = 100 ms x 0.1 / (0.3 - 0.1); 0.8 Gb/s for 150 ms
    sheet = site.run("reserve", "show", "1").stdout
    assert "Window: 15000000 bytes = rate x (round trip 100 ms + queueing 50 ms)." in sheet


def test_a_dry_run_stores_nothing(site: Installation) -> None:
    said = site.run(*ADD, "--owner", "anna", "--dry-run").stdout
    assert said == f"fits: {TOLD}\nnothing was stored (--dry-run)\n"
    assert site.json("reserve", "list") == []


def exclusion(*options: str) -> tuple[str, ...]:
    return ("override", "exclude", "add", "198.18.10.128/25", "--owner", "noc", "--reason", "moved", "--dry-run",
            "--from-day", "2026-11-20", *options)  # fmt: skip


def test_a_dry_run_of_an_exclusion_lists_what_is_reserved_there(site: Installation) -> None:
    """On the days on which it stands, on routers of its path, on the side that is excluded; not what was cancelled."""
    for start in ("2026-11-24T12:00Z", "2026-11-26T23:00Z"):
        site.run(*ADD[:6], start, *ADD[7:], "--owner", "anna")
    site.run("reserve", "add", OTHER_PAIR, *ADD[3:], "--rate", "500M", "--owner", "bert")
    site.run(*ADD[:6], "2026-11-25T12:00Z", *ADD[7:], "--owner", "carl")
    site.run("reserve", "cancel", "4", "--reason", "moved")

    def hit(*options: str) -> list[tuple[str, int]]:
        found = site.json(*exclusion(*options))
        return [(one["router"], each["number"]) for one in found for each in one["reservations"]]

    assert hit("--until", "2099-12-31") == [("r1", 1), ("r1", 2)]
    assert hit("--until", "2026-11-26", "--router", "r1") == [("r1", 1), ("r1", 2)]
    assert hit("--until", "2026-11-25") == [("r1", 1)]
    assert hit("--until", "2026-11-23") == []
    assert hit("--until", "2099-12-31", "--side", "destination") == []
    assert hit("--until", "2099-12-31", "--router", "r2") == []
    said = site.run(*exclusion("--until", "2026-11-25")).stdout.splitlines()
    at = said.index("reservations that stay booked and are left out of texts while it holds:")
    assert said[at + 2].split() == [
        "r1", "1", "198.18.10.0/24", ">", "203.0.113.0/24", "3", "Gb/s", "2026-11-24T12:00:00Z",
        "2026-11-24T14:00:00Z", "anna",
    ]  # fmt: skip
    assert site.json("override", "exclude", "list") == []


def test_an_exclusion_of_days_that_are_over_hits_no_reservation(
    site: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one that runs over midnight the rest counts."""
    site.run(*ADD[:6], "2026-11-24T20:00Z", "--for", "8h", *ADD[9:], "--owner", "anna")
    set_clock(monkeypatch, NOW_S + 15 * 3600)
    assert site.json(*exclusion("--until", "2026-11-24", "--router", "r1"))[0]["reservations"] == []
    (hit,) = site.json(*exclusion("--until", "2026-11-25", "--router", "r1"))[0]["reservations"]
    assert (hit["number"], hit["end_s"]) == (1, NOW_S + 18 * 3600)


def test_the_same_id_again_changes_nothing(site: Installation) -> None:
    named = (*ADD, "--owner", "anna", "--id", "copy-1")
    site.run(*named)
    assert site.run(*named).stdout == f"reserved already: 1: {TOLD}\n"


def test_a_background_transfer_is_told_what_it_gets_when(site: Installation) -> None:
    site.run(*ADD, "--owner", "anna")
    site.run("reserve", "add", OTHER_PAIR, "--rate", "5G", "--background-floor", "500M", "--for", "3h",
             "--port", P1, "--port", P2, "--owner", "bert")  # fmt: skip
    lines = site.run("reserve", "show", "2").stdout.splitlines()
    assert [line.partition(":")[0] for line in lines[1:3]] == ["  on r1", "  on r2"]
    assert lines[3:5] == [
        "  gets 4 Gb/s from 2026-11-24T10:00:00Z to 2026-11-24T12:00:00Z",
        "  gets 1 Gb/s from 2026-11-24T12:00:00Z to 2026-11-24T13:00:00Z",
    ]


def test_what_a_router_has_to_police(site: Installation) -> None:
    assert site.run("reserve", "due", "--router", "r1").stderr == "router r1 has no policers due\n"
    site.run(*ADD, "--owner", "anna")
    (row,) = site.run("reserve", "due", "--router", "r1").stdout.splitlines()[1:]
    # 3 Gb/s over 100 ms and 100 x 0.4 / 0.59 = 67.8 ms
    assert row.split() == [
        "2026-11-24T12:00:00Z", "2026-11-24T14:00:00Z", "reservation-1", "198.18.10.0/24", ">", "203.0.113.0/24", "3",
        "Gb/s", "62923729", "bytes", "none", "yet",
    ]  # fmt: skip
    assert site.run("reserve", "due", "--router", "r1", "--for", "1h").stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("changed", "status", "said"),
    [
        ({"--rate": "3 Gbit"}, 2, "is not a rate"),
        ({"--start": "2026-11-24T12:00"}, 2, "with UTC offset"),
        ({"--for": "2 hours"}, 2, "is not a duration"),
        ({"--start": "2026-11-24T09:00Z"}, 1, "is in the past"),
        ({"--port": "r1:xe-9"}, 1, "does not allow reservations"),
    ],
)
def test_mistakes_are_named(site: Installation, changed: dict[str, str], status: int, said: str) -> None:
    arguments = list(ADD)
    for option, value in changed.items():
        arguments[arguments.index(option) + 1] = value
    assert said in site.run(*arguments, "--owner", "anna", expect=status).stderr


def test_ports_are_completed(site: Installation) -> None:
    assert completed(site.settings, "reserve", "add", "--port", "") == [P1, P2]
    assert completed(site.settings, "reserve", "add", "--port", "r2") == [P2]


IMPORT = ("reserve", "import", "--port", P1)


def _written(folder: Path, document: object) -> str:
    path = folder / "published.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def test_a_document_is_imported_once_however_often(site: Installation, tmp_path: Path) -> None:
    document = _written(tmp_path, [CONNECTION, INTENT])
    wanted = (*IMPORT, document, "--pair", f"CAST01={PAIR}", "--owner", "anna")
    said = site.run(*wanted).stdout.splitlines()
    assert said[:2] == ["connection CAST01", f"reserved: 1: {TOLD}"]
    assert said[2].startswith("  ignored fields: [0].mode, [0].connection_mtu,")
    before = site.json("reserve", "list")
    assert [each["external_id"] for each in before] == [
        "oscars:CAST01:forward", "sense:0d0f630f/Connection 1:forward",
    ]  # fmt: skip
    assert [each["booked"]["is_new"] for each in site.json(*wanted)] == [False, False]
    assert site.json("reserve", "list") == before


def test_what_cannot_be_imported_is_told_and_the_rest_is(site: Installation, tmp_path: Path) -> None:
    document = _written(tmp_path, [CONNECTION, INTENT])
    said = site.run(*IMPORT, document, "--owner", "anna", expect=3).stdout
    assert "not imported: the document has no single prefix for each end; give --pair 'CAST01=" in said
    assert [each["number"] for each in site.json("reserve", "list")] == [1]
    assert "the document names no owner" in site.run(*IMPORT, _written(tmp_path, INTENT), expect=3).stdout


@pytest.mark.parametrize(
    ("more", "said"),
    [(("--pair", "CAST09=a>b"), "'CAST09' is not in the document"), (("--pair", "CAST01"), "write CONNECTION=")],
)
def test_a_pair_of_no_connection_is_a_mistake(
    site: Installation, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    assert said in site.run(*IMPORT, _written(tmp_path, CONNECTION), *more, expect=1).stderr


def test_a_document_that_is_none_is_a_mistake(site: Installation, tmp_path: Path) -> None:
    path = tmp_path / "published.json"
    path.write_bytes(b"\xff")
    assert "not UTF-8 text" in site.run(*IMPORT, str(path), expect=1).stderr
    path.write_bytes(b" " * 1_000_001)
    assert "longer than 1000000 bytes" in site.run(*IMPORT, str(path), expect=1).stderr
    path.write_text("{}")
    assert "is not an OSCARS connection" in site.run(*IMPORT, str(path), expect=1).stderr
