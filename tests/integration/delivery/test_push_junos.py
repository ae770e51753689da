"""An approved change is brought onto an emulated Junos router, by the command line."""

from delivery.statements import owned, part_of
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
