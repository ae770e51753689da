"""An approved change is brought onto an emulated IOS-XE or IOS-XR router over SSH, by the command line."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from hntes.platforms.dialect import Dialect
from hntes.platforms.iosxe.dialect import DIALECT as IOSXE
from hntes.platforms.iosxr.dialect import DIALECT as IOSXR
from tests.support import pushes_iosxe
from tests.support.delivery import Site, iosxe_site, iosxr_site
from tests.support.devices.cisco import iosxr_cli
from tests.support.devices.farm import Farm
from tests.support.installation import Installation
from tests.support.prepared_nights import PreparedNights


def _restarted(site: Site, _: str) -> None:
    """What was kept was stored."""
    site.served.restart()


def _waited_for(site: Site, candidate: str) -> None:
    """What was kept stays after any trial's time, and is named."""
    site.router.clock.advance(1e6)
    site.router.settle()
    assert site.router.commits[0].comment == f"hntes {candidate[:12]}"


@dataclass(frozen=True)
class Kind:
    """`input_line`: a pattern of a line that the change adds. `later`: what happens after the delivery.

    `typed`, `alices`, `drifted`: what somebody types into the part of HNTES, and which statement that is.
    """

    site: Callable[[Farm, Installation], Site]
    dialect: Dialect
    input_line: str
    later: Callable[[Site, str], None]
    typed: Callable[..., None]
    alices: str
    drifted: str


KINDS = {
    "iosxe": Kind(
        iosxe_site, IOSXE, r"interface TenGigabitEthernet0/0/0 service-policy input hntes-in-\w+", _restarted,
        pushes_iosxe.typed, "ip access-list extended hntes-alpha-v4\npermit ip any any",
        "ip access-list extended hntes-alpha-v4 permit ip any any",
    ),
    "iosxr": Kind(
        iosxr_site, IOSXR, "interface TenGigE0/0/0/0 service-policy input hntes-in", _waited_for,
        iosxr_cli.typed, "policy-map hntes-out\n class hntes-queue-alpha\n  bandwidth percent 25",
        "policy-map hntes-out class hntes-queue-alpha bandwidth percent 25",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_delivered_held_drifted_and_withdrawn(
    tmp_path: Path, prepared_nights: PreparedNights, farm: Farm, kind: Kind
) -> None:
    site = kind.site(farm, prepared_nights.site(tmp_path / "site"))
    run, before = site.installation.run, running(site)
    chosen = ("--router", site.name)
    candidate = site.approve()
    dry = run("router", "deliver", *chosen).stdout
    assert "would change as follows" in dry
    assert re.search(rf"^  \+ {kind.input_line}$", dry, re.MULTILINE)
    assert running(site) == before
    assert "verified on trial, then confirmed" in run("router", "deliver", *chosen, "--commit").stdout
    kind.later(site, candidate)
    approved = site.installation.output / site.name / "approved" / f"{candidate}.conf"
    assert kind.dialect.owned("\n".join(running(site))) == kind.dialect.part_of(approved.read_text(encoding="utf-8"))
    assert site.log() == ["push trial starts", "push verified: to be confirmed", "push kept", "loaded", "verified"]
    assert "up to date" in run("router", "deliver", *chosen, "--commit").stdout
    assert run("router", "drift").stdout.startswith(f"{site.name}: equal")

    kind.typed(site.router, kind.alices)
    drifted = run("router", "drift", expect=3).stdout
    assert drifted.startswith(f"{site.name}: changed")
    assert f"+ {kind.drifted}" in drifted
    assert "differs from the last delivery" in run("router", "deliver", *chosen, "--commit", expect=3).stderr

    assert "withdrawn" in run("router", "remove", *chosen, "--commit").stdout
    assert running(site) == before
    if kind.dialect is IOSXE:
        assert list(site.router.startup.lines()) == before
    assert run("router", "drift").stdout.startswith(f"{site.name}: equal (nothing")
    run("audit", "--verify")


def running(site: Site) -> list[str]:
    return list(site.router.running.lines())
