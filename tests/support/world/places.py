"""Emulated routers of all platforms, asked in the test's own thread, and what they hold for good."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hntes.platforms.cisco.channel import Channel
from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect
from hntes.platforms.eos.session import EosDevice
from hntes.platforms.iosxe.session import IosxeDevice
from hntes.platforms.iosxr.session import IosXrDevice
from hntes.platforms.junos.session import JunosDevice
from hntes.platforms.registry import platform_of
from hntes.platforms.sros.session import SrosDevice
from tests.contract.platform.case import case_of
from tests.contract.platform.models import supports
from tests.support.delivery import (
    OPERATORS_OWN,
    OPERATORS_OWN_EOS,
    OPERATORS_OWN_IOSXE,
    OPERATORS_OWN_IOSXR,
    OPERATORS_OWN_SROS,
)
from tests.support.devices.cisco.iosxe import XeRouter
from tests.support.devices.cisco.iosxe_cli import XeTerminal
from tests.support.devices.cisco.iosxr import XrRouter
from tests.support.devices.cisco.iosxr_cli import XrTerminal
from tests.support.devices.cisco.iosxr_cli import typed as typed_on_xr
from tests.support.devices.direct import DirectRouter
from tests.support.devices.direct_netconf import DirectNetconfRouter
from tests.support.devices.direct_sros import DirectSros
from tests.support.devices.eos.cli import EosTerminal
from tests.support.devices.eos.cli import typed as typed_on_eos
from tests.support.devices.eos.device import EosRouter
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.rpc import NetconfSession
from tests.support.devices.junos.text import write_text
from tests.support.devices.sros.datastore import enter, shown
from tests.support.devices.sros.device import SrosRouter
from tests.support.devices.sros.rpc import SrosSession
from tests.support.pushes_iosxe import typed as typed_on_xe
from tests.support.pushes_lines import DIRECT_S
from tests.support.qos_models import PLATFORMS as SHIPPED

# A platform without a place fails in the worlds that are drawn with it.
PLATFORMS = tuple(name for name in SHIPPED if platform_of(name).capabilities.delivers)
# Those that take a plan with reservations; what their settings say of queues.
RESERVING = tuple(name for name in PLATFORMS if supports(name, "premium"))
QUEUES = {name: dict(case_of(name).queue_numbers) for name in PLATFORMS}
# Ports of the settings: towards the campus, and towards the core.
PORTS = {
    "junos": ("xe-0/0/0", "xe-0/1/0"),
    "iosxr": ("TenGigE0/0/0/0", "TenGigE0/0/1/0"),
    "iosxe": ("TenGigabitEthernet0/0/0", "TenGigabitEthernet0/0/1"),
    "sros": ("1/1/c1/1", "1/1/c2/1"),
    "eos": ("Ethernet1/1", "Ethernet2/1"),
}
# The router interfaces on them, where they have names of their own.
LOGICAL = {"sros": ("to-site", "to-core")}
# What a person changes by hand: elsewhere, and on a port in what HNTES owns.
_ELSEWHERE = {
    "junos": 'set interfaces xe-0/0/0 description "site {}"',
    "iosxr": "domain name site{}",
    "iosxe": "interface TenGigabitEthernet0/0/1\ndescription site {}",
    "sros": "configure {{\nsystem {{\nname site{}\n}}\n}}",
    "eos": "interface Ethernet2/1\ndescription site {}",
}
_WAITING = {"junos": "pending", "iosxr": "trial", "iosxe": "revert", "sros": "pending", "eos": "trial"}


@dataclass
class Place:
    """One router. `before_request`: done before each request of HNTES, on any session."""

    name: str
    platform: str
    router: Any
    served: Any
    before_request: Callable[[], None] = lambda: None

    def opened(self) -> Device:
        """A session of HNTES."""
        client = self.served.connect("hntes")
        device: Any
        if self.platform in ("junos", "sros"):
            device = (JunosDevice if self.platform == "junos" else SrosDevice)(client)
            self._watch(device, "_ask")
            return device
        channel = Channel(client, DIRECT_S)
        self._watch(channel, "ask")
        if self.platform == "iosxr":
            return IosXrDevice(channel)
        if self.platform == "eos":
            return EosDevice(channel)
        return IosxeDevice(channel, now_s=lambda: self.router.clock.now_s)

    def _watch(self, asked: Any, name: str) -> None:
        ask = getattr(asked, name)

        def watched(*request: Any) -> Any:
            self.before_request()
            return ask(*request)

        setattr(asked, name, watched)

    @property
    def dialect(self) -> Dialect:
        return platform_of(self.platform).dialect

    def for_good(self) -> str:
        """The configuration that is left once every timer has run off, as the router lists it."""
        self.router.settle()
        on_trial = getattr(self.router, _WAITING[self.platform])
        if on_trial is not None:
            return _text(on_trial.before)
        return _text(self.router.active if self.platform == "junos" else self.router.running)

    def restart(self) -> None:
        self.served.restart()

    def let_trials_end(self) -> None:
        self.router.clock.advance(86_400.0)
        self.router.settle()

    def edit_elsewhere(self, number: int) -> None:
        """A person changes something that is not HNTES's, once nobody else has a change under way."""
        self.let_trials_end()
        lines = _ELSEWHERE[self.platform].format(number)
        if self.platform == "junos":
            self._commit(lines)
        elif self.platform == "iosxr":
            typed_on_xr(self.router, lines)
        elif self.platform == "sros":
            self._commit_on_sros(lambda data: enter(data, lines))
        else:
            (typed_on_eos if self.platform == "eos" else typed_on_xe)(self.router, lines)
            self.router.save()

    def _commit_on_sros(self, edit: Callable[[Any], object]) -> None:
        session = self.router.open("alice")
        edit(self.router.edited(session))
        self.router.commit(session)
        self.router.save()
        self.router.close(session)

    def _commit(self, lines: str) -> None:
        session = self.router.open("alice")
        if problems := self.router.load(session, lines, "set"):
            raise ValueError(problems[0].message)
        self.router.commit(session)
        self.router.close(session)

    def edit_own(self) -> bool:
        """A person removes what HNTES has on a port; whether there was something."""
        self.let_trials_end()
        if not self.dialect.owned(self.for_good()).statements:
            return False
        edge, core = PORTS[self.platform]
        if self.platform == "junos":
            if "apply-groups" not in self.for_good():
                return False  # somebody was there before
            self._commit("delete apply-groups hntes")
        elif self.platform == "iosxr":
            typed_on_xr(self.router, f"interface {edge}\n no service-policy input hntes-in")
        elif self.platform in ("sros", "eos"):
            return self._queues_removed(core)
        else:
            found = next(
                (line for line in _text(self.router.running).splitlines() if "service-policy input hntes" in line), ""
            )
            if not found:
                return False
            typed_on_xe(self.router, f"interface {edge}\nno {found.strip()}")
            self.router.save()
        return True

    def roll_back(self) -> bool:
        """A person brings back what the router had before HNTES' part last changed; whether the router keeps that."""
        self.let_trials_end()
        now = self.dialect.owned(self.for_good())
        earlier = self._earlier()
        count = next((n for n, each in enumerate(earlier, 1) if self.dialect.owned(_text(each)) != now), None)
        if count is None:
            return False
        if self.platform == "junos":
            session = self.router.open("alice")
            self.router.rollback(session, count)
            self.router.commit(session)
            self.router.close(session)
        elif self.platform == "iosxr":
            self.router.rollback("alice", count)
        elif self.platform == "sros":
            self._commit_on_sros(lambda data: (data.clear(), data.update(copy.deepcopy(earlier[count - 1]))))
        else:
            session = self.router.session(f"alice at {self.router.clock.now_s}", "alice")
            session.target = earlier[count - 1].copy()
            self.router.commit(session, None)
            self.router.save()
        return True

    def _earlier(self) -> list[Any]:
        """Its earlier configurations, the newest first; IOS XE has none but in files."""
        if self.platform == "junos":
            return [each.root for each in self.router.commits[1:]]
        if self.platform == "iosxr":
            return [each.before for each in self.router.commits]
        if self.platform == "sros":
            return list(self.router.history)
        return self.router.history[-2::-1] if self.platform == "eos" else []

    def _queues_removed(self, core: str) -> bool:
        """Takes the queues of HNTES off a port of SR OS or EOS; whether there were any."""
        if self.platform == "sros":
            network = self.router.running["port"][(core,)].get("ethernet", {}).get("network", {})
            if "queue-policy" not in network.get("egress", {}):
                return False
            self._commit_on_sros(
                lambda data: data["port"][(core,)]["ethernet"]["network"]["egress"].pop("queue-policy")
            )
            return True
        if not any(each.text.startswith("service-profile hntes") for each in self._lines(core)):
            return False
        typed_on_eos(self.router, f"interface {core}\nno service-profile")
        self.router.save()
        return True

    def _lines(self, port: str) -> list[Any]:
        return list(self.router.running.below[f"interface {port}"].below.values())


