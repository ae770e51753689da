"""Only the approved configuration in force is delivered."""

import hashlib
import json
from datetime import date
from pathlib import Path

import pytest

from hntes.platforms.transition import transition
from hntes.sql.change import InForceEntry
from hntes.sql.changes import IN_FORCE
from hntes.sql.rows import remove, store
from hntes.sql.session import transaction
from hntes.workflow.context import opened
from hntes.workflow.delivery.deliver import deliver
from hntes.workflow.errors import CommandError
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT as FIRST
from tests.support.prepared_nights import PreparedNights

LAST = "2026-11-23"


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    return prepared_nights.site(tmp_path / "site", router="r1")


def decide(site: Installation, verb: str) -> str:
    (entry,) = site.json("change", "list")
    site.run(
        "change", verb, "--router", "r1", "--hash", entry["candidate_hash"], "--who", "anna", "--note", "ticket 42"
    )
    return str(entry["candidate_hash"])


def approved(site: Installation) -> Path:
    return site.output / "r1" / "approved"


def test_nothing_is_delivered_before_a_decision_nor_after_a_rejection(site: Installation) -> None:
    site.run("router", "deliver")
    decide(site, "reject")
    site.run("router", "deliver")
    assert not approved(site).exists()


def test_what_was_approved_is_delivered_byte_for_byte(site: Installation) -> None:
    candidate_hash = decide(site, "approve")
    site.run("router", "deliver")
    manifest = json.loads((approved(site) / "manifest.json").read_text())
    text = (approved(site) / manifest["file"]).read_bytes()
    assert hashlib.sha256(text).hexdigest() == manifest["sha256"] == candidate_hash
    assert len(text) == manifest["size_bytes"]
    assert (manifest["approved_by"], manifest["note"], manifest["day"]) == ("anna", "ticket 42", FIRST)
    before = site.state()
    site.run("router", "deliver")
    assert site.state() == before


def pinned(site: Installation, pair: str, day: str) -> None:
    site.pin(pair, day)
    site.run("nightly", "--day", day, "--router", "r1")


def test_what_is_to_be_loaded_and_what_removes_it_lie_beside_the_text(site: Installation) -> None:
    candidate_hash = decide(site, "approve")
    site.run("router", "deliver")
    manifest = json.loads((approved(site) / "manifest.json").read_text())
    for named in (manifest["transition"], manifest["removal"]):
        text = (approved(site) / named["file"]).read_bytes()
        assert hashlib.sha256(text).hexdigest() == named["sha256"]
    configuration = (approved(site) / f"{candidate_hash}.conf").read_text()
    leading = (approved(site) / manifest["transition"]["file"]).read_text()
    assert (manifest["platform"], manifest["transition"]["from_sha256"]) == ("junos", None)
    assert leading == transition("junos", None, configuration)
    assert site.json("change", "show", "--router", "r1", "--transition")["transition"] == leading
    assert leading.rstrip() in site.run("change", "show", "--router", "r1", "--transition").stdout


def test_a_transition_begins_at_what_was_reported_last(site: Installation) -> None:
    first = decide(site, "approve")
    site.run("router", "deliver")
    site.run("router", "loaded", "--router", "r1", "--hash", first)
    for pair, day in (("192.0.2.0/24>203.0.113.0/24", "2026-11-22"), ("192.0.2.0/24>198.51.100.0/24", LAST)):
        pinned(site, pair, day)
        latest = decide(site, "approve")
    site.run("router", "deliver")
    (change,) = [each for each in site.json("change", "list", "--all") if each["candidate_hash"] == latest]
    assert change["base_hash"] not in (None, first)
    manifest = json.loads((approved(site) / "manifest.json").read_text())
    assert (manifest["sha256"], manifest["transition"]["from_sha256"]) == (latest, first)


def test_a_removal_needs_the_delivered_files_alone(site: Installation) -> None:
    site.run("router", "remove", "--print", "--router", "r1", expect=1)
    candidate_hash = decide(site, "approve")
    site.run("router", "deliver")
    Path(site.database_url.removeprefix("sqlite:///")).unlink()
    printed = site.run("router", "remove", "--print", "--router", "r1").stdout
    assert printed == (approved(site) / f"{candidate_hash}.removal").read_text()
    assert "delete groups hntes" in printed
    manifest = approved(site) / "manifest.json"
    whole = manifest.read_text()
    for other in ("", "[]", "{}", whole.replace(candidate_hash, "../../hntes")):
        manifest.write_text(other)
        assert "names no delivered text" in site.run("router", "remove", "--print", "--router", "r1", expect=1).stderr
    manifest.write_text(whole.replace("junos", "unheard_of"))
    assert (
        "platform 'unheard_of' is not installed"
        in site.run("router", "remove", "--print", "--router", "r1", expect=1).stderr
    )
    manifest.write_text(whole)
    (approved(site) / f"{candidate_hash}.conf").write_text("firewall { }\n")
    assert (
        "not the text that the manifest names"
        in site.run("router", "remove", "--print", "--router", "r1", expect=1).stderr
    )


def test_an_older_days_review_delivers_the_latest_approval(site: Installation) -> None:
    older = decide(site, "approve")
    pair = "192.0.2.0/24>203.0.113.0/24"
    site.pin(pair, LAST)
    site.run("nightly", "--day", LAST, "--router", "r1")
    latest = decide(site, "approve")
    assert latest != older
    with opened(site.settings) as context:
        done = deliver(context, context.chosen(["r1"])[0], date.fromisoformat(FIRST))
    assert done is not None
    assert done.change.candidate_hash == latest
    assert not (approved(site) / f"{older}.conf").exists()


def test_a_text_that_was_changed_since_is_delivered_as_it_was_approved(site: Installation) -> None:
    candidate_hash = decide(site, "approve")
    candidate = site.output / "r1" / "candidates" / f"{candidate_hash}.conf"
    text = candidate.read_bytes()
    candidate.write_bytes(text + b"! one line more\n")
    assert "the text was changed" in site.run("router", "deliver").stderr
    assert (approved(site) / f"{candidate_hash}.conf").read_bytes() == candidate.read_bytes() == text


def test_a_text_that_was_changed_before_approval_is_not_approved(site: Installation) -> None:
    (entry,) = site.json("change", "list")
    candidate = site.output / "r1" / "candidates" / f"{entry['candidate_hash']}.conf"
    candidate.write_text(candidate.read_text() + "! one line more\n")
    done = site.run("change", "approve", "--router", "r1", "--hash", entry["candidate_hash"], expect=1)
    assert "the text was changed" in done.stderr


def test_tables_that_contradict_each_other_deliver_nothing(site: Installation) -> None:
    (entry,) = site.json("change", "list")
    with opened(site.settings) as context:
        with transaction(context.database) as session:
            remove(session, IN_FORCE, router="r1")
            store(session, IN_FORCE, [InForceEntry("r1", entry["candidate_hash"], date.fromisoformat(FIRST))])
        with pytest.raises(CommandError, match="does not say it was approved"):
            deliver(context, context.chosen(["r1"])[0])
    assert not approved(site).exists()
