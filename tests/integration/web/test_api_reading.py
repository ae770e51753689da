"""What programs read is what the page and the command line show; each answer is as the OpenAPI document says."""

import random
from typing import Any

import pytest

from tests.support.api_program import Program, operations, program
from tests.support.api_requests import random_request
from tests.support.installation import Installation
from tests.support.page_addresses import BACKTEST, keep_backtest
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import site as page_of

AT = f"/api/changes/r1/{NIGHT}"
ENDS = "source=198.18.10.0/24&destination=203.0.113.0/24"
# An address for each operation that reads; scheduled changes and reservations have tests of their own.
READ = {
    "/api/status": "/api/status",
    "/api/routers": "/api/routers?q=JUNOS&limit=2",
    "/api/routers/{router}": "/api/routers/r1?days=3",
    "/api/changes": "/api/changes?kind=nightly",
    "/api/changes/{router}/{day}": AT,
    "/api/changes/{router}/{day}/pairs": f"{AT}/pairs?show=all&sort=seen&q=203.0.113.0/24",
    "/api/changes/{router}/{day}/pairs/groups": f"{AT}/pairs/groups?by=reason",
    "/api/changes/{router}/{day}/files/{name}": f"{AT}/files/transition.txt",
    "/api/pairs": "/api/pairs?router=r1&q=198.18.10.5",
    "/api/pairs/one": f"/api/pairs/one?router=r1&{ENDS}",
    "/api/traffic": f"/api/traffic?by=pair&router=r1&q=203.0.113.0/24&until={NIGHT}",
    "/api/deliveries": "/api/deliveries",
    "/api/audit": f"/api/audit?router=r1&kind=propose&since={NIGHT}&who=os",
    "/api/pins": "/api/pins?all=1",
    "/api/exclusions": "/api/exclusions?all=1",
    "/api/calendar": "/api/calendar",
    "/api/backtests": "/api/backtests",
    "/api/backtests/{name}": f"/api/backtests/{BACKTEST}",
    "/api/backtests/{name}/progress": f"/api/backtests/{BACKTEST}/progress",
    "/api/sites": "/api/sites?limit=1",
}


@pytest.fixture(scope="module")
def watch(read_only: Installation) -> Program:
    keep_backtest(read_only)
    return program(page_of(read_only.settings), "read", name="watch")


@pytest.mark.parametrize("address", READ.values(), ids=READ)
def test_what_is_read_is_as_described(watch: Program, address: str) -> None:
    assert watch.ask("GET", address).status_code == 200


def test_nothing_that_is_read_is_unknown_to_these_tests() -> None:
    known = {each.path for each in operations() if each.method == "GET" and each.scopes == ["read"]}
    assert {each for each in known if "/from/" not in each} == set(READ)


def test_changes_are_those_of_the_command_line(watch: Program, read_only: Installation) -> None:
    listed = watch.get("/api/changes")["changes"]
    by_command = read_only.json("change", "list")
    shared = ("change_id", "summary", "standing", "gate", "held_until", "effect", "decision", "first_approval")
    assert [[each[name] for name in shared] for each in listed] == [
        [one[name] for name in shared] for one in by_command
    ]
    own = set(listed[0]["change"])
    assert [each["change"] for each in listed] == [{name: one[name] for name in own} for one in by_command]


def test_a_change_is_that_of_the_command_line(watch: Program, read_only: Installation) -> None:
    shown = watch.get(AT)
    by_command = read_only.json("change", "show", "--router", "r1", "--day", NIGHT, "--transition")
    assert (shown["text"], shown["queues"], shown["unusual"]) == (
        by_command["summary"], by_command["queues"], by_command["unusual"],
    )  # fmt: skip
    signs = {"added": "+", "removed": "-", "kept": "="}
    sums = {signs[each["change"]]: {k: each[k] for k in ("pairs", "alpha_bytes")} for each in shown["pairs"]}
    assert sums == by_command["pair_sums"]
    texts = {name: watch.ask("GET", f"{AT}/files/{name}").text for name in shown["files"] if name.endswith(".txt")}
    assert texts["difference.txt"].rstrip() == by_command["difference"].rstrip()
    assert texts["transition.txt"] == by_command["transition"]
    assert len(texts["transition.txt"].splitlines()) == shown["transition"]["commands"]
    assert "<svg" in watch.ask("GET", f"{AT}/files/figure-1.svg").text
    for missing in ("base.txt", "figure-0.svg", "figure-99.svg", "hntes.toml", "..%2Fhntes.toml"):
        assert watch.ask("GET", f"{AT}/files/{missing}").status_code == 404


def test_pairs_are_those_of_the_change_page_by_page(watch: Program) -> None:
    whole = watch.get(f"{AT}/pairs?show=all")
    assert whole["total"] == len(whole["pairs"]) == sum(each["pairs"] for each in watch.get(AT)["pairs"])
    assert whole["alpha_bytes"] == sum(sum(each["by_day"]) for each in whole["pairs"]) > 0
    found, at = [], 0
    while at is not None:
        page = watch.get(f"{AT}/pairs?show=all&limit=3&offset={at}")
        assert len(page["pairs"]) <= 3
        found += page["pairs"]
        at = page["next_offset"]
    assert found == whole["pairs"]
    bytes_in_order = [each["alpha_bytes"] for each in found]
    assert bytes_in_order == sorted(bytes_in_order, reverse=True)


