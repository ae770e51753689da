"""An approved change is brought onto an emulated Junos router, by the command line."""

import json
import re
from pathlib import Path

import pytest

from hntes import clock
from hntes.platforms.junos.dialect import DIALECT
from hntes.platforms.junos.statements import owned
from tests.support.delivery import Site
from tests.support.devices.junos.text import write_text
from tests.support.review_page import browser, close_sites


def running(site: Site) -> str:
    return "\n".join(write_text(site.router.active))


def approved_text(site: Site, candidate_hash: str) -> str:
    return (site.installation.output / "r1" / "approved" / f"{candidate_hash}.conf").read_text(encoding="utf-8")


def test_without_commit_the_routers_own_difference_is_shown_and_nothing_changed(site: Site) -> None:
    site.approve()
    before = running(site)
    shown = site.installation.run("router", "deliver", "--router", "r1").stdout
    assert "would change as follows" in shown
    assert "+      hntes {" in shown
    assert running(site) == before
    assert len(site.router.commits) == 1
    assert not site.journal.exists()
    assert site.log() == []


def test_with_commit_the_router_holds_it_for_good_and_the_log_says_each_step(site: Site) -> None:
    candidate = site.approve()
    said = site.installation.run("router", "deliver", "--router", "r1", "--commit").stdout
    assert "verified on trial, then confirmed" in said
    site.router.clock.advance(1e6)
    assert owned(running(site)) == DIALECT.part_of(approved_text(site, candidate))
    assert site.log() == ["push trial starts", "push verified: to be confirmed", "push kept", "loaded", "verified"]
    assert not site.journal.exists()
    assert "up to date" in site.installation.run("router", "deliver", "--router", "r1", "--commit").stdout
    assert len(site.log()) == 5
    site.installation.run("audit", "--verify")


def test_a_journal_of_what_the_log_does_not_know_is_forgotten(site: Site) -> None:
    """Whoever can write the file could else have a text confirmed and reported that nobody approved."""
    candidate = site.approve()
    forged = {"router": "r1", "step": "trial", "before_sha256": None, "after_sha256": 64 * "0", "day": "2026-01-31"}
    site.journal.parent.mkdir(parents=True, exist_ok=True)
    site.journal.write_text(json.dumps(forged), encoding="utf-8")
    site.installation.run("router", "deliver", "--router", "r1", "--commit")
    assert owned(running(site)) == DIALECT.part_of(approved_text(site, candidate))
    assert site.log() == ["push trial starts", "push verified: to be confirmed", "push kept", "loaded", "verified"]
    assert not site.journal.exists()


def test_drift_is_shown_by_statement_and_recorded_when_it_changes(site: Site) -> None:
    site.approve()
    assert "equal (nothing was delivered" in site.installation.run("router", "drift").stdout
    site.installation.run("router", "deliver", "--router", "r1", "--commit")
    assert site.installation.run("router", "drift").stdout.startswith("r1: equal")
    alice = site.router.open("alice")
    site.router.load(alice, "set groups hntes class-of-service schedulers hntes-alpha priority low", "set")
    site.router.commit(alice)
    said = site.installation.run("router", "drift", expect=3).stdout
    assert said.startswith("r1: changed")
    assert "+ groups hntes class-of-service schedulers hntes-alpha priority low" in said
    assert (
        "differs from the last delivery"
        in site.installation.run("router", "deliver", "--router", "r1", "--commit", expect=3).stderr
    )
    states = [each["outcome"] for each in site.installation.json("audit", "--kind", "drift")]
    assert states == ["equal", "equal", "changed"]


@pytest.mark.parametrize(
    "own",
    [
        "set class-of-service schedulers hntes-alpha transmit-rate percent 1",
        (
            "set class-of-service interfaces xe-0/1/0 scheduler-map mine\n"
            "set class-of-service schedulers mine transmit-rate percent 5\n"
            "set class-of-service scheduler-maps mine forwarding-class expedited-forwarding scheduler mine"
        ),
        "set interfaces xe-0/0/0 apply-groups-except hntes",
    ],
)
def test_a_statement_that_wins_over_the_group_is_drift_before_anything_is_pushed(site: Site, own: str) -> None:
    """CLI User Guide, "Configuration Groups": a statement of the configuration overrides that of a group."""
    site.approve()
    site.installation.run("router", "deliver", "--router", "r1", "--commit")
    alice = site.router.open("alice")
    assert site.router.load(alice, own, "set") == []
    site.router.commit(alice)
    logged = site.log()
    said = site.installation.run("router", "drift", expect=3).stdout
    assert said.startswith("r1: changed")
    assert re.search(r"^  ! the router('s configuration cannot be parsed| behaves differently)", said, re.MULTILINE)
    assert site.installation.json("audit", "--kind", "drift")[-1]["outcome"] == "changed"
    found = site.installation.run("router", "deliver", "--router", "r1", "--commit", expect=3)
    assert "the router" in found.stderr + found.stdout
    assert site.log() == logged, "a trial was begun"
    alice = site.router.open("alice")
    site.router.rollback(alice, 1)
    site.router.commit(alice)
    assert site.installation.run("router", "drift").stdout.startswith("r1: equal")


