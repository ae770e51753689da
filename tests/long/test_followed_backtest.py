"""A back-test is followed in a real browser to its results: by events, and by reloads where scripts are off."""

import fcntl
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium.webdriver.support.wait import WebDriverWait

from hntes.workflow.context import Context, opened
from hntes.workflow.reports import stored_backtests
from hntes.workflow.reports.backtest_request import BacktestAsked
from hntes.workflow.reports.stored_backtests import RunHead, advanced, begun, finished, stored_run
from tests.support.chromium import CHROMIUM, DRIVER, LOAD_S, Page, chromium_at
from tests.support.stored_flows import DAYS, FIRST, steady, stored

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(600),
    pytest.mark.skipif(None in (DRIVER, CHROMIUM), reason="no Chromium: scripts/install_system_packages browser"),
]


@dataclass
class Run:
    """A run that this test moves on instead of a process."""

    page: Page
    context: Context
    head: RunHead
    made: str

    def finish(self) -> None:
        """Stores the results of one that was made before."""
        results = stored_run(self.context, self.made).results
        assert results is not None
        finished(self.context, self.head, results)

    def comes_to_say(self, words: str) -> None:
        WebDriverWait(self.page.chrome, LOAD_S, ignored_exceptions=[Exception]).until(lambda _: words in self.page.text)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    site = stored(tmp_path / "site", [*steady("r1", 5), *steady("r2", 3)])
    made = site.json("backtest", "--from", str(FIRST), "--to", str(DAYS[-1]), "--keep")["kept"]
    with ExitStack() as held:
        page = held.enter_context(chromium_at(site, {"anna": "operator"}))
        context = held.enter_context(opened(site.settings))
        head = begun(context, BacktestAsked(FIRST, DAYS[-1]), "web:bert")
        lock = held.enter_context((stored_backtests.backtest_folder(context) / "lock").open("w"))
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(head.name)
        lock.flush()
        page.log_in()
        yield Run(page, context, head, made)


def test_the_page_changes_without_a_reload_and_ends_with_the_results(run: Run) -> None:
    page = run.page
    page.open(f"/backtests/{run.head.name}")
    assert page.find_all("script") == []
    page.follow("Follow the progress")
    run.comes_to_say("This page follows the progress.")
    page.chrome.execute_script("window.isBefore = true")
    assert "running, 0 of 3 routers replayed" in page.text
    advanced(run.context, run.head, 2)
    run.comes_to_say("running, 2 of 3 routers replayed")
    run.finish()
    run.comes_to_say("It has ended; this page does not change any more.")
    assert "80.00%" in page.text
    assert len(page.find_all("figure svg")) == 2
    assert page.chrome.execute_script("return window.isBefore"), "the same document"
    assert page.chrome.execute_script("return events.readyState") == 2, "it is not asked for again"
    told = page.chrome.get_log("browser")  # type: ignore[no-untyped-call]
    assert told == [], "nothing was refused by the policy"


def test_without_scripts_the_page_is_loaded_again_until_the_end(run: Run) -> None:
    page = run.page
    page.chrome.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    page.open(f"/backtests/{run.head.name}?follow=1")
    assert "This page asks again every 5 seconds." in page.text
    run.finish()
    run.comes_to_say("80.00%")
    assert "This page asks again" not in page.text
