"""Back-tests of programs: started with a scope of their own, limited as the page's form, and the same documents."""

import fcntl
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hntes.web.site import Site
from hntes.workflow.context import opened
from hntes.workflow.reports import stored_backtests
from hntes.workflow.reports.backtest_request import BacktestAsked
from hntes.workflow.reports.stored_backtests import advanced, begun, finished
from tests.support.api_program import Program, program
from tests.support.installation import Installation
from tests.support.review_page import Browser, browser, words_in
from tests.support.review_page import site as page_of
from tests.support.stored_flows import DAYS, FIRST, steady, stored

AT = "/api/backtests"
LAST = DAYS[-1]
SPAN = {"first": str(FIRST), "last": str(LAST)}
# Of a process on a loaded machine.
WAIT_S = 240.0


@pytest.fixture
def site(tmp_path: Path) -> Installation:
    """r1 has 5 GB a day, r2 3 GB: of five days the first is missed with /24, and all with /32."""
    return stored(tmp_path / "site", [*steady("r1", 5), *steady("r2", 3)])


@pytest.fixture
def server(site: Installation) -> Site:
    return page_of(site.settings)


@pytest.fixture
def planner(server: Site) -> Program:
    """May start back-tests and look, and decide nothing."""
    return program(server, "read", "backtest", name="planner")


def ended(asking: Program, address: str) -> dict[str, Any]:
    until = time.monotonic() + WAIT_S
    while (state := asking.get(address))["state"] == "running":
        assert time.monotonic() < until
        time.sleep(0.3)
    return dict(state)


def test_a_run_of_a_program_is_that_of_the_command_line_and_of_the_page(site: Installation, planner: Program) -> None:
    answer = planner.ask("POST", AT, body={**SPAN, "prefixes": ["24", "32", "24"], "ageing_days": [30]})
    assert answer.status_code == 202, answer.text
    begun_state, address = answer.json(), answer.headers["location"]
    name = begun_state["name"]
    assert (begun_state["state"], begun_state["who"], begun_state["routers"]) == ("running", "token:planner", 3)
    assert address == f"{AT}/{name}/progress"
    state = ended(planner, address)
    assert (state["state"], state["done_routers"]) == ("done", 3), state
    shown = planner.get(f"{AT}/{name}")
    asked = ("--from", str(FIRST), "--to", str(LAST), "--prefix", "24", "--prefix", "32", "--ageing", "30")
    document = site.json("backtest", *asked)
    assert shown["results"] == {each: document[each] for each in ("variants", "recommended")}
    assert shown["results"] == site.json("data", "backtests", name)["results"]
    assert shown["about"] == state == planner.get(AT)["backtests"][0]
    # 8 GB a day in two pairs of /24 that are new on the first day: 0 of 8, 8 of 16, ... 32 of 40 GB; five of /32, never
    by_24, by_32 = shown["curves"]
    assert by_24["weekly_pct"] == pytest.approx([0.0, 50.0, 200 / 3, 75.0, 80.0])
    assert by_32["weekly_pct"] == [0.0] * 5
    assert (by_24["effectiveness_pct"], by_32["effectiveness_pct"]) == (pytest.approx(80.0), 0.0)
    # both routers know the pair from the second evening on
    assert by_24["mean_terms"] == pytest.approx((0 + 2 + 2 + 2 + 2) / 5)
    vera = browser(site.settings)
    vera.log_in("vera")
    words = words_in(vera.get(f"/backtests/{name}").text)
    for number, each in enumerate(shown["curves"], 1):
        assert f"{number}: {each['label']} {each['mean_terms']:.1f} {each['effectiveness_pct']:.2f}%" in words
    assert f"{LAST} {by_24['weekly_pct'][-1]:.2f}% {by_32['weekly_pct'][-1]:.2f}%" in words


@pytest.mark.parametrize(
    ("changed", "status", "said"),
    [
        ({"term_budgets": [1, 2, 3], "ageing_days": [1, 2, 3]}, 422, "these are 9 variants; choose at most 8"),
        ({"first": "2025-01-01"}, 422, "choose 1 to 400 days"),
        ({"first": str(LAST), "last": str(FIRST)}, 422, "choose 1 to 400 days"),
        ({"last": "2099-01-01"}, 400, "is in the future"),
        ({"prefixes": ["24/32"]}, 422, "is not a prefix length"),
        ({"ageing_days": [0]}, 422, "ageing_days"),
        ({"term_budgets": [10**7]}, 422, "term_budgets"),
        ({"threshold_bytes": [True]}, 422, "threshold_bytes"),
        ({"ageing_days": [*range(1, 10)]}, 422, "ageing_days"),
        ({"routers": ["r9"]}, 404, "there is no router"),
        ({"first": "soon"}, 422, "is not a day"),
        ({"with_beta": "yes"}, 422, "with_beta"),
    ],
)
def test_what_asks_for_too_much_is_refused(
    site: Installation, planner: Program, changed: dict[str, Any], status: int, said: str
) -> None:
    answer = planner.ask("POST", AT, body=SPAN | changed)
    assert (answer.status_code, said in answer.json()["detail"]) == (status, True), answer.text
    assert site.json("data", "backtests") == []


