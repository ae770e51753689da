"""Back-tests on the page: started by a form, run beside the server, kept where the command line finds them."""

import fcntl
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hntes.workflow.context import opened
from hntes.workflow.reports import stored_backtests
from hntes.workflow.reports.backtest_process import BacktestProcesses, running_name
from hntes.workflow.reports.backtest_request import BacktestAsked
from hntes.workflow.reports.stored_backtests import advanced, begun, failed, stored_heads, stored_names
from tests.support.installation import Installation
from tests.support.review_page import Browser, browser, words_in
from tests.support.stored_flows import DAYS, FIRST, steady, stored

LAST = DAYS[-1]
SPAN = {"first": str(FIRST), "last": str(LAST)}
# Of a process on a loaded machine.
WAIT_S = 240.0


@pytest.fixture
def site(tmp_path: Path) -> Installation:
    """r1 has 5 GB a day, r2 3 GB: of five days the first is missed with /24, and all with /32."""
    return stored(tmp_path / "site", [*steady("r1", 5), *steady("r2", 3)])


@pytest.fixture
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Installation, Browser, str]:
    """After two variants were back-tested by anna on the page."""
    site = stored(tmp_path_factory.mktemp("run") / "site", [*steady("r1", 5), *steady("r2", 3)])
    anna = browser(site.settings)
    assert anna.log_in("anna").status_code == 303
    answer = anna.send("/backtests", "/backtests", **SPAN, prefixes="24 32", ageing="30")
    assert answer.status_code == 303, words_in(answer.text)
    address = answer.headers["location"]
    assert re.fullmatch(r"/backtests/\d{8}T\d{6}Z-[0-9a-f]{4}\?follow=1", address)
    name = address.partition("?")[0].removeprefix("/backtests/")
    until = time.monotonic() + WAIT_S
    while (state := site.json("data", "backtests", name)["head"]["state"]) == "running":
        assert time.monotonic() < until
        time.sleep(0.5)
    assert state == "done", site.json("data", "backtests", name)
    return site, anna, name


def test_a_run_of_the_page_has_the_numbers_of_the_command_line(finished: tuple[Installation, Browser, str]) -> None:
    site, anna, name = finished
    asked = ("--from", str(FIRST), "--to", str(LAST), "--prefix", "24", "--prefix", "32", "--ageing", "30")
    printed, document = site.run("backtest", *asked).stdout.splitlines(), site.json("backtest", *asked)
    kept = site.json("data", "backtests", name)
    assert kept["results"] == {each: document[each] for each in ("variants", "recommended")}
    assert kept["head"]["who"] == "web:anna"
    # 8 GB a day: four of five days, or none
    shares = [one["effectiveness"] for one in document["variants"] if one["reading"] == "approved"]
    assert shares == [0.8, 0.0]
    page = anna.get(f"/backtests/{name}").text
    cells = [
        re.findall(r'class="number">([^<]*)<', row) for row in re.findall(r"<tr>\n<th scope.*?</tr>", page, re.DOTALL)
    ]
    variants = [row for row in cells if len(row) == 14]
    assert [row[4:7] for row in variants] == [["40.000 GB", "32.000 GB", "80.00%"], ["40.000 GB", "0.000 GB", "0.00%"]]
    for row, line in zip(variants, printed[1:3], strict=True):
        assert "  ".join(row).split() == line.split()
    assert printed[3] in words_in(page)
    shown = site.run("data", "backtests", name).stdout.splitlines()
    assert shown[1:] == printed
    assert name in site.run("data", "backtests").stdout
    assert f"/backtests/{name}" in anna.get("/backtests").text
    # the days of the figure's table are those of the document: a week's share up to the last day
    assert "2026-11-20 80.00% 0.00%" in words_in(page)
    assert "refresh" not in anna.get(f"/backtests/{name}?follow=1").text, "nothing is followed that has ended"


def test_a_form_that_asks_for_too_much_is_refused(site: Installation) -> None:
    anna = browser(site.settings)
    anna.log_in("anna")
    for changed, said in (
        ({"budgets": "1 2 3", "ageing": "1 2 3"}, "these are 9 variants; choose at most 8"),
        ({"first": "2025-01-01"}, "choose 1 to 400 days"),
        ({"first": str(LAST), "last": str(FIRST)}, "choose 1 to 400 days"),
        ({"last": "2099-01-01"}, "is in the future"),
        ({"prefixes": "24/32"}, "is not a prefix length"),
        ({"prefixes": "7"}, "lengths are 8 to 32"),
        ({"ageing": "0"}, "whole numbers from 1 to 3650"),
        ({"budgets": "0" * 30 + "9" * 40}, "whole numbers from 0"),
        ({"ageing": " ".join("123456789")}, "write at most 8 numbers"),
        ({"thresholds": "1e9"}, "whole numbers from 1"),
        ({"router": "r9"}, "there is no router"),
        ({"first": "soon"}, "is not a day"),
    ):
        answer = anna.send("/backtests", "/backtests", **(SPAN | changed))
        assert answer.status_code in (400, 404), changed
        assert said in words_in(answer.text)
    assert site.json("data", "backtests") == []


