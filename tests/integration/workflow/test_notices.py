"""Notices to operators, sent by Apprise to a real receiver on loopback."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hntes import clock
from hntes.sql import audit, changes, day_status, proposals
from hntes.sql.audit import NewEvent
from hntes.sql.change import Change
from hntes.sql.engine import open_database
from hntes.sql.entries import DayEntry
from hntes.sql.session import transaction
from tests.support.entries import change_set
from tests.support.installation import Installation, demo_installation

# Apprise imports it for e-mail.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
HOUR_MS = 3_600_000
TOKEN = "s3cret-token"


@dataclass
class Receiver:
    """What was received, and the status that is answered with."""

    port: int = 0
    messages: list[dict[str, str]] = field(default_factory=list)
    status: int = 200

    @property
    def url(self) -> str:
        return f"json://operator:{TOKEN}@127.0.0.1:{self.port}/notices"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    received = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.messages.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(received.status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    received.port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield received
    server.shutdown()
    server.server_close()


@pytest.fixture
def site(tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HNTES_NOTICE_URLS", receiver.url)
    text = '[notices]\nmin_interval_s = 0\n\n[web]\norigin = "https://hntes.example.net"\n\n[plans.recommended]'
    return demo_installation(tmp_path, **{"[plans.recommended]": text})


def put(site: Installation, change: Change, outcome: str = "passed") -> None:
    engine = open_database(site.database_url)
    with transaction(engine) as session:
        proposals.put(session, change)
        event = NewEvent(
            "judge", change.router, change.day, change.candidate_hash, change_id=change.change_id, outcome=outcome
        )
        audit.append(session, event)
    engine.dispose()


def happened(site: Installation, *events: NewEvent) -> None:
    engine = open_database(site.database_url)
    with transaction(engine) as session:
        for event in events:
            audit.append(session, event)
    engine.dispose()


def waiting(router: str = "r1", hours: float = 72) -> Change:
    return replace(
        change_set(candidate_hash="c" * 64, expires_ms=clock.now_ms() + round(hours * HOUR_MS)), router=router
    )


def test_a_change_that_waits_is_told_once_with_its_page(site: Installation, receiver: Receiver) -> None:
    put(site, waiting())
    assert site.run("change", "notify").stdout == "sent: HNTES: 1 change waits\n"
    (message,) = receiver.messages
    day = waiting().day
    said = f"r1: a change of {day} waits for a decision: first configuration, 3 pairs added"
    assert message["title"] == "HNTES: 1 change waits"
    assert message["message"].startswith(said)
    assert message["message"].endswith(f" UTC https://hntes.example.net/change/r1/{day}")
    assert site.run("change", "notify").stderr == "nothing to tell\n"
    assert len(receiver.messages) == 1


def test_troubles_come_first(site: Installation, receiver: Receiver) -> None:
    put(site, waiting())
    put(site, waiting("r2"), "not_passed")
    happened(
        site, NewEvent("push", "r3", outcome="trial starts"), NewEvent("drift", "r2", outcome="changed"),
        NewEvent("push", "r3", outcome="rolled back: the router holds the text before"),
        NewEvent("drift", "r1", outcome="equal"),
    )  # fmt: skip
    site.run("change", "notify")
    lines = receiver.messages[0]["message"].splitlines()
    assert [line.split(":")[0] for line in lines] == ["r3", "r2", "r2", "r1"]
    assert "a delivery failed: rolled back: the router holds the text before" in lines[0]
    assert "its configuration is not the one that was delivered" in lines[1]
    assert "the gate did not pass the change" in lines[2]
    assert receiver.messages[0]["title"] == "HNTES: 1 change waits, 3 troubles"


def test_a_change_that_was_decided_meanwhile_is_not_told(site: Installation, receiver: Receiver) -> None:
    put(site, waiting())
    engine = open_database(site.database_url)
    with transaction(engine) as session:
        changes.write(session, replace(waiting(), state="rejected"))
    engine.dispose()
    assert site.run("change", "notify").stderr == "nothing to tell\n"
    assert receiver.messages == []


def test_what_a_service_did_not_take_is_told_again_and_no_secret_is_printed(
    site: Installation, receiver: Receiver, tmp_path: Path
) -> None:
    put(site, waiting())
    receiver.status = 500
    refused = site.run("change", "notify", expect=1)
    assert "1 notice not sent: a service did not take the message" in refused.stderr
    receiver.status = 200
    site.run("change", "notify")
    assert len(receiver.messages) == 2
    kept = (tmp_path / "hntes.db").read_bytes()
    assert TOKEN not in refused.output
    assert TOKEN.encode() not in kept


def test_a_service_that_is_not_there_is_told_without_its_secret(
    site: Installation, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(site, waiting())
    monkeypatch.setenv("HNTES_NOTICE_URLS", f"json://u:{TOKEN}@127.0.0.1:9/")
    assert TOKEN not in site.run("change", "notify", expect=1).output
    monkeypatch.setenv("HNTES_NOTICE_URLS", f"nonsense://u:{TOKEN}@127.0.0.1/")
    refused = site.run("change", "notify", expect=1)
    assert "address 1 (nonsense://...) is of no service that Apprise knows" in refused.stderr
    assert TOKEN not in refused.output
    monkeypatch.delenv("HNTES_NOTICE_URLS")
    assert "nobody to tell" in site.run("change", "notify", expect=1).stderr
    assert receiver.messages == []


def test_addresses_may_be_in_a_file(
    site: Installation, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HNTES_NOTICE_URLS")
    (tmp_path / "urls").write_text(f"{receiver.url}\n")
    monkeypatch.setenv("HNTES_NOTICE_URLS_FILE", str(tmp_path / "urls"))
    put(site, waiting())
    site.run("change", "notify")
    assert len(receiver.messages) == 1


def test_a_dry_run_sends_nothing(site: Installation, receiver: Receiver) -> None:
    put(site, waiting())
    assert "r1: a change of" in site.run("change", "notify", "--dry-run").stdout
    assert site.json("change", "notify", "--dry-run")["outcome"] == "shown"
    assert receiver.messages == []


def test_messages_keep_a_distance(tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HNTES_NOTICE_URLS", receiver.url)
    site = demo_installation(tmp_path)
    put(site, waiting())
    site.run("change", "notify")
    put(site, waiting("r2"))
    assert "1 notice wait" in site.run("change", "notify").stderr
    now_ms = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now_ms + 301_000)
    site.run("change", "notify")
    assert [message["message"][:2] for message in receiver.messages] == ["r1", "r2"]


def test_an_expiry_that_comes_near_is_told_once(
    site: Installation, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(site, waiting(hours=20))
    site.run("change", "notify")
    now_ms = clock.now_ms()
    for hours, told in ((7.9, 1), (8.1, 2), (9, 2), (19, 2)):
        monkeypatch.setattr(clock, "now_ms", lambda hours=hours: now_ms + round(hours * HOUR_MS))
        site.run("change", "notify")
        assert len([each for each in receiver.messages if "expire" in each["message"]]) == told
    assert "expires" in receiver.messages[-1]["message"]
    assert receiver.messages[-1]["message"].split(" https")[0].endswith("undecided")


def test_a_night_that_was_not_run_is_told_once_a_day(
    site: Installation, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    midnight_ms = clock.now_ms() // 86_400_000 * 86_400_000
    long_ago = DayEntry("r1", clock.today() - timedelta(days=400), 86400, 0, 0, 0, 0, False, "")
    engine = open_database(site.database_url)
    with transaction(engine) as session:
        day_status.replace_day_status(session, long_ago)
    engine.dispose()
    for hours, told in ((5.9, 0), (6.1, 1), (12, 1), (29.9, 1), (30.1, 2)):
        monkeypatch.setattr(clock, "now_ms", lambda hours=hours: midnight_ms + round(hours * HOUR_MS))
        site.run("change", "notify")
        nights = [each for each in receiver.messages if "no night of" in each["message"]]
        assert len(nights) == told
    assert nights[0]["message"].startswith("r1: no night of ")


def test_a_flood_is_one_short_message(tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HNTES_NOTICE_URLS", receiver.url)
    site = demo_installation(tmp_path, **{"[plans.recommended]": "[notices]\nmax_lines = 3\n\n[plans.recommended]"})
    happened(site, *(NewEvent("undelivered", f"r{number}", detail="x" * 3000) for number in range(50)))
    site.run("change", "notify")
    lines = receiver.messages[0]["message"].splitlines()
    assert len(lines) == 4
    assert lines[-1].startswith("and 47 more")
    assert max(map(len, lines)) <= 400