def test_one_runs_at_a_time_and_a_killed_one_is_told(site: Installation, planner: Program) -> None:
    with opened(site.settings) as context:
        head = begun(context, BacktestAsked(FIRST, LAST), "web:bert")
        advanced(context, head, 1)
        with (stored_backtests.backtest_folder(context) / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write(head.name)
            lock.flush()
            refused = planner.ask("POST", AT, body=SPAN)
            assert (refused.status_code, "is running" in refused.json()["detail"]) == (409, True)
            running = planner.get(f"{AT}/{head.name}/progress")
    assert (running["state"], running["done_routers"], running["routers"]) == ("running", 1, 3)
    assert running["words"] == "running, 1 of 3 routers replayed"
    shown = planner.get(f"{AT}/{head.name}")
    assert (shown["about"]["state"], shown["results"], shown["curves"]) == ("ended", None, [])
    for missing in ("20261120T000000Z-0000", "..%2F..%2Fhntes", "lock"):
        assert planner.ask("GET", f"{AT}/{missing}").status_code == 404
        assert planner.ask("GET", f"{AT}/{missing}/progress").status_code == 404
    # the document of a run that cannot be read is none, and not an error of the server
    path = stored_backtests.backtest_folder(context) / f"{head.name}.json"
    path.write_text("{")
    assert planner.get(AT)["total"] == 0
    assert planner.ask("GET", f"{AT}/{head.name}/progress").status_code == 404


def is_done_in_progress(asking: Program, _: Browser, name: str) -> bool:
    return bool(asking.get(f"{AT}/{name}/progress")["state"] == "done")


def is_done_in_document(asking: Program, _: Browser, name: str) -> bool:
    return asking.get(f"{AT}/{name}")["results"] is not None


def is_done_on_page(_: Program, vera: Browser, name: str) -> bool:
    return "80.00%" in vera.get(f"/backtests/{name}").text


@pytest.mark.parametrize("is_done", [is_done_in_progress, is_done_in_document, is_done_on_page])
def test_a_run_that_ends_while_it_is_looked_at_is_done(
    site: Installation, planner: Program, monkeypatch: pytest.MonkeyPatch,
    is_done: Callable[[Program, Browser, str], bool],
) -> None:  # fmt: skip
    """Between the reading of its document and the look at its lock: it must not be told as one without results."""
    name = site.json("backtest", "--from", str(FIRST), "--to", str(LAST), "--keep")["kept"]
    vera = browser(site.settings)
    vera.log_in("vera")
    with opened(site.settings) as context:
        results = stored_backtests.stored_run(context, name).results
        assert results is not None
        head = begun(context, BacktestAsked(FIRST, LAST), "web:bert")
        monkeypatch.setattr(
            "hntes.workflow.reports.backtest_process.running_name", lambda _: finished(context, head, results)
        )
        assert is_done(planner, vera, head.name)


def test_why_a_run_failed_is_told(planner: Program) -> None:
    answer = planner.ask("POST", AT, body={**SPAN, "threshold_bytes": [5]})
    state = ended(planner, answer.headers["location"])
    assert (state["state"], "flows above 5 are in the lake alone" in state["words"]) == ("failed", True)


def test_a_token_starts_so_many_an_hour(site: Installation) -> None:
    asking = program(page_of(site.settings, api_changes_per_hour=1), "backtest")
    wrong = {**SPAN, "first": "2025-01-01"}
    assert [asking.ask("POST", AT, body=wrong).status_code for _ in range(2)] == [422, 429]


def test_a_token_that_decides_starts_none(server: Site) -> None:
    asking = program(server, "read", "reserve", "decide", "override")
    answer = asking.ask("POST", AT, body=SPAN)
    assert (answer.status_code, answer.json()["missing_scope"]) == (403, "backtest")
    assert re.search("starts back-tests", answer.json()["detail"])