def test_one_runs_at_a_time(site: Installation) -> None:
    anna = browser(site.settings)
    anna.log_in("anna")
    token = anna.token("/backtests")
    with opened(site.settings) as context:
        head = begun(context, BacktestAsked(FIRST, LAST), "web:bert")
        advanced(context, head, 1)
        with (stored_backtests.backtest_folder(context) / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write(head.name)
            lock.flush()
            answer = anna.post("/backtests", {"csrf": token, **SPAN})
            assert answer.status_code == 400
            assert "a back-test is running" in words_in(answer.text)
            words = words_in(anna.get(f"/backtests/{head.name}").text)
            assert "running, 1 of 3 routers replayed" in words
            assert "One is running" in words_in(anna.get("/backtests").text)
            followed = anna.get(f"/backtests/{head.name}?follow=1")
            assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in followed.text
            assert f'data-events="/backtests/{head.name}/events"' in followed.text
            assert "script-src 'self'" in followed.headers["Content-Security-Policy"]
            assert "<form" not in followed.text.partition("<main")[2]
            unfollowed = anna.get(f"/backtests/{head.name}")
            assert "<script" not in unfollowed.text
            assert "script-src" not in unfollowed.headers["Content-Security-Policy"]
        assert running_name(context) is None
        assert [each.name for each in stored_heads(context)] == [head.name]
    assert "ended without results" in words_in(anna.get(f"/backtests/{head.name}").text)
    assert anna.get("/backtests/20261120T000000Z-0000").status_code == 404
    assert anna.get("/backtests/..%2f..%2fhntes").status_code == 404


def test_a_run_ends_with_its_server_and_says_why_it_failed(site: Installation) -> None:
    processes = BacktestProcesses()
    with opened(site.settings) as context:
        head = processes.start(context, site.settings, BacktestAsked(FIRST, LAST), "web:anna")
        assert running_name(context) == head.name
        begun_s = time.monotonic()
        processes.close()
        assert time.monotonic() - begun_s < WAIT_S
        assert running_name(context) is None
        (there,) = stored_heads(context)
        assert there.state == "running"
        asked = BacktestAsked(FIRST, LAST, threshold_bytes=(5,))
        lower = processes.start(context, site.settings, asked, "web:anna")
        (ended,) = processes._processes
        assert ended.wait(WAIT_S) == 0, "it is not aborted at its end"
        processes.start(context, site.settings, asked, "web:anna")
        assert ended.stdin is not None
        assert ended.stdin.closed, "its pipe is not left to the collector"
        processes.close()
        found = {each.name: each for each in stored_heads(context)}[lower.name]
    assert found.state == "failed"
    assert "flows above 5 are in the lake alone" in found.reason


@pytest.mark.parametrize(("name", "ended_by"), [("CPU_LIMIT_S", signal.SIGXCPU), ("LIMIT_S", signal.SIGALRM)])
def test_a_run_has_limits_of_time(name: str, ended_by: int) -> None:
    # its parent would be this test's shell: limits alone, without the run
    code = f"import hntes.workflow.reports.backtest_process as p; p.{name} = 1; p._limit()\nwhile True: pass"
    done = subprocess.run([sys.executable, "-c", code], timeout=WAIT_S, check=False)
    # the kernel sends SIGXCPU at the soft limit, and SIGKILL at the hard one, which is the same
    assert -done.returncode in {ended_by, *({signal.SIGKILL} if ended_by == signal.SIGXCPU else ())}


def test_a_run_of_the_command_line_is_kept_on_request(site: Installation) -> None:
    asked = ("backtest", "--from", str(FIRST), "--to", str(LAST), "--router", "r1", "--budget", "0")
    assert site.json(*asked)["kept"] is None
    assert site.json("data", "backtests") == []
    name = site.json(*asked, "--keep")["kept"]
    (head,) = site.json("data", "backtests")
    assert (head["name"], head["state"], head["done_routers"]) == (name, "done", 1)
    assert head["who"].startswith("os:")
    vera = browser(site.settings)
    vera.log_in("vera")
    words = words_in(vera.get(f"/backtests/{name}").text)
    assert f"{FIRST} to {LAST}, r1, budgets 0" in words
    # a budget of nothing queues nothing of 25 GB
    assert "25.000 GB 0.000 GB 0.00%" in words
    assert "Start a back-test" not in words_in(vera.get("/backtests").text)


def test_the_newest_are_kept(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_backtests, "MOST_STORED", 2)
    with opened(site.settings) as context:
        for number in range(3):
            monkeypatch.setattr("hntes.clock.now_ms", lambda number=number: 1_795_132_800_000 + 1000 * number)
            failed(context, begun(context, BacktestAsked(FIRST, LAST), "os:anna"), "out of memory")
        names = stored_names(context)
        assert [each[:16] for each in names] == ["20261120T000002Z", "20261120T000001Z"]
        (stored_backtests.backtest_folder(context) / f"{names[0]}.json").write_text("{")
        assert [each.name for each in stored_heads(context)] == names[1:]
    said = site.run("data", "backtests", names[0], expect=1).stderr
    assert "is no document of a back-test" in said
