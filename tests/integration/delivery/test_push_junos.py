"""An approved change is brought onto an emulated Junos router, by the command line."""

from pathlib import Path

from delivery.junos_statements import owned, part_of
from tests.support.delivery import Site
from tests.support.devices.junos.text import write_text


def running(site: Site) -> str:
    return "\n".join(write_text(site.router.active))


def approved_text(site: Site, candidate_hash: str) -> str:
    return (site.installation.output / "r1" / "approved" / f"{candidate_hash}.conf").read_text(encoding="utf-8")


def test_without_commit_the_routers_own_difference_is_shown_and_nothing_changed(site: Site) -> None:
    site.approve()
    before = running(site)
    shown = site.installation.run("deliver", "--router", "r1").stdout
    assert "would change so" in shown
    assert "+      hntes {" in shown
    assert running(site) == before
    assert len(site.router.commits) == 1
    assert not site.journal.exists()
    assert site.log() == []


def test_with_commit_the_router_holds_it_for_good_and_the_log_says_each_step(site: Site) -> None:
    candidate = site.approve()
    said = site.installation.run("deliver", "--router", "r1", "--commit").stdout
    assert "verified on trial, then confirmed" in said
    site.router.clock.advance(1e6)
    assert owned(running(site)) == part_of(approved_text(site, candidate))
    assert site.log() == ["push trial begins", "push verified: to be confirmed", "push kept", "load", "confirm"]
    assert not site.journal.exists()
    assert "holds it already" in site.installation.run("deliver", "--router", "r1", "--commit").stdout
    assert len(site.log()) == 5
    site.installation.run("audit", "--verify")


def test_drift_is_shown_by_statement_and_recorded_when_it_changes(site: Site) -> None:
    site.approve()
    assert "equal (nothing was delivered" in site.installation.run("drift").stdout
    site.installation.run("deliver", "--router", "r1", "--commit")
    assert site.installation.run("drift").stdout.startswith("r1: equal")
    alice = site.router.open("alice")
    site.router.load(alice, "set groups hntes class-of-service schedulers hntes-alpha priority low", "set")
    site.router.commit(alice)
    said = site.installation.run("drift", expect=3).stdout
    assert said.startswith("r1: changed")
    assert "+ groups hntes class-of-service schedulers hntes-alpha priority low" in said
    assert "holds something else" in site.installation.run("deliver", "--router", "r1", "--commit", expect=3).stderr
    states = [each["detail"] for each in site.installation.json("audit", "--kind", "drift")]
    assert states == ["equal", "equal", "changed"]


def test_what_was_withdrawn_is_not_delivered_again_unasked(site: Site) -> None:
    site.approve()
    site.installation.run("deliver", "--router", "r1", "--commit")
    assert "withdrawn" in site.installation.run("withdraw", "--router", "r1", "--commit").stdout
    assert owned(running(site)) == part_of(None)
    assert site.log()[-2:] == ["push kept", "remove"]
    assert "was withdrawn" in site.installation.run("deliver", "--router", "r1", "--commit", expect=3).stderr
    assert site.installation.run("drift").stdout.startswith("r1: equal (nothing")
    assert "then confirmed" in site.installation.run("deliver", "--router", "r1", "--commit", "--again").stdout
    site.installation.run("audit", "--verify")


def test_a_withdrawal_needs_no_database(site: Site) -> None:
    site.approve()
    site.installation.run("deliver", "--router", "r1", "--commit")
    database = Path(site.installation.database_url.removeprefix("sqlite:///"))
    away = database.rename(database.with_suffix(".away"))
    database.mkdir()  # nothing can be opened there
    done = site.installation.run("withdraw", "--all", "--commit")
    assert "r1: withdrawn" in done.stdout
    assert "not recorded yet" in done.stderr
    assert owned(running(site)) == part_of(None)
    database.rmdir()
    away.rename(database)
    site.installation.run("drift")
    assert site.log()[-1] == "remove"