def test_a_pair_is_that_of_the_command_line(watch: Program, read_only: Installation) -> None:
    shown = watch.get(f"/api/pairs/one?router=r1&{ENDS}")
    by_command = read_only.json(
        "why", "198.18.10.0/24>203.0.113.0/24", "--router", "r1", "--day", shown["day"], "--evidence-days", "90"
    )
    assert (shown["found"]["state"], shown["found"]["in_force"]) == (by_command["state"], by_command["in_force"])
    assert shown["evidence"] == by_command["evidence"] != []
    assert shown["timeline"] == by_command["timeline"]
    assert shown["total"] == len(shown["evidence"])
    wide = watch.ask("GET", "/api/pairs/one?router=r1&source=198.18.0.0/16&destination=203.0.113.0/24")
    assert wide.status_code == 404
    listed = watch.get("/api/pairs?router=r1&q=0.0.0.0/0&limit=2")
    assert (len(listed["pairs"]), listed["next_offset"]) == (2, 2)


def test_traffic_is_that_of_the_command_line(watch: Program, read_only: Installation) -> None:
    for by, more in (("router", ()), ("destination", ("--router", "r1"))):
        shown = watch.get(f"/api/traffic?by={by}&router=r1&since={NIGHT}&until={NIGHT}")
        found = read_only.json("flows", "--by", by, "--day", NIGHT, *more)
        assert (shown["groups"], shown["by_day"]) == (found["groups"], found["by_day"])
        assert shown["alpha_bytes"] == sum(each["alpha_bytes"] for each in found["groups"]) > 0


def test_a_router_is_that_of_the_command_line(watch: Program, read_only: Installation) -> None:
    traffic = watch.get("/api/routers/r1?days=30")["traffic"]
    assert traffic == read_only.json("router", "traffic", "--router", "r1", "--day", NIGHT)


def test_sites_are_those_of_the_settings(site: Installation) -> None:
    site.settings.write_text(
        site.settings.read_text()
        + '\n[[sites]]\nname = "north"\nprefixes = ["198.18.0.0/17", "2001:db8:1::/48"]\n'
        + '[[sites]]\nname = "lab"\nprefixes = ["198.18.128.0/24"]\n'
    )
    asking = program(page_of(site.settings), "read")
    first = {"name": "north", "prefixes": ["198.18.0.0/17", "2001:db8:1::/48"]}
    assert asking.get("/api/sites?limit=1") == {"sites": [first], "total": 2, "next_offset": 1}
    assert asking.get("/api/sites?offset=1")["sites"] == [{"name": "lab", "prefixes": ["198.18.128.0/24"]}]


def test_the_log_goes_on_before_an_event(watch: Program, read_only: Installation) -> None:
    found: list[dict[str, Any]] = []
    before = ""
    while True:
        page = watch.get(f"/api/audit?limit=2{before}")
        found += page["events"]
        if page["next_before"] is None:
            break
        before = f"&before={page['next_before']}"
    assert found == list(reversed(read_only.json("audit")))
    assert len(found) > 4


def test_the_status_is_that_of_the_dashboard(watch: Program) -> None:
    shown = watch.get("/api/status")
    assert (shown["day"], shown["pending_changes"], shown["pending_scheduled"]) == (NIGHT, 3, 0)
    assert [each["name"] for each in shown["chain"]] == [
        "Last night", "Flow files", "Exporters", "Drift", "Deliveries",
    ]  # fmt: skip
    assert {each["state"] for each in shown["chain"]} <= {"well", "unwell", "unknown"}


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/routers/r9", 404), ("/api/changes/r1/2001-01-01", 404), ("/api/changes/r1/x", 404),
        ("/api/changes?router=r9", 404), ("/api/pairs?router=r1&q=nowhere", 400), ("/api/pairs?router=r1", 400),
        ("/api/traffic?since=2020-01-01", 400), ("/api/traffic?by=flow", 400), ("/api/traffic?q=192.0.2.1", 400),
        ("/api/traffic?by=pair&router=", 404),
        ("/api/audit?kind=x", 400), ("/api/audit?since=x", 400), ("/api/routers?limit=501", 400),
        ("/api/routers?offset=-1", 400), (f"/api/changes/r1/from/{'0' * 16}/2026-11-24T12:00:00Z", 404),
        ("/api/nothing", 404),
    ],
)  # fmt: skip
def test_what_is_not_there_or_cannot_be_meant(watch: Program, address: str, status: int) -> None:
    answer = watch.ask("GET", address)
    assert (answer.status_code, answer.json()["status"]) == (status, status)


def test_random_requests_keep_the_contract(site: Installation) -> None:
    """As the campaign in tests/long, a few of each operation."""
    asking, chance = program(page_of(site.settings)), random.Random(4)
    for operation in [*operations()] * 4:
        request = random_request(chance, operation, {"day": NIGHT, "router": "r1"})
        answer = asking.ask(request.method, request.address, raw=request.raw, **request.headers)
        assert answer.status_code < 500, request.told
