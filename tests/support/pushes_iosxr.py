"""Pushes to an emulated IOS-XR router: lines into a target, then a commit. The texts differ in objects of all kinds."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest

from hntes.platforms.cisco.channel import Channel, DeviceType
from hntes.platforms.device import Device
from hntes.platforms.iosxr.session import IosXrDevice
from tests.support.devices.cisco.iosxr import Change, NotCommittedError, XrRouter
from tests.support.devices.cisco.iosxr_cli import XrTerminal, typed
from tests.support.devices.cisco.section import Section
from tests.support.devices.farm import Farm
from tests.support.pushes_lines import LinesBench, served, texts_of

# What an operator has there: addresses, and a list, a class and a policy for a port that HNTES leaves alone.
OPERATORS_OWN = """
logging 192.0.2.9
ipv4 access-list guard
 10 permit ipv4 192.0.2.0/24 any
class-map match-any voice
 match dscp ef
 end-class-map
policy-map campus
 class voice
  priority level 1
 class class-default
  bandwidth remaining percent 50
 end-policy-map
interface TenGigE0/0/0/0.100
 description to the campus, hntes-alpha
 encapsulation dot1q 100
 ipv4 address 192.0.2.1 255.255.255.0
interface TenGigE0/0/0/1
 ipv4 address 198.51.100.1 255.255.255.252
interface TenGigE0/0/0/2
 mtu 9000
interface TenGigE0/0/0/3
 ipv4 access-group guard ingress
 service-policy output campus
interface tunnel-te5
 bandwidth 1000000
"""
_TEXTS = texts_of("iosxr")


@dataclass
class XrBench(LinesBench):
    """An IOS-XR router that holds the text before, asked in the test's own thread, or over SSH if a farm serves it."""

    texts: ClassVar[dict[str, str]] = _TEXTS
    device_type: ClassVar[DeviceType] = "cisco_xr"
    trial_at: ClassVar[int] = 73
    alices_own: ClassVar[str] = "policy-map hntes-out\n class hntes-queue-alpha\n  bandwidth percent 50"
    alices_own_shown: ClassVar[str] = r"- .*hntes-queue-alpha bandwidth percent 55\n\+ .*bandwidth percent 50"
    alices_elsewhere: ClassVar[str] = "domain name elsewhere"

    def device(self, channel: Channel) -> Device:
        return IosXrDevice(channel)

    @staticmethod
    def configured(name: str | None) -> XrRouter:
        """A router with what is its operator's own and a text."""
        router = XrRouter("r1")
        typed(router, OPERATORS_OWN + (_TEXTS[name] if name else ""))
        router.commits = []
        return router

    @staticmethod
    def statements(root: Section) -> dict[str, list[str]]:
        """The lines of each section; of a policy in their order, of all else in none."""
        found = {each.text: list(each.lines()) for each in root.below.values()}
        return {head: lines if head.startswith("policy-map") else sorted(lines) for head, lines in found.items()}

    @property
    def is_on_trial(self) -> bool:
        return bool(self.router.trial)

    def commits(self) -> list[Section]:
        return [self.router.running, *(each.before for each in self.router.commits)]

    def drawn_request(self, draw: Random) -> int:
        """Every second one of those around the trial: most are lines before it."""
        around = range(self.trial_at - 2, self.trial_at + 9)
        return draw.choice(around) if draw.random() < 0.5 else draw.randint(1, 90)

    def alice_commits(self) -> None:
        """Somebody else would commit during a trial, and is refused."""
        session = self.router.open("alice")
        session.changes.append(Change((), "domain name", "domain name elsewhere"))
        with pytest.raises(NotCommittedError):
            self.router.commit(session)
        self.router.close(session)

    def changed_by_alice(self, lines: str) -> None:
        typed(self.router, lines)


def xr_bench(folder: Path, farm: Farm | None = None) -> XrBench:
    """A router that holds the text before, and what is its operator's own; behind SSH with a farm."""
    router = XrBench.configured("before")
    return XrBench(folder, router, served(router, XrTerminal, farm))
