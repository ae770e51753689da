"""Progress by server-sent events, by bytes on connections to the running server: what is sent, its limits, its ends."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hntes.settings.web import Web
from hntes.web import deliveries
from hntes.web.errors import WebError
from hntes.web.live import stream, topic
from hntes.web.live.topic import MOST_PER_PERSON
from hntes.web.site import Site
from hntes.workflow.reports import deliveries as reports
from tests.support.followed_page import Running, followed, running_page, status
from tests.support.installation import installation_in
from tests.support.waiting import wait_until


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setattr(topic, "POLL_S", 0.05)
    with running_page(installation_in(tmp_path / "site")) as page:
        yield page


def test_a_change_is_told(running: Running) -> None:
    with followed(running, running.session()) as events:
        assert "none is set: at any time" in events.event("part")
        running.set_windows("03:00")
        assert "Window" in (told := events.event("part"))
        assert "none is set" not in told
        assert "<script" not in told


def test_several_share_the_readings(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    readings: list[float] = []
    read = reports.deliveries

    def counted(*given: Any, **named: Any) -> Any:
        readings.append(time.monotonic())
        return read(*given, **named)

    monkeypatch.setattr(deliveries, "deliveries", counted)
    monkeypatch.setattr(topic, "POLL_S", 0.3)
    with ExitStack() as all_of_them:
        for number in range(8):
            all_of_them.enter_context(followed(running, running.session(f"name{number}"))).event("part")
        time.sleep(1.0)
        gaps = [after - before for before, after in pairwise(readings)]
        assert len(readings) >= 2
        assert min(gaps) >= 0.3
    wait_until(lambda: running.site.live.streams == 0, "those who have gone are noticed")
    time.sleep(0.7)
    before = len(readings)
    time.sleep(0.7)
    assert len(readings) == before, "nobody looks, nothing is read"


def test_whoever_goes_leaves_no_place_and_no_connection(running: Running) -> None:
    for _ in range(3 * MOST_PER_PERSON):
        with followed(running, running.session()) as events:
            events.event("part")
        wait_until(lambda: running.site.live.streams == 0, "the place is free")
    engine = running.site.databases.of(_settings(running).database)
    wait_until(lambda: engine.pool.checkedout() == 0, "no connection is in use")  # type: ignore[attr-defined]


def _settings(page: Running) -> Any:
    from hntes.workflow.context import settings_of

    return settings_of(page.installed.settings)


def test_streams_are_few_for_a_person_and_in_all(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as streams:
        for _ in range(MOST_PER_PERSON):
            streams.enter_context(followed(running, running.session("olga")))
        assert status(running, running.session("olga")) == 503
        monkeypatch.setattr(topic, "MOST_STREAMS", MOST_PER_PERSON + 1)
        streams.enter_context(followed(running, running.session("vito")))
        assert status(running, running.session("nora")) == 503
        assert running.site.live.streams == MOST_PER_PERSON + 1


def test_without_changes_there_are_heartbeats(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "HEARTBEAT_S", 0.1)
    with followed(running, running.session()) as events:
        events.event("part")
        assert [events.block() for _ in range(3)] == [{"": ""}] * 3


def _ended(page: Running, secret: str) -> None:
    page.site.sessions.end(secret)


def _grown_old(page: Running, _secret: str) -> None:
    page.site.sessions._idle_s = 0.0


@pytest.mark.parametrize("end", [_ended, _grown_old])
def test_a_stream_ends_with_its_session(
    running: Running, monkeypatch: pytest.MonkeyPatch, end: Callable[[Running, str], None]
) -> None:
    monkeypatch.setattr(stream, "HEARTBEAT_S", 0.1)
    secret = running.session()
    with followed(running, secret) as events:
        events.event("part")
        end(running, secret)
        assert events.ends()


def test_a_stream_lasts_a_while_and_may_be_asked_for_again(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "HEARTBEAT_S", 0.1)
    monkeypatch.setattr(stream, "LASTS_S", 0.3)
    secret = running.session()
    for _ in range(2):
        with followed(running, secret) as events:
            events.event("part")
            assert events.ends()


def test_a_stop_of_the_page_ends_the_streams(running: Running) -> None:
    with followed(running, running.session()) as events:
        events.event("part")
        began_s = time.monotonic()
        running.stop()
        assert events.ends()
        assert not running.thread.is_alive()
        assert time.monotonic() - began_s < running.server.config.timeout_graceful_shutdown  # type: ignore[operator]


def test_what_cannot_be_read_is_said_and_tried_again(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    with followed(running, running.session()) as events:
        events.event("part")
        with monkeypatch.context() as broken:
            broken.setattr(deliveries, "deliveries", _broken)
            events.event("stale")
        assert "Window" in events.event("part")


def _broken(*_: object, **__: object) -> None:
    raise WebError("not now")


def test_who_only_follows_does_not_use_the_session() -> None:
    sessions = Site(None, Web()).sessions
    secret = sessions.begin_oidc("olga", "viewer", 0.0)
    assert sessions.found(secret, 3000.0, is_use=False) is not None
    assert sessions.found(secret, 3601.0, is_use=False) is None
