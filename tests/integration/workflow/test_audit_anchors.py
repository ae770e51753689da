"""The head of the audit log is anchored outside of the database, by itself."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from hntes.sql import approved_texts, audit, changes
from hntes.sql.audit_chain import event_hash
from hntes.sql.session import Session, reading, transaction
from hntes.workflow import audit_checks
from hntes.workflow.audit_anchor import anchor_head
from hntes.workflow.audit_checks import verified_decisions
from hntes.workflow.candidates import known_candidate, text_entry
from hntes.workflow.change_lookup import find_change
from hntes.workflow.context import Context, opened
from tests.support.forged_events import rewrite_event
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    made = prepared_nights.site(tmp_path / "site", router="r1")
    (entry,) = made.json("change", "list")
    made.run("change", "approve", "--router", "r1", "--hash", entry["candidate_hash"], "--who", "anna")
    return made


def anchors(site: Installation) -> Path:
    return site.settings.parent / "var" / "audit-anchors.log"


def rewritten(site: Installation, who: str = "mallory") -> None:
    """What an administrator can do: another approver, all hashes anew, all manifests with them."""
    database = sqlite3.connect(site.database_url.removeprefix("sqlite:///"))
    for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        database.execute(f"DROP TRIGGER {name}")
    found = database.execute("SELECT * FROM audit_event ORDER BY number")
    columns = [column[0] for column in found.description]
    previous, changed = "0" * 64, {}
    for row in found.fetchall():
        event: dict[str, Any] = dict(zip(columns, row, strict=True))
        before = event["hash"]
        if event["kind"] in ("decide", "transition"):
            event |= {"who": who, "identity": f"os:{who}"}
        event["previous_hash"] = previous
        typed = event | ({"day": date.fromisoformat(event["day"])} if event["day"] else {})
        changed[before] = event["hash"] = previous = event_hash(typed)
        database.execute(
            "UPDATE audit_event SET who = ?, identity = ?, previous_hash = ?, hash = ? WHERE number = ?",
            (event["who"], event["identity"], event["previous_hash"], event["hash"], event["number"]),
        )
    database.execute("UPDATE change SET decided_by = ? WHERE decided_by IS NOT NULL", (who,))
    database.commit()
    for manifest in site.output.glob("*/approved/manifest.json"):
        content = manifest.read_text()
        digest = json.loads(content)["audit"]["hash"]
        manifest.write_text(content.replace(digest, changed[digest]))


def test_a_history_that_was_rewritten_with_its_manifests_is_found_without_a_word_from_the_operator(
    site: Installation,
) -> None:
    site.run("router", "deliver")
    rewritten(site)
    said = site.run("audit", "--verify", expect=1)
    assert "audit-anchors.log has another hash of it, so the log was rewritten or cut off" in said.stdout + said.stderr
    refused = site.run("router", "deliver", expect=3)
    assert "audit-anchors.log has another hash" in refused.stdout + refused.stderr


def forged(context: Context, number: int) -> None:
    """What an administrator can do to one event: it approves what waits, by a hash of its own, and so do the tables."""
    router = context.settings.router("r1")
    change = find_change(context, router, date.fromisoformat(NIGHT))
    assert change.state == "pending"
    rewrite_event(
        context, number, kind="decide", outcome="approved", router="r1", who="anna", note=None, detail="",
        judgement_id=None, content_hash=None, day=change.day, change_id=change.change_id,
        candidate_hash=change.candidate_hash,
    )  # fmt: skip
    approved = replace(change, state="approved", decided_by="anna", decision_note=None)
    with transaction(context.database) as session:
        changes.write(session, approved)
        changes.put_in_force(session, approved)
        approved_texts.keep(session, text_entry(known_candidate(context, router, change.candidate_hash)))


@pytest.mark.parametrize(
    ("is_anchored", "said"),
    [(False, "it does not continue the event before"), (True, "has another hash of it, so the log was rewritten")],
)
def test_an_approval_that_was_forged_before_the_newest_anchor_is_not_delivered(
    tmp_path: Path, prepared_nights: PreparedNights, is_anchored: bool, said: str
) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    pinned = len(site.json("audit")) + 1
    with opened(site.settings) as context:
        for number in range(4):
            site.pin(f"192.0.2.{4 * number}/30>203.0.113.0/24", "2026-12-01")
            if number in (0 if is_anchored else 1, 2, 3):
                anchor_head(context)
        forged(context, pinned)
    refused = site.run("router", "deliver", expect=3)
    assert f"event {pinned if is_anchored else pinned + 1} of the audit log: " in refused.stdout + refused.stderr
    assert said in refused.stdout + refused.stderr
    assert list((site.output / "r1" / "approved").glob("*.conf")) == []


def test_without_the_anchors_nothing_but_a_kept_hash_finds_it(site: Installation) -> None:
    site.run("router", "deliver")
    anchors(site).unlink()
    rewritten(site)
    site.run("audit", "--verify")


def test_a_night_anchors_the_head_and_repeats_nothing(site: Installation) -> None:
    anchors(site).unlink(missing_ok=True)
    site.run("nightly", "--day", NIGHT, "--router", "r1")
    (line,) = anchors(site).read_text().splitlines()
    number, digest, _ = line.split()
    newest = site.json("audit")[-1]
    assert (int(number), digest) == (newest["number"], newest["hash"])
    site.run("nightly", "--day", NIGHT, "--router", "r1")
    assert anchors(site).read_text().splitlines() == [line]


def test_a_night_that_cannot_anchor_says_so_and_is_kept(site: Installation) -> None:
    anchors(site).unlink(missing_ok=True)
    anchors(site).mkdir(parents=True)
    said = site.run("nightly", "--day", NIGHT, "--router", "r1")
    assert "the head of the audit log was not anchored" in said.stderr
    assert "audit-anchors.log" in said.stderr


def test_metrics_export_the_head(site: Installation) -> None:
    newest = site.json("audit")[-1]
    told = site.run("metrics").stdout
    (found,) = re.findall(r'^hntes_audit_event_number\{hash="([0-9a-f]{64})"\} ([0-9.e+]+)$', told, re.MULTILINE)
    assert (found[0], float(found[1])) == (newest["hash"], newest["number"])


def test_a_line_that_a_kill_cut_off_is_none(site: Installation) -> None:
    site.run("router", "deliver")
    whole = anchors(site).read_text()
    anchors(site).write_text(whole + "17 abc")
    site.run("audit", "--verify")
    site.pin("192.0.2.0/24>203.0.113.0/24", NIGHT)
    site.run("nightly", "--day", NIGHT, "--router", "r1")
    lines = anchors(site).read_text().splitlines()
    assert lines[:-1] == whole.splitlines()
    assert re.fullmatch(r"\d+ [0-9a-f]{64} \S+", lines[-1])


def test_a_line_that_is_no_anchor_is_named(site: Installation) -> None:
    site.run("router", "deliver")
    anchors(site).write_text("nothing\n" + anchors(site).read_text())
    said = site.run("audit", "--verify", expect=1)
    assert "audit-anchors.log:1: is not NUMBER HASH TIME" in said.stdout + said.stderr


def test_a_delivery_reads_what_follows_the_newest_anchor_and_the_events_of_the_change_until_theirs(
    site: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hntes.sql import audit_chain
    from hntes.workflow import audit_checks

    site.run("router", "deliver")
    # from the first event about the change up to the anchor of its delivery
    first = next(each["number"] for each in site.json("audit") if each["change_id"])
    of_change = int(anchors(site).read_text().split()[0]) - first
    hashed: list[int] = []
    real = audit_chain.first_break

    def counting(events: Any, after: Any = None) -> Any:
        listed = list(events)
        hashed.append(len(listed))
        return real(listed, after)

    monkeypatch.setattr(audit_checks, "first_break", counting)
    for number in range(30):
        site.pin(f"192.0.2.{4 * number}/30>203.0.113.0/24", "2026-12-01")
    site.run("router", "deliver")
    assert sum(hashed) == 30 + of_change
    hashed.clear()
    site.run("router", "deliver")
    assert sum(hashed) == of_change


def test_an_anchor_that_is_newer_than_what_a_session_sees_is_no_lost_event(site: Installation) -> None:
    site.run("router", "deliver")
    by = ("--owner", "anna", "--reason", "lab", "--until", "2030-01-01")
    with opened(site.settings) as context:
        approved = find_change(context, context.settings.router("r1"), date.fromisoformat(NIGHT))
        with reading(context.database) as session:
            before = audit.head(session)
            site.run("override", "exclude", "add", "192.0.2.0/24", *by)
            anchor_head(context)
            assert verified_decisions(session, [approved], anchors(site))
            assert audit.head(session) == before
        with reading(context.database) as session:
            assert audit.head(session) != before


def test_what_is_written_while_the_log_is_verified_is_no_problem(
    site: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def disturbed(database: Engine) -> Iterator[Session]:
        with reading(database) as session:
            yield session
        site.run("router", "deliver")

    monkeypatch.setattr(audit_checks, "reading", disturbed)
    with opened(site.settings) as context:
        found = audit_checks.verify_audit(context)
        assert found.problem is None
        assert found.events < audit_checks.verify_audit(context).events