def place(name: str, platform: str) -> Place:
    """A router with what is its operator's own."""
    if platform == "junos":
        junos = JunosRouter.with_text(name, OPERATORS_OWN)
        return Place(name, platform, junos, DirectNetconfRouter(junos, lambda user: NetconfSession(junos, user)))
    if platform == "iosxr":
        xr = XrRouter(name)
        typed_on_xr(xr, OPERATORS_OWN_IOSXR)
        return Place(name, platform, xr, DirectRouter(xr, lambda user: XrTerminal(xr, user)))
    if platform == "sros":
        sros = SrosRouter.with_text(name, OPERATORS_OWN_SROS)
        direct = DirectNetconfRouter(sros, lambda user: SrosSession(sros, user), DirectSros)
        return Place(name, platform, sros, direct)
    if platform == "eos":
        eos = EosRouter(name)
        typed_on_eos(eos, OPERATORS_OWN_EOS)
        eos.save()
        return Place(name, platform, eos, DirectRouter(eos, lambda user: EosTerminal(eos, user)))
    xe = XeRouter(name)
    typed_on_xe(xe, OPERATORS_OWN_IOSXE)
    xe.save()
    return Place(name, platform, xe, DirectRouter(xe, lambda user: XeTerminal(xe, user)))


def _text(root: Any) -> str:
    """As the router lists it: on Cisco and EOS with a mark behind each section."""
    if isinstance(root, dict):
        return "\n".join(shown(root)) + "\n"
    if hasattr(root, "children"):
        return "\n".join(write_text(root)) + "\n"
    return "".join("\n".join((each.text, *each.lines(1), "!", "")) for each in root.below.values())
