"""An installation one of whose routers is an emulated one, and a clock that both of them share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hntes.workflow.context import Context, opened
from hntes.workflow.delivery.push import RouterPush, push_router
from tests.support.devices.cisco.iosxe import XeRouter
from tests.support.devices.cisco.iosxe_cli import XeTerminal
from tests.support.devices.cisco.iosxr import XrRouter
from tests.support.devices.cisco.iosxr_cli import XrTerminal, typed
from tests.support.devices.eos.cli import EosTerminal
from tests.support.devices.eos.cli import typed as typed_on_eos
from tests.support.devices.eos.device import EosRouter
from tests.support.devices.farm import EmulatedRouter, Farm
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.rpc import NetconfSession
from tests.support.devices.sros.device import SrosRouter
from tests.support.devices.sros.rpc import SrosSession
from tests.support.installation import Installation

# What an operator has there: addresses, routing, and a filter that guards the router itself.
OPERATORS_OWN = """
system { host-name r1; }
chassis { redundancy { routing-engine 0 master; } }
interfaces {
    xe-0/0/0 { description "to the campus"; unit 0 { family inet { address 192.0.2.1/24; } } }
    lo0 { unit 0 { family inet { filter { input guard; } address 198.51.100.1/32; } } }
}
firewall { family inet { filter guard { term all { then accept; } } } }
routing-options { static { route 0.0.0.0/0 next-hop 192.0.2.2; } }
"""
OPERATORS_OWN_IOSXR = """
interface TenGigE0/0/0/0
 description to the campus
 ipv4 address 192.0.2.1 255.255.255.0
interface HundredGigE0/0/1/0
 ipv4 address 198.51.100.1 255.255.255.252
"""
OPERATORS_OWN_IOSXE = """archive
 path bootflash:backup
interface TenGigabitEthernet0/0/0
 description to the campus
 ip address 192.0.2.1 255.255.255.0
interface TenGigabitEthernet0/0/1
 ip address 198.51.100.1 255.255.255.252
"""
OPERATORS_OWN_SROS = """
configure {
    port 1/1/c1/1 {
        description "to the campus"
    }
    port 1/1/c2/1 {
        admin-state enable
    }
    router "Base" {
        interface "to-site" {
            port 1/1/c1/1
        }
        interface "to-core" {
            port 1/1/c2/1
        }
    }
}
"""
OPERATORS_OWN_EOS = """
interface Ethernet1/1
   description to the campus
   no switchport
   ip address 192.0.2.1/24
interface Ethernet2/1
   no switchport
   ip address 198.51.100.1/30
"""


@dataclass
class SharedTimer:
    """Time of HNTES and of the router: it goes on when HNTES waits. `during` is done once, at the first wait."""

    router: Any
    during: Callable[[], None] | None = None
    waited_s: float = 0.0

    def now_s(self) -> float:
        return self.router.clock.now_s

    def sleep(self, seconds: float) -> None:
        self.router.clock.advance(seconds)
        self.waited_s += seconds
        if self.during is not None:
            act, self.during = self.during, None
            act()


@dataclass
class Site:
    """The installation, its router's state, and how the router is served."""

    installation: Installation
    router: Any
    served: EmulatedRouter
    name: str = "r1"
    timer: SharedTimer = field(init=False)

    def __post_init__(self) -> None:
        self.timer = SharedTimer(self.router)

    def approve(self) -> str:
        """Approves what waits, and returns its hash."""
        (entry,) = [each for each in self.installation.json("change", "list") if each["router"] == self.name]
        self.installation.run(
            "change", "approve", "--router", self.name, "--hash", entry["candidate_hash"], "--who", "anna"
        )
        return str(entry["candidate_hash"])

    def push(self, *, commit: bool = True) -> RouterPush | None:
        with self.context() as context:
            return push_router(context, context.chosen([self.name])[0], commit=commit, timer=self.timer)

    @contextmanager
    def context(self) -> Iterator[Context]:
        with opened(self.installation.settings) as context:
            yield context

    def log(self) -> list[str]:
        """What the audit log says of deliveries."""
        events = self.installation.json("audit", "--router", self.name)
        kinds = ("push", "loaded", "verified", "remove")
        return [f"{each['kind']} {each['outcome']}".strip() for each in events if each["kind"] in kinds]

    @property
    def journal(self) -> Path:
        return self.installation.output / self.name / "delivery" / "journal.json"


