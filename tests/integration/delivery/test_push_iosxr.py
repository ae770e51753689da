"""An approved change is brought onto an emulated IOS-XR router over SSH, by the command line."""

from pathlib import Path

import pytest

from delivery.errors import NotKeptError
from delivery.language import IOSXR
from tests.support.delivery import Site, iosxr_site
from tests.support.devices.cisco.iosxr_cli import typed
from tests.support.devices.farm import Farm
from tests.support.prepared_nights import PreparedNights
from tests.support.pushes_iosxr import XrBench, xr_bench


@pytest.fixture
def xr_site(tmp_path: Path, prepared_nights: PreparedNights, farm: Farm) -> Site:
    return iosxr_site(farm, prepared_nights.site(tmp_path / "site"))


def running(site: Site) -> list[str]:
    return list(site.router.running.lines())


def test_delivered_held_drifted_and_withdrawn(xr_site: Site) -> None:
    run, before = xr_site.installation.run, running(xr_site)
    candidate = xr_site.approve()
    dry = run("deliver", "--router", "r2").stdout
    assert "would change so" in dry
    assert "  + interface TenGigE0/0/0/0 service-policy input hntes-in" in dry.splitlines()
    assert running(xr_site) == before
    said = run("deliver", "--router", "r2", "--commit").stdout
    assert "verified on trial, then confirmed" in said
    xr_site.router.clock.advance(1e6)
    xr_site.router.settle()
    approved = xr_site.installation.output / "r2" / "approved" / f"{candidate}.conf"
    assert IOSXR.owned("\n".join(running(xr_site))) == IOSXR.part_of(approved.read_text(encoding="utf-8"))
    assert xr_site.log() == ["push trial begins", "push verified: to be confirmed", "push kept", "load", "confirm"]
    assert xr_site.router.commits[0].comment == f"hntes {candidate[:12]}"
    assert "holds it already" in run("deliver", "--router", "r2", "--commit").stdout
    assert run("drift").stdout.startswith("r2: equal")

    typed(xr_site.router, "policy-map hntes-out\n class hntes-queue-alpha\n  bandwidth percent 50")
    drifted = run("drift", expect=3).stdout
    assert drifted.startswith("r2: changed")
    assert "+ policy-map hntes-out class hntes-queue-alpha bandwidth percent 50" in drifted
    assert "holds something else" in run("deliver", "--router", "r2", "--commit", expect=3).stderr

    assert "withdrawn" in run("withdraw", "--router", "r2", "--commit").stdout
    assert running(xr_site) == before
    assert run("drift").stdout.startswith("r2: equal (nothing")
    run("audit", "--verify")


def test_over_ssh_a_trial_without_an_answer_goes_back_and_the_next_call_delivers(tmp_path: Path, farm: Farm) -> None:
    routed: XrBench = xr_bench(tmp_path, farm)
    routed.at["trial begins"] = lambda: setattr(routed.served.faults, "cut_after", routed.served.faults.seen + 1)
    with pytest.raises(NotKeptError, match="holds what it held before"):
        routed.push()
    assert routed.holds == "before"
    assert routed.push().outcome == "done"
    routed.router.clock.advance(1e6)
    assert routed.holds == "after"
