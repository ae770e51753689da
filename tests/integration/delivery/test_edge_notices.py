"""Webhooks on loopback: owners are told their rates once all routers have them, signed, once each."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.notices import SECRET_FILE_VARIABLE, SECRET_VARIABLE, notices, send_notices
from pipeline.record import audit_listing
from tests.support.devices.farm import Farm
from tests.support.edge_site import SECOND, grant, propose, reserve
from tests.support.running_edge import Edge, running_edge
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
    with running_edge(tmp_path, farm, monkeypatch, section=section) as made:
        grant(made.context, 3)
        yield made


def test_a_transfer_is_told_its_rate_when_it_has_it_and_when_it_is_shared_anew(edge: Edge, hook: Hook) -> None:
    """Worked by hand: 3.3 Gb/s may be promised; the foreground of another owner takes 2 of them."""
    background = {"kind": "background", "floor_bps": GBIT, "pair": SECOND, "external_id": "copy-7"}
    reserve(edge.context, edge.now_s, edge.now_s + 4 * HOUR, 3 * GBIT, **background)
    reserve(edge.context, edge.now_s + HOUR, edge.now_s + 2 * HOUR, 2 * GBIT, owner="bert")
    edge.prepare()
    assert edge.round().untold == ()
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
    assert edge.round().untold == (f"webhook of anna at 127.0.0.1: answered {status}",)
    hook.status = 200
    assert edge.round().untold == ()
    assert edge.round().untold == ()
    assert len(hook.got) == 2
    assert [each.detail for each in audit_listing(edge.context, None, ("notify",), None, None)] == [
        f"reservation 1: on, {GBIT} bit/s"
    ]


def test_without_a_secret_nothing_is_sent_and_deliveries_go_on(
    edge: Edge, hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SECRET_VARIABLE)
    reserve(edge.context, edge.now_s, edge.now_s + HOUR)
    edge.prepare()
    done = edge.round()
    assert [each.outcome for each in done.routers] == ["done"]
    assert done.untold[0].startswith("webhooks are set and nothing to sign with")
    file = tmp_path / "secret"
    file.write_text(SECRET + "\n", encoding="utf-8")
    monkeypatch.setenv(SECRET_FILE_VARIABLE, str(file))
    assert send_notices(edge.context) == ()
    assert len(hook.got) == 1
    assert [each.state for each in notices(edge.context)] == ["on"]