def junos_site(farm: Farm, installation: Installation, minutes: int = 5, probes: str = "[]") -> Site:
    """Adds an emulated router to an installation's settings as r1."""
    router = JunosRouter.with_text("r1", OPERATORS_OWN)
    served = farm.serve(router, netconf=lambda user: NetconfSession(router, user))
    _reached(installation, served, "r1", minutes, probes)
    return Site(installation, router, served)


def iosxr_site(farm: Farm, installation: Installation) -> Site:
    """Adds an emulated router to an installation's settings as r2."""
    router = XrRouter("r2")
    typed(router, OPERATORS_OWN_IOSXR)
    served = farm.serve(router, terminal=lambda user: XrTerminal(router, user))
    _reached(installation, served, "r2")
    return Site(installation, router, served, "r2")


def iosxe_site(farm: Farm, installation: Installation) -> Site:
    """Adds an emulated router to an installation's settings as r3."""
    router = XeRouter("r3")
    terminal = XeTerminal(router, "alice")
    for line in ("configure terminal", *OPERATORS_OWN_IOSXE.splitlines(), "end", "write memory"):
        terminal.enter(line)
    served = farm.serve(router, terminal=lambda user: XeTerminal(router, user))
    _reached(installation, served, "r3")
    return Site(installation, router, served, "r3")


def sros_site(farm: Farm, installation: Installation) -> Site:
    """Adds an emulated router to an installation's settings as r4; it has five routers."""
    router = SrosRouter.with_text("r4", OPERATORS_OWN_SROS)
    served = farm.serve(router, netconf=lambda user: SrosSession(router, user))
    _reached(installation, served, "r4")
    return Site(installation, router, served, "r4")


def eos_site(farm: Farm, installation: Installation) -> Site:
    """Adds an emulated router to an installation's settings as r5; it has five routers."""
    router = EosRouter("r5")
    typed_on_eos(router, OPERATORS_OWN_EOS)
    router.save()
    served = farm.serve(router, terminal=lambda user: EosTerminal(router, user))
    _reached(installation, served, "r5")
    return Site(installation, router, served, "r5")


# For a parameter of tests: a platform that HNTES delivers to and that has no site fails in each of them.
SITES: dict[str, Callable[[Farm, Installation], Site]] = {
    "junos": junos_site,
    "iosxr": iosxr_site,
    "iosxe": iosxe_site,
    "sros": sros_site,
    "eos": eos_site,
}
# The router of the demonstration that is of the platform.
ROUTER_OF = {"junos": "r1", "iosxr": "r2", "iosxe": "r3", "sros": "r4", "eos": "r5"}


def _reached(
    installation: Installation, served: EmulatedRouter, name: str, minutes: int = 5, probes: str = "[]"
) -> None:
    """Says in the settings how the router of that name is reached."""
    head, *tables = installation.settings.read_text(encoding="utf-8").split("[[routers]]\n")
    access = (
        f'\n  [routers.delivery]\n  address = "127.0.0.1"\n  port = {served.port}\n  user = "hntes"\n'
        f'  host_key = "{served.host_key}"\n  probes = {probes}\n\n'
    )
    (own,) = [number for number, table in enumerate(tables) if table.startswith(f'name = "{name}"\n')]
    tables[own] += access
    common = f"[delivery]\nconfirm_minutes = {minutes}\ntimeout_s = 60\n\n"
    installation.settings.write_text(common + "[[routers]]\n".join([head, *tables]), encoding="utf-8")
