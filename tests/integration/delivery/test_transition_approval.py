"""An approved transition is bound to the last delivery: if that changes, the transition needs another approval."""

import json
import re
from datetime import date

import pytest

from hntes.sql import changes, deliveries
from hntes.sql.change import Change, InForceEntry
from hntes.sql.session import transaction
from tests.support.delivery import Site
from tests.support.devices.junos.text import write_text

REFUSED = "the approved transition is"
LATER, LATEST = "2026-11-21", "2026-11-22"


def running(site: Site) -> str:
    return "\n".join(write_text(site.router.active))


def removed_behind_its_back(site: Site) -> None:
    """What was delivered is taken off the router, and the log hears of it, between approval and delivery."""
    site.installation.run("router", "remove", "--router", "r1", "--commit")


@pytest.fixture
def second(site: Site) -> Site:
    """A text that was delivered, and another that is approved over it."""
    site.approve()
    site.installation.run("router", "deliver", "--router", "r1", "--commit")
    site.installation.pin("192.0.2.0/24>203.0.113.0/24", LATER)
    site.installation.run("stage", "propose", "--day", LATER, "--router", "r1")
    site.installation.run("stage", "judge", "--day", LATER, "--router", "r1")
    site.approve()
    return site


def shown(site: Site) -> str:
    (found,) = re.findall(
        r"^transition: .*$", site.installation.run("change", "show", "--router", "r1").stdout, re.MULTILINE
    )
    return found


def test_the_transition_is_shown_recorded_and_delivered(second: Site) -> None:
    first, later = (each for each in second.installation.json("audit", "--kind", "transition"))
    assert first["detail"].endswith(" from nothing")
    assert later["detail"].endswith(f" from {first['candidate_hash']}")
    assert (later["who"], later["note"]) == ("anna", None)
    identity, base = later["content_hash"], first["candidate_hash"]
    assert shown(second) == f"transition: {identity[:12]} from {base[:12]}"
    second.installation.run("router", "deliver", "--router", "r1", "--commit")
    assert shown(second) == f"transition: {identity[:12]} from {base[:12]}"


def test_another_transition_than_the_approved_one_is_refused_until_it_is_accepted(second: Site) -> None:
    removed_behind_its_back(second)
    before = running(second)
    for options in ((), ("--commit",), ("--commit", "--again")):
        said = second.installation.run("router", "deliver", "--router", "r1", *options, expect=3).stderr
        assert REFUSED in said
    assert running(second) == before
    assert "approve-transition --router r1" in said
    assert "the delivered configuration has changed: now" in shown(second)
    (identity,) = re.findall(r"--hash ([0-9a-f]{12})`", said)
    approved = second.installation.json("audit", "--kind", "transition")[-1]["content_hash"]
    for wrong in (approved[:12], identity[:5], "000000"):
        refused = second.installation.run("router", "approve-transition", "--router", "r1", "--hash", wrong, expect=1)
        assert f"the transition is {identity} from nothing" in refused.stderr
    second.installation.run(
        "router", "approve-transition", "--router", "r1", "--hash", identity, "--who", "ben", "--note", "looked"
    )
    assert "then confirmed" in second.installation.run("router", "deliver", "--router", "r1", "--commit").stdout
    accepted = second.installation.json("audit", "--kind", "transition")[-1]
    assert (accepted["outcome"], accepted["content_hash"][:12]) == ("accepted", identity)
    assert (accepted["who"], accepted["note"]) == ("ben", "looked")
    second.installation.run("audit", "--verify")


def test_what_the_removal_of_a_pair_left_is_no_scheduled_text(second: Site) -> None:
    """Once a scheduled change that nobody approved had the very text that the removal leaves."""
    pair = "198.18.10.0/24>203.0.113.0/24"
    second.installation.run("router", "remove", "--router", "r1", "--pair", pair, "--commit")
    left = second.installation.json("audit", "--kind", "verified")[-1]["candidate_hash"]
    with second.context() as context, transaction(context.database) as session:
        hashes = {"base_hash": left, "candidate_hash": left, "model_hash": left}
        once = Change("r1", date(2026, 11, 20), **hashes, state="superseded", expires_ms=None, effective_s=9)
        changes.write(session, once)
    before = running(second)
    for options in (("--commit",), ("--commit", "--again")):
        assert REFUSED in second.installation.run("router", "deliver", "--router", "r1", *options, expect=3).stderr
    assert running(second) == before


def test_rules_that_came_since_the_approval_are_no_other_reservations(second: Site) -> None:
    """A push that was cut before a night, and is ended after that night's approval: the text that it brings has a
    scheduled change as each that reservations end on."""
    (in_between,) = {each["candidate_hash"] for each in second.installation.json("audit", "--kind", "decide")[-1:]}
    second.installation.pin("192.0.2.0/24>198.51.100.0/24", LATEST)
    second.installation.run("stage", "propose", "--day", LATEST, "--router", "r1")
    second.installation.run("stage", "judge", "--day", LATEST, "--router", "r1")
    second.approve()
    with second.context() as context, transaction(context.database) as session:
        hashes = {"base_hash": in_between, "candidate_hash": in_between, "model_hash": in_between}
        day = date.fromisoformat(LATER)
        changes.write(session, Change("r1", day, **hashes, state="approved", expires_ms=None, effective_s=2**31))
        deliveries.report_pushed(session, InForceEntry("r1", in_between, day), "anna")
    before = running(second)
    assert REFUSED in second.installation.run("router", "deliver", "--router", "r1", "--commit", expect=3).stderr
    assert running(second) == before


def test_the_hand_over_is_refused_as_well(second: Site) -> None:
    manifest = second.installation.output / "r1" / "approved" / "manifest.json"
    before = json.loads(manifest.read_text(encoding="utf-8"))["sha256"]
    removed_behind_its_back(second)
    settings = second.installation.settings
    text = settings.read_text(encoding="utf-8")
    access = text[text.index("  [routers.delivery]") : text.index('[[routers]]\nname = "r2"')]
    settings.write_text(text.replace(access, ""), encoding="utf-8")
    assert REFUSED in second.installation.run("router", "deliver", "--router", "r1", expect=3).stderr
    assert json.loads(manifest.read_text(encoding="utf-8"))["sha256"] == before
