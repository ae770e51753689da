"""A back-test's progress by server-sent events: each step, the results at its end, and no stream for what is none."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from hntes.web.live import topic
from hntes.web.live.topic import MOST_PER_PERSON
from hntes.workflow.context import Context, opened
from hntes.workflow.reports import backtest_process, stored_backtests
from hntes.workflow.reports.backtest_request import BacktestAsked
from hntes.workflow.reports.stored_backtests import RunHead, advanced, begun, finished
from tests.support.followed_page import Running, followed, running_page, status
from tests.support.installation import Installation
from tests.support.review_page import browser
from tests.support.stored_flows import DAYS, FIRST, steady, stored
from tests.support.waiting import wait_until

LAST = DAYS[-1]


@pytest.fixture
def installed(tmp_path: Path) -> Installation:
    return stored(tmp_path / "site", [*steady("r1", 5), *steady("r2", 3)])


@pytest.fixture
def page(installed: Installation, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setattr(topic, "POLL_S", 0.05)
    with running_page(installed) as running:
        yield running


@pytest.fixture
def context(installed: Installation) -> Iterator[Context]:
    with opened(installed.settings) as context:
        yield context


@contextmanager
def alive(context: Context) -> Iterator[RunHead]:
    """A run whose process lives: it holds the lock."""
    head = begun(context, BacktestAsked(FIRST, LAST), "web:bert")
    with (stored_backtests.backtest_folder(context) / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(head.name)
        lock.flush()
        yield head


def address(name: str) -> str:
    return f"/backtests/{name}/events"


def test_each_step_is_told_and_then_the_results(installed: Installation, page: Running, context: Context) -> None:
    name = installed.json("backtest", "--from", str(FIRST), "--to", str(LAST), "--keep")["kept"]
    results = stored_backtests.stored_run(context, name).results
    assert results is not None
    with alive(context) as head, followed(page, page.session(), address(head.name)) as events:
        assert "running, 0 of 3 routers replayed" in events.event("part")
        advanced(context, head, 2)
        told = events.event("part")
        assert "running, 2 of 3 routers replayed" in told
        assert "<table" not in told
        finished(context, head, results)
        told = events.event("part")
        assert ("done " in told, "80.00%" in told, "<script" in told) == (True, True, False)
        events.event("end")
        assert events.ends()
        wait_until(lambda: page.site.live.streams == 0, "the place is free")
    # the part is that of the page which is loaded now
    vera = browser(installed.settings)
    vera.log_in("vera")
    assert told in vera.get(f"/backtests/{head.name}").text


def test_a_process_that_dies_ends_the_stream(page: Running, context: Context) -> None:
    with ExitStack() as running:
        head = running.enter_context(alive(context))
        with followed(page, page.session(), address(head.name)) as events:
            events.event("part")
            running.close()
            assert "ended without results" in events.event("part")
            events.event("end")
            assert events.ends()
    # whoever asks only now is told the same, and not kept
    with followed(page, page.session(), address(head.name)) as events:
        assert "ended without results" in events.event("part")
        events.event("end")
        assert events.ends()


def test_what_has_ended_is_not_read_again(page: Running, context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    readings: list[str] = []
    read = backtest_process.present_run

    def counted(of: Context, name: str) -> stored_backtests.StoredRun:
        readings.append(name)
        return read(of, name)

    monkeypatch.setattr("hntes.web.backtests.present_run", counted)
    head = begun(context, BacktestAsked(FIRST, LAST), "web:bert")
    with followed(page, page.session(), address(head.name)) as events:
        events.event("part")
        events.event("end")
    time.sleep(0.5)
    assert readings == [head.name]


def test_what_is_no_back_test_has_no_events(page: Running) -> None:
    secret = page.session()
    for name in ("20261120T000000Z-0000", "none", "..%2F..%2Fhntes"):
        assert status(page, secret, address(name)) == 404
    assert page.site.live.topics == 0
    assert status(page, "", address("none")) == 303, "who is not logged in is told nothing of it"


def test_topics_are_forgotten_when_nobody_follows_them(page: Running, context: Context) -> None:
    """Else each run that somebody has followed would stay in memory with its results."""
    for _ in range(5):
        head = begun(context, BacktestAsked(FIRST, LAST), "web:bert")
        with followed(page, page.session(), address(head.name)) as events:
            events.event("part")
            events.event("end")
        wait_until(lambda: page.site.live.streams == 0, "the place is free")
    assert page.site.live.topics == 1


def test_streams_of_all_pages_count_together(page: Running, context: Context) -> None:
    with alive(context) as head, ExitStack() as streams:
        for number in range(MOST_PER_PERSON):
            of = address(head.name) if number % 2 else "/deliveries/events"
            streams.enter_context(followed(page, page.session("olga"), of))
        assert status(page, page.session("olga"), address(head.name)) == 503
        assert page.site.live.topics == 2