def test_what_was_seen_last_is_known_without_asking(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def known(expect: int) -> str:
        return site.installation.run("router", "drift", "--known", expect=expect).stdout.strip()

    def metric(name: str) -> float:
        text = site.installation.run("metrics", "--router", "r1").stdout
        (found,) = re.findall(rf'^hntes_router_{name}{{router="r1"}} (\S+)$', text, re.MULTILINE)
        return float(found)

    assert known(3) == "r1: never checked"
    site.approve()
    site.installation.run("router", "deliver", "--router", "r1", "--commit")
    assert known(0).startswith("r1: as delivered since ")
    alice = site.router.open("alice")
    site.router.load(alice, "set groups hntes class-of-service schedulers hntes-alpha priority low", "set")
    site.router.commit(alice)
    asked = site.router.opened
    assert known(0).startswith("r1: as delivered since ")  # nobody has asked
    assert site.router.opened == asked
    site.installation.run("router", "drift", expect=3)
    assert known(3).startswith("r1: changed on the router since ")
    assert (metric("drifted"), metric("changed")) == (1.0, 1.0)
    assert abs(metric("asked_timestamp_seconds") - clock.now_ms() / 1000) < 600
    page = browser(site.installation.settings)
    page.log_in("vera")
    assert "</a>: changed on the router since " in page.get("/").text
    assert '<dd><a href="#drifted">0 of 1 as delivered</a></dd>' in page.get("/").text
    close_sites()

    today_ms = clock.now_ms()
    day_ms = 86_400_000
    monkeypatch.setattr(clock, "now_ms", lambda: today_ms + day_ms)
    site.installation.run("router", "drift", expect=3)
    site.installation.run("router", "drift", expect=3)
    states = [each["outcome"] for each in site.installation.json("audit", "--kind", "drift")]
    assert states == ["changed", "changed"]  # once each day
    monkeypatch.setattr(clock, "now_ms", lambda: today_ms + 4 * day_ms)
    assert ", not checked since " in known(3)


def test_a_clock_that_was_ahead_for_a_moment_hides_no_missing_check(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ms, day_ms = clock.now_ms(), 86_400_000

    def at_day(days: int) -> None:
        monkeypatch.setattr(clock, "now_ms", lambda: now_ms + days * day_ms)

    def known(expect: int) -> str:
        return site.installation.run("router", "drift", "--known", expect=expect).stdout.strip()

    at_day(365)
    site.installation.run("router", "drift")
    at_day(0)
    assert ", not checked since " in known(3)
    site.installation.run("router", "drift")
    assert ", not checked since " not in known(0)
    at_day(2)
    assert ", not checked since " in known(3)


def test_what_was_withdrawn_is_not_delivered_again_unasked(site: Site) -> None:
    site.approve()
    site.installation.run("router", "deliver", "--router", "r1", "--commit")
    assert "withdrawn" in site.installation.run("router", "remove", "--router", "r1", "--commit").stdout
    assert owned(running(site)) == DIALECT.part_of(None)
    assert site.log()[-2:] == ["push kept", "remove"]
    assert (
        "was removed from the router"
        in site.installation.run("router", "deliver", "--router", "r1", "--commit", expect=3).stderr
    )
    refused = site.installation.run("router", "deliver", "--router", "r1", "--commit", expect=3).stderr
    assert "hntes router deliver --router r1 --again" in refused, "the way to put it back is not named"
    assert "--router NAME" not in site.installation.run("router", "remove", expect=2).stdout
    assert "Default: all" not in site.installation.run("router", "remove", "--help").stdout
    assert site.installation.run("router", "drift").stdout.startswith("r1: equal (nothing")
    assert (
        "then confirmed" in site.installation.run("router", "deliver", "--router", "r1", "--commit", "--again").stdout
    )
    site.installation.run("audit", "--verify")


def test_a_removal_needs_no_database(site: Site) -> None:
    site.approve()
    site.installation.run("router", "deliver", "--router", "r1", "--commit")
    database = Path(site.installation.database_url.removeprefix("sqlite:///"))
    away = database.rename(database.with_suffix(".away"))
    database.mkdir()  # nothing can be opened there
    done = site.installation.run("router", "remove", "--all", "--commit")
    assert "r1: withdrawn" in done.stdout
    assert "not recorded yet" in done.stderr
    assert owned(running(site)) == DIALECT.part_of(None)
    database.rmdir()
    away.rename(database)
    site.installation.run("router", "drift")
    assert site.log()[-1] == "remove"
