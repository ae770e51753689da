"""Pushes to an emulated IOS-XE router, which takes each line at once; between the texts everything changes that can."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar

from hntes.platforms.cisco.channel import Channel, DeviceType
from hntes.platforms.device import Device
from hntes.platforms.iosxe.session import IosxeDevice
from tests.support.devices.cisco.iosxe import XeRouter
from tests.support.devices.cisco.iosxe_cli import XeTerminal
from tests.support.devices.cisco.section import Section
from tests.support.devices.farm import Farm
from tests.support.pushes_lines import LinesBench, served, texts_of

# What an operator has there: addresses, routing, an archive, and a list and a policy for ports that HNTES leaves alone.
OPERATORS_OWN = """
archive
 path bootflash:backup
 maximum 10
ip access-list extended guard
 10 permit ip 192.0.2.0 0.0.0.255 any
class-map match-any voice
 match dscp ef
policy-map campus
 class voice
  priority percent 10
interface TenGigabitEthernet0/0/0.100
 encapsulation dot1Q 100
 ip address 192.0.2.1 255.255.255.0
interface TenGigabitEthernet0/0/1
 description to the core
 ip address 198.51.100.1 255.255.255.252
interface TenGigabitEthernet0/0/2
 ip address 198.51.100.5 255.255.255.252
interface TenGigabitEthernet0/0/3
 ip access-group guard in
 service-policy output campus
ip route 0.0.0.0 0.0.0.0 198.51.100.2
logging host 192.0.2.9
"""
_TEXTS = texts_of("iosxe")


@dataclass
class XeBench(LinesBench):
    """An IOS-XE router that holds the text before, stored; asked in the test's own thread, or over SSH with a farm."""

    texts: ClassVar[dict[str, str]] = _TEXTS
    device_type: ClassVar[DeviceType] = "cisco_xe"
    trial_at: ClassVar[int] = 6
    alices_own: ClassVar[str] = "policy-map hntes-in-018a109e\nclass class-default\nset qos-group 3"
    alices_own_shown: ClassVar[str] = r"(?s)- .*class-default set qos-group 0\n\+ .*class-default set qos-group 3"
    alices_elsewhere: ClassVar[str] = "interface TenGigabitEthernet0/0/1\ndescription elsewhere"

    def device(self, channel: Channel) -> Device:
        return IosxeDevice(channel, now_s=lambda: self.router.clock.now_s)

    @staticmethod
    def configured(name: str | None) -> XeRouter:
        """A router with what is its operator's own and a text."""
        router = XeRouter("r1")
        typed(router, OPERATORS_OWN + (_TEXTS[name] if name else ""))
        router.save()
        return router

    @staticmethod
    def statements(root: Section) -> dict[str, list[str]]:
        """The lines of each section; of an interface in no order."""
        found = {each.text: list(each.lines()) for each in root.below.values()}
        return {head: sorted(lines) if head.startswith("interface ") else lines for head, lines in found.items()}

    @property
    def is_on_trial(self) -> bool:
        return bool(self.router.revert)

    @property
    def starts_with(self) -> str:
        return self.name_of(self.router.startup)

    def commits(self) -> list[Section]:
        """Each configuration that was ever stored, the newest first."""
        return self.router.stored[::-1]

    def drawn_request(self, draw: Random) -> int:
        """Every second one of those around the lines of the trial, which are most: its beginning, and what follows."""
        around = (*range(self.trial_at - 2, self.trial_at + 3), *range(78, 94))
        return draw.choice(around) if draw.random() < 0.5 else draw.randint(1, 95)

    def alice_commits(self) -> None:
        """Somebody else would confirm what is on trial, and is refused."""
        assert "was set by user hntes" in XeTerminal(self.router, "alice").enter("configure confirm")

    def changed_by_alice(self, lines: str) -> None:
        typed(self.router, lines)
        self.router.save()


def typed(router: XeRouter, text: str, user: str = "alice") -> None:
    """Lines of configuration as a person types them, each of which is taken."""
    terminal = XeTerminal(router, user)
    terminal.enter("configure terminal")
    for line in text.splitlines():
        printed = terminal.enter(line)
        assert "\n" not in printed, f"{line}: {printed}"


def xe_bench(folder: Path, farm: Farm | None = None) -> XeBench:
    """A router that holds the text before, and what is its operator's own; behind SSH with a farm."""
    router = XeBench.configured("before")
    router.stored = [router.startup]
    return XeBench(folder, router, served(router, XeTerminal, farm))
