"""An emulated router's running configuration is read, and changes are proposed against it."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import pushes_iosxe
from tests.support.benches import DELIVERED_TO
from tests.support.delivery import SITES, Site
from tests.support.devices.cisco import iosxr_cli
from tests.support.devices.eos import cli as eos_cli
from tests.support.devices.farm import Farm
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.text import write_text
from tests.support.devices.sros.datastore import enter
from tests.support.devices.sros.device import SrosRouter
from tests.support.prepared_nights import PreparedNights

DAY = "2026-11-20"
CUSTOMERS = """\
set firewall family inet filter CUSTOMERS term web from protocol tcp
set firewall family inet filter CUSTOMERS term web then loss-priority high
set interfaces xe-0/1/0 unit 0 family inet
set interfaces xe-0/0/0 unit 0 family inet filter input CUSTOMERS"""
# Entries that accept stand before those of the pairs, which nothing would reach.
CUSTOMERS_SROS = """\
configure {
    filter {
        ip-filter "CUSTOMERS" {
            default-action accept
            entry 10 {
                match {
                    src-ip {
                        address 192.0.2.0/24
                    }
                }
                action {
                    accept
                }
            }
        }
    }
    router "Base" {
        interface "to-site" {
            ingress {
                filter {
                    ip "CUSTOMERS"
                }
            }
        }
    }
}
"""
CUSTOMERS_EOS = """\
traffic-policies
   traffic-policy CUSTOMERS
      match web ipv4
         source prefix 192.0.2.0/24
         actions
            drop
      match ipv4-all-default ipv4
      match ipv6-all-default ipv6
interface Ethernet1/1
   traffic-policy input CUSTOMERS
"""
POLICY = "policy-map CUSTOMERS\n class class-default\ninterface {}\n service-policy input CUSTOMERS"


def _junos_typed(router: JunosRouter, lines: str) -> None:
    session = router.open("alice")
    assert router.load(session, lines, "set") == []
    router.commit(session)


def _sros_typed(router: SrosRouter, lines: str) -> None:
    session = router.open("alice")
    enter(router.edited(session), lines)
    router.commit(session)
    router.close(session)


# What somebody types, as a person does on the platform, and the statement of it that no text of HNTES can stand beside.
KINDS: dict[str, tuple[Callable[..., None], str, str]] = {
    "junos": (_junos_typed, CUSTOMERS, "CUSTOMERS term web then loss-priority"),
    "iosxr": (iosxr_cli.typed, POLICY.format("TenGigE0/0/0/0"), "service-policy input CUSTOMERS"),
    "iosxe": (pushes_iosxe.typed, POLICY.format("TenGigabitEthernet0/0/0"), "service-policy input CUSTOMERS"),
    "sros": (_sros_typed, CUSTOMERS_SROS, "interface to-site ingress filter ip CUSTOMERS"),
    "eos": (eos_cli.typed, CUSTOMERS_EOS, "traffic-policy input CUSTOMERS"),
}


def shown(site: Site) -> list[str]:
    """The statements that the emulated router has, in its own words."""
    if isinstance(site.router, JunosRouter):
        lines = write_text(site.router.active)
    elif isinstance(site.router, SrosRouter):
        lines = site.router.text().splitlines()
    else:
        lines = list(site.router.running.lines())
    return [line.strip() for line in lines if line.strip() not in ("", "!")]


def as_shown(site: Site, text: str) -> list[str]:
    """The statements of a configuration that was read. On SR OS another router says them, as order means nothing."""
    if isinstance(site.router, SrosRouter):
        return [line.strip() for line in SrosRouter.with_text(site.name, text).text().splitlines()]
    return listed(text)


def listed(text: str) -> list[str]:
    """The statements of a configuration as a router lists it: without remarks, release and the ends of policies."""
    lines = [line.strip() for line in text.splitlines()]
    stated = [line for line in lines if not line.startswith(("!", "#", "version "))]
    return [line for line in stated if line not in ("", "end", "end-policy-map")]


@pytest.mark.parametrize("platform", DELIVERED_TO)
def test_what_somebody_configured_is_read_and_stands_in_the_way_of_the_next_change(
    tmp_path: Path, prepared_nights: PreparedNights, farm: Farm, platform: str
) -> None:
    typed, lines, statement = KINDS[platform]
    site = SITES[platform](farm, prepared_nights.site(tmp_path / "site", routers=len(SITES)))
    run, file = site.installation.run, site.installation.settings.parent / "read" / "running"
    chosen = ("--router", site.name)
    text = site.installation.settings.read_text(encoding="utf-8")
    named = f'name = "{site.name}"\n'
    assert text.count(named) == 1
    site.installation.settings.write_text(text.replace(named, f'{named}running_config = "{file}"\n'), encoding="utf-8")
    before = shown(site)

    assert "written" in run("router", "config", "--store").stdout
    stored = file.read_text(encoding="utf-8")
    assert as_shown(site, stored) == before
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert run("router", "config", *chosen).stdout == stored
    assert shown(site) == before

    typed(site.router, lines)
    assert "written" in run("router", "config", "--store", *chosen).stdout
    assert as_shown(site, file.read_text(encoding="utf-8")) == shown(site)
    proposed = run("stage", "propose", *chosen, "--day", DAY, expect=1)
    assert statement in proposed.stdout + proposed.stderr


def test_a_router_that_does_not_answer_keeps_its_file(site: Site) -> None:
    file = site.installation.settings.parent / "running"
    text = site.installation.settings.read_text(encoding="utf-8")
    site.installation.settings.write_text(
        text.replace('name = "r1"\n', f'name = "r1"\nrunning_config = "{file}"\n', 1), encoding="utf-8"
    )
    site.installation.run("router", "config", "--store")
    file.chmod(0o640)
    kept = "# read at another time\n" + file.read_text(encoding="utf-8")
    file.write_text(kept, encoding="utf-8")
    assert "is up to date" in site.installation.run("router", "config", "--store").stdout
    site.served.stop()
    failed = site.installation.run("router", "config", "--store", expect=3)
    assert "router r1 failed" in failed.stderr
    assert file.read_text(encoding="utf-8") == kept
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_without_a_place_or_a_router_it_says_so(tmp_path: Path, prepared_nights: PreparedNights) -> None:
    site = prepared_nights.site(tmp_path / "site", None)
    assert "give one --router" in site.run("router", "config", expect=2).stderr
    assert "nothing was read" in site.run("router", "config", "--store").stderr
    assert "running_config is not set" in site.run("router", "config", "--store", "--router", "r1", expect=3).stderr
    assert "no [routers.delivery]" in site.run("router", "config", "--router", "r1", expect=1).stderr
