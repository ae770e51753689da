"""The approver of a delivery comes from the audit log; approvals survive the loss of their files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from hntes.cli.commands.audit import KINDS
from hntes.sql import audit
from hntes.sql.engine import open_database
from hntes.sql.entries import AuditKind
from hntes.workflow.context import opened
from hntes.workflow.reports import audit_queries
from tests.support.audit_log import unguarded
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights

FAILED, PROBLEMS, REFUSED = 1, 3, 4


@pytest.fixture
def site(tmp_path: Path, database_url: str, prepared_nights: PreparedNights) -> Installation:
    return prepared_nights.site(tmp_path / "site", database_url, router="r1")


@pytest.fixture
def approved(site: Installation) -> Installation:
    (entry,) = site.json("change", "list")
    site.run(
        "change", "approve", "--router", "r1", "--hash", entry["candidate_hash"], "--who", "anna", "--note", "ticket 42"
    )
    return site


def change(site: Installation, statement: str) -> None:
    """As somebody who may do anything to the database."""
    engine = open_database(site.database_url)
    with engine.begin() as connection, unguarded(connection):
        connection.execute(text(statement))
    engine.dispose()


def manifest(site: Installation) -> Path:
    return site.output / "r1" / "approved" / "manifest.json"


def test_the_kinds_that_can_be_asked_for_are_those_that_there_are() -> None:
    assert set(KINDS) == set(AuditKind.__args__)  # type: ignore[attr-defined]


def test_a_night_and_its_review_are_in_the_log(approved: Installation) -> None:
    approved.run("router", "deliver")
    approved.run("router", "deliver")
    log = approved.json("audit")
    assert [event["kind"] for event in log] == ["settings", "propose", "judge", "decide", "transition", "deliver"]
    decided = log[3]
    assert (decided["router"], decided["day"], decided["who"], decided["note"]) == ("r1", NIGHT, "anna", "ticket 42")
    assert decided["identity"].startswith("os:")
    assert [event["kind"] for event in approved.json("audit", "--kind", "decide", "--who", "anna")] == ["decide"]
    assert approved.json("audit", "--router", "r2") == []
    delivered = json.loads(manifest(approved).read_text())
    assert delivered["audit"] == {"event": 6, "hash": log[5]["hash"]}
    assert [(each["identity"], each["who"], each["event"]) for each in delivered["approvals"]] == [
        (decided["identity"], "anna", 4)
    ]
    assert f"approved by anna ({decided['identity']}) at 20" in approved.run("change", "show", "--router", "r1").stdout
    head = approved.run("audit", "--head").stdout.split()
    assert head == ["6", log[5]["hash"]]
    assert "is intact: 6 events" in approved.run("audit", "--verify", "--expect", head[1]).stdout


def test_of_a_long_log_only_so_much_is_read_as_is_shown(
    approved: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_queries, "_READ_AT_ONCE", 2)
    read: list[range] = []
    all_events = audit.events

    def events(*given: Any) -> Any:
        read.append(given[-1])
        return all_events(*given)

    monkeypatch.setattr(audit, "events", events)
    with opened(approved.settings) as context:
        whole = audit_queries.audit_listing(context, None, (), None, None)
        for before, count in [(None, 1), (None, 3), (None, 99), (4, 2), (1, 2), (10**14, 99)]:
            found = audit_queries.newest_listing(context, None, (), None, None, before=before, count=count)
            expected = [each for each in reversed(whole) if before is None or each.number < before][:count]
            assert list(found) == expected
        for wanted in [(["r1"], (), None, None), ([], (), None, None), (None, ("decide", "judge"), None, "anna"),
                       (None, (), whole[-1].time_ms + 1, None)]:  # fmt: skip
            found = audit_queries.newest_listing(context, *wanted, before=None, count=99)
            assert found == tuple(reversed(audit_queries.audit_listing(context, *wanted)))
        read.clear()
        audit_queries.newest_listing(context, None, (), None, None, before=None, count=2)
        assert read == [range(len(whole) - 1, len(whole) + 1)]


def test_a_night_that_is_run_again_adds_no_event(site: Installation) -> None:
    before = site.json("audit")
    site.run("nightly", "--day", NIGHT, "--router", "r1")
    assert site.json("audit") == before
    site.settings.write_text(site.settings.read_text().replace("[review]", "[review]\nexpiry_hours = 73"))
    site.run("nightly", "--day", NIGHT, "--router", "r1")
    new = site.json("audit")[len(before) :]
    assert (new[0]["kind"], new[0]["note"]) == ("settings", "changed: review")


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE change SET decided_by = 'root the great'", "by root the great"),
        ("UPDATE change SET decision_note = 'ticket 43'", "ticket 43"),
        ("UPDATE audit_event SET who = 'root the great' WHERE kind = 'decide'", "event 4 of the audit log"),
        (f"UPDATE change SET transition_hash = '{'0' * 64}'", "binds another transition"),
        ("UPDATE change SET transition_hash = NULL", "binds another transition"),
        ("DELETE FROM audit_event WHERE kind IN ('decide', 'transition')", "holds no such decision"),
        ("DELETE FROM audit_event", "holds no such decision"),
    ],
)
def test_a_decision_that_was_rewritten_is_not_delivered(approved: Installation, statement: str, told: str) -> None:
    change(approved, statement)
    assert told in approved.run("router", "deliver", expect=PROBLEMS).stderr
    assert not manifest(approved).exists()
    assert told in approved.run("audit", "--verify", expect=FAILED).stderr


def test_a_cut_end_is_found_by_the_manifest_and_by_a_kept_hash(approved: Installation) -> None:
    approved.run("router", "deliver")
    head = approved.json("audit", "--head")
    change(approved, "DELETE FROM audit_event WHERE kind = 'deliver'")
    told = approved.run("audit", "--verify", expect=FAILED).stderr
    assert f"event 6 of the audit log: {manifest(approved)} names it, and it is gone" in told
    manifest(approved).unlink()
    anchors = approved.settings.parent / "var" / "audit-anchors.log"
    told = approved.run("audit", "--verify", expect=FAILED).stderr
    assert f"event 6 of the audit log: {anchors} has another hash of it" in told
    anchors.unlink()
    approved.run("audit", "--verify")
    assert "was cut off" in approved.run("audit", "--verify", "--expect", head["hash"], expect=FAILED).stderr


def test_a_manifest_of_a_lost_event_is_not_replaced(approved: Installation) -> None:
    """As after a backup was restored beside a newer output folder: it names what the router may have."""
    approved.run("router", "deliver")
    kept = manifest(approved).read_bytes()
    change(approved, "DELETE FROM audit_event WHERE kind = 'deliver'")
    told = approved.run("router", "deliver", expect=PROBLEMS).stderr
    assert f"event 6 of the audit log: {manifest(approved)} names it, and it is gone" in told
    assert manifest(approved).read_bytes() == kept
    assert [event["kind"] for event in approved.json("audit")][-1] == "transition"
    manifest(approved).unlink()
    anchors = approved.settings.parent / "var" / "audit-anchors.log"
    assert f"{anchors} has another hash of it" in approved.run("router", "deliver", expect=PROBLEMS).stderr
    anchors.unlink()
    approved.run("router", "deliver")
    assert json.loads(manifest(approved).read_text())["audit"]["event"] == 6


@pytest.mark.parametrize("content", ["", "{", "[]", '{"audit": {"event": 6}}'])
def test_a_damaged_manifest_is_written_anew(approved: Installation, content: str) -> None:
    approved.run("router", "deliver")
    kept = manifest(approved).read_bytes()
    manifest(approved).write_text(content)
    approved.run("audit", "--verify")
    approved.run("router", "deliver")
    assert manifest(approved).read_bytes() == kept


def _remove(path: Path) -> None:
    path.unlink()


def _add_line(path: Path) -> None:
    path.write_text(path.read_text() + "! one line more\n")


def _add_pair(path: Path) -> None:
    path.write_text(path.read_text().replace("198.18.60.0/24", "198.18.61.0/24"))


@pytest.mark.parametrize(
    ("suffix", "damage"), [(".conf", _remove), (".json", _remove), (".conf", _add_line), (".json", _add_pair)]
)
def test_approved_files_are_restored_with_a_warning(
    approved: Installation, suffix: str, damage: Callable[[Path], None]
) -> None:
    (path,) = (approved.output / "r1" / "candidates").glob(f"*{suffix}")
    content = path.read_bytes()
    damage(path)
    assert path.exists() is (damage is not _remove)
    done = approved.run("nightly", "--day", "2026-11-21", "--router", "r1")
    assert "hntes: warning: r1: the approved candidate was restored from the database" in done.stderr
    assert path.read_bytes() == content
    assert approved.json("audit")[5]["kind"] == "restore"


def test_the_second_of_two_approvals_needs_another_account(site: Installation) -> None:
    site.settings.write_text(site.settings.read_text().replace("[review]\n", "[review]\napprovals = 2\n"))
    (entry,) = site.json("change", "list")
    options = ("--router", "r1", "--hash", entry["candidate_hash"], "--who")
    assert "waits for a second person" in site.run("change", "approve", *options, "anna").stdout
    assert "another person must give" in site.run("change", "approve", *options, "bob", expect=REFUSED).stdout
    (waiting,) = site.json("change", "list")
    assert (waiting["state"], waiting["first_approval"]["who"]) == ("pending", "anna")
    assert "waits for a second person" in site.run("change", "show", "--router", "r1").stdout
