"""Pushes to an emulated EOS router: lines into a configuration session, then a commit with a timer."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar

from hntes.platforms.cisco.channel import Channel, DeviceType
from hntes.platforms.device import Device
from hntes.platforms.eos.session import EosDevice
from hntes.platforms.render import render
from tests.support.devices.cisco.section import Section
from tests.support.devices.eos.cli import EosTerminal, typed
from tests.support.devices.eos.device import EosRouter
from tests.support.devices.farm import Farm
from tests.support.pushes_lines import LinesBench, served
from tests.support.qos_models import PAIRS, model

# What an operator has there: ports, addresses, maps of marks, and a list and a traffic policy on another port.
OPERATORS_OWN = """
hostname r1
logging host 192.0.2.9
ip access-list guard
   10 permit ip 192.0.2.0/24 any
interface Ethernet1/1
   description to the campus, hntes-alpha
   no switchport
interface Ethernet1/1.100
   encapsulation dot1q vlan 100
   ip address 192.0.2.5/30
interface Ethernet2/1
   no switchport
   ip address 198.51.100.1/30
interface Ethernet3/1
   mtu 9214
   no switchport
   ip address 198.51.100.5/30
interface Ethernet4/1
   traffic-policy input guard
   no switchport
   ip access-group guard in
ip routing
qos map dscp 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 to traffic-class 1
qos map dscp 36 37 38 39 40 41 42 43 44 45 46 47 to traffic-class 1
qos map dscp 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 to traffic-class 6
qos profile own
   tx-queue 1
      no priority
      bandwidth percent 10
traffic-policies
   traffic-policy guard
      match bad ipv4
         source prefix 192.0.2.0/24
         actions
            drop
      match ipv4-all-default ipv4
      match ipv6-all-default ipv6
"""
TEXTS = {
    "before": render(model("eos", pairs=PAIRS[:4])),
    "after": render(model("eos", "recommended", "next_hop", pairs=PAIRS[2:])),
}


@dataclass
class EosBench(LinesBench):
    """An EOS router that holds the text before, stored; asked in the test's own thread, or over SSH with a farm."""

    texts: ClassVar[dict[str, str]] = TEXTS
    device_type: ClassVar[DeviceType] = "arista_eos"
    trial_at: ClassVar[int] = 109
    stores_apart: ClassVar[bool] = True
    is_confirmed_by_any: ClassVar[bool] = True
    alices_own: ClassVar[str] = "qos profile hntes-out-10000000k\ntx-queue 4\nbandwidth percent 50"
    alices_own_shown: ClassVar[str] = r"- .*bandwidth percent 55\n\+ .*bandwidth percent 50"
    alices_elsewhere: ClassVar[str] = "hostname elsewhere"

    def device(self, channel: Channel) -> Device:
        return EosDevice(channel)

    @staticmethod
    def configured(name: str | None) -> EosRouter:
        """A router with what is its operator's own and a text."""
        router = EosRouter("r1")
        typed(router, OPERATORS_OWN + (TEXTS[name] if name else ""))
        router.save()
        return router

    @staticmethod
    def statements(root: Section) -> dict[str, list[str]]:
        """The lines of each section; of traffic policies in their order, of all else in none."""
        found = {each.text: list(each.lines()) for each in root.below.values()}
        policies = root.get("traffic-policies")
        if policies is not None:
            found.pop("traffic-policies")
            found |= {each.text: list(each.lines()) for each in policies.below.values()}
        return {head: lines if head.startswith("traffic-policy") else sorted(lines) for head, lines in found.items()}

    @property
    def is_on_trial(self) -> bool:
        return self.router.trial is not None

    @property
    def starts_with(self) -> str:
        return self.name_of(self.router.startup)

    def commits(self) -> list[Section]:
        return [self.router.running, *self.router.history]

    def drawn_request(self, draw: Random) -> int:
        """Every second one of those around the trial: most are lines before it."""
        around = range(self.trial_at - 4, self.trial_at + 16)
        return draw.choice(around) if draw.random() < 0.5 else draw.randint(1, self.trial_at + 20)

    def alice_commits(self) -> None:
        """Somebody else would commit a session during a trial, and is refused."""
        terminal = EosTerminal(self.router, "alice")
        terminal.enter("configure session own")
        terminal.enter("ntp server 192.0.2.78")
        assert "% Session" in terminal.enter("commit")
        terminal.enter("abort")

    def changed_by_alice(self, lines: str) -> None:
        typed(self.router, lines)
        self.router.save()


def eos_bench(folder: Path, farm: Farm | None = None) -> EosBench:
    """A router that holds the text before, and what is its operator's own; behind SSH with a farm."""
    router = EosBench.configured("before")
    return EosBench(folder, router, served(router, EosTerminal, farm))
