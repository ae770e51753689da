"""Webhooks on loopback: owners are told their rates once all routers have them, signed, once each."""

import contextlib
import hashlib
import hmac
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from unittest.mock import patch

import pytest

from hntes.workflow.reports.audit_queries import audit_listing
from hntes.workflow.reservations.webhook import Reply, _Asking, posted
from hntes.workflow.reservations.webhook_notifications import (
    SECRET_FILE_VARIABLE,
    SECRET_VARIABLE,
    notices,
    send_notices,
)
from tests.support.devices.farm import Farm
from tests.support.running_schedule import Edge, running_schedule
from tests.support.scheduled_site import FIRST, SECOND, grant, propose, reserve
from tests.support.webhook import Hook, receiving

HOUR, LEAD_S, GBIT = 3600, 120, 10**9
SECRET = "a secret of tests, not of people"


@pytest.fixture
def hook() -> Iterator[Hook]:
    with receiving() as server:
        yield server


@pytest.fixture
def edge(tmp_path: Path, farm: Farm, hook: Hook, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edge]:
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    section = f'[[reservations.webhooks]]\nowner = "anna"\nurl = "http://127.0.0.1:{hook.server_port}/rates?a=1"\n'
    with running_schedule(tmp_path, farm, monkeypatch, section=section) as made:
        grant(made.context, 3)
        yield made


def test_a_transfer_is_told_its_rate_when_it_has_it_and_when_it_is_shared_anew(edge: Edge, hook: Hook) -> None:
    """Worked by hand: 3.3 Gb/s may be promised; the foreground of another owner takes 2 of them."""
    grant(edge.context, 4)
    background = {"kind": "background", "floor_bps": GBIT, "pair": SECOND, "external_id": "copy-7"}
    reserve(edge.context, edge.now_s, edge.now_s + 4 * HOUR, 3 * GBIT, **background)
    reserve(edge.context, edge.now_s + HOUR, edge.now_s + 2 * HOUR, 2 * GBIT, owner="bert")
    edge.prepare()
    assert edge.round().failed_notices == ()
    edge.at(HOUR - LEAD_S - 1)
    edge.round()
    edge.at(HOUR - LEAD_S)
    edge.round()
    edge.at(2 * HOUR)
    edge.round()
    told = [(each["reservation"], each["external_id"], each["state"], each["rate_bps"]) for each in hook.told()]
    assert told == [(1, "copy-7", "on", 3 * GBIT), (1, "copy-7", "on", 1_300_000_000), (1, "copy-7", "on", 3 * GBIT)]


def test_what_is_told_is_signed_and_the_secret_is_nowhere(
    edge: Edge, hook: Hook, capfd: pytest.CaptureFixture[str]
) -> None:
    reserve(edge.context, edge.now_s, edge.now_s + HOUR)
    edge.prepare()
    edge.round()
    ((headers, body),) = hook.got
    signed = headers["HNTES-Timestamp"].encode() + b"." + body
    wanted = hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
    assert headers["HNTES-Signature"] == f"sha256={wanted}"
    everything = "".join(capfd.readouterr()) + str(audit_listing(edge.context, None, (), None, None))
    files = (path for path in edge.site.output.rglob("*") if path.is_file())
    assert SECRET not in everything
    assert all(SECRET.encode() not in path.read_bytes() for path in files)


def test_a_late_transfer_is_told_before_it_starts(edge: Edge, hook: Hook) -> None:
    number = reserve(edge.context, edge.now_s + HOUR, edge.now_s + 2 * HOUR)
    propose(edge.context)
    edge.at(HOUR - LEAD_S)
    edge.round()
    edge.round()
    ((_, body),) = hook.got
    told = json.loads(body)
    assert (told["reservation"], told["state"]) == (number, "late")
    assert told["reason"].endswith("waits for approval")
    edge.prepare()
    edge.round()
    assert [each["state"] for each in hook.told()] == ["late", "on"]


@pytest.mark.parametrize("status", [302, 404, 500])
def test_what_was_not_taken_is_said_and_sent_again(edge: Edge, hook: Hook, status: int) -> None:
    reserve(edge.context, edge.now_s, edge.now_s + HOUR)
    edge.prepare()
    hook.status = status
    assert edge.round().failed_notices == (f"webhook of anna at 127.0.0.1: answered {status}",)
    hook.status = 200
    assert edge.round().failed_notices == ()
    assert edge.round().failed_notices == ()
    assert len(hook.got) == 2
    assert [each.detail for each in audit_listing(edge.context, None, ("notify",), None, None)] == [
        "reservation 1: on, 1 Gb/s"
    ]


def test_without_a_secret_nothing_is_sent_and_deliveries_go_on(
    edge: Edge, hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SECRET_VARIABLE)
    reserve(edge.context, edge.now_s, edge.now_s + HOUR)
    edge.prepare()
    done = edge.round()
    assert [each.outcome for each in done.routers] == ["done"]
    assert done.failed_notices[0].startswith("webhooks are configured without a signing secret")
    file = tmp_path / "secret"
    file.write_text(SECRET + "\n", encoding="utf-8")
    monkeypatch.setenv(SECRET_FILE_VARIABLE, str(file))
    assert send_notices(edge.context) == ()
    assert len(hook.got) == 1
    assert [each.state for each in notices(edge.context)] == ["on"]


def test_a_receiver_that_never_ends_its_answer_costs_one_time_limit_in_a_round(
    tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sends a byte now and then, so that no single wait is too long, and for ever, so that it ends by the limit for
    all of them; and its owner has several transfers."""
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    with dripping() as port:
        section = (
            f'webhook_timeout_s = 1\n[[reservations.webhooks]]\nowner = "anna"\nurl = "http://127.0.0.1:{port}/"\n'
        )
        with running_schedule(tmp_path, farm, monkeypatch, section=section) as made:
            grant(made.context, 3)
            for pair in (FIRST, SECOND):
                reserve(made.context, made.now_s, made.now_s + HOUR, pair=pair)
            made.prepare()
            assert made.deliver().outcome == "done"
            with patch("hntes.workflow.reservations.webhook_notifications.posted", wraps=posted) as asking:
                unsent = [each.problem for each in send_notices(made.context)]
    assert asking.call_count == 1
    assert unsent == [
        "webhook of anna at 127.0.0.1: no answer within 1 s",
        "webhook of anna at 127.0.0.1: skipped for the rest of this round",
    ]


def test_silence_is_told_alike_whichever_wait_is_over_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Asking, "join", lambda asking, _: Thread.join(asking))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        reply = posted(f"http://127.0.0.1:{silent.getsockname()[1]}/", b"{}", {}, 1)
    assert reply == Reply("none", "no answer within 1 s")


def test_a_notice_that_is_refused_does_not_hold_up_the_next(edge: Edge, hook: Hook) -> None:
    for pair in (FIRST, SECOND):
        reserve(edge.context, edge.now_s, edge.now_s + HOUR, pair=pair)
    edge.prepare()
    hook.status = 400
    assert edge.round().failed_notices == ("webhook of anna at 127.0.0.1: answered 400",) * 2
    assert [each["reservation"] for each in hook.told()] == [1, 2]


def test_an_answer_that_is_no_http_is_none(tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    with dripping(b"SSH-2.0-OpenSSH_9.2\r\n") as port:
        section = f'[[reservations.webhooks]]\nowner = "anna"\nurl = "http://127.0.0.1:{port}/?key=hush"\n'
        with running_schedule(tmp_path, farm, monkeypatch, section=section) as made:
            grant(made.context, 3)
            reserve(made.context, made.now_s, made.now_s + HOUR)
            made.prepare()
            made.deliver()
            (unsent,) = send_notices(made.context)
    assert unsent.problem == "webhook of anna at 127.0.0.1: BadStatusLine"
    assert "hush" not in str(unsent.problem)


@contextmanager
def dripping(text: bytes = b"") -> Iterator[int]:
    """A server that answers with this, then with a letter each quarter of a second, and never ends; its port."""
    ends = Event()

    def serve(listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            connection, _ = listening.accept()
            with connection:
                connection.sendall(text)
                while not ends.wait(0.25):
                    connection.sendall(b"H")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=serve, args=(listening,))
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            ends.set()
            listening.close()
            thread.join(10)
