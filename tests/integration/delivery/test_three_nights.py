"""Three nights on routers as operators have them: each plan beside what is there, delivered, one pair aged out, one
withdrawn; packets are walked through what the router then holds.

Junos has two routing engines and groups of the operator's; the edges of Cisco an anti-spoofing list and uRPF, that of
SR OS a filter that drops, in which HNTES' is embedded, that of EOS an access list.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hntes.delivery.verify import check_effect
from hntes.gate.criteria.structure import STRUCTURE
from hntes.platforms.adopted import expected_beside
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.dialect import Dialect
from hntes.platforms.merged import read_merged
from hntes.platforms.registry import platform_of
from hntes.platforms.render import render
from hntes.platforms.validate import validate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.rules.qos.remove_pairs import without_pair
from tests.contract.platform.case import case_of
from tests.support.benches import DELIVERED_TO
from tests.support.device_walker import eos_walk, sros_walk
from tests.support.devices.cisco.iosxe import XeRouter
from tests.support.devices.cisco.iosxe_cli import XeTerminal
from tests.support.devices.cisco.iosxr import XrRouter
from tests.support.devices.cisco.iosxr_cli import XrTerminal
from tests.support.devices.cisco.iosxr_cli import typed as typed_xr
from tests.support.devices.eos.cli import EosTerminal
from tests.support.devices.eos.cli import typed as typed_eos
from tests.support.devices.eos.device import EosRouter
from tests.support.devices.farm import Farm
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.rpc import NetconfSession
from tests.support.devices.sros.device import SrosRouter
from tests.support.devices.sros.rpc import SrosSession
from tests.support.packet_walker import Packet, Walked, cisco_text, cisco_walk, junos_text, junos_walk
from tests.support.pushes import Bench
from tests.support.pushes_eos import EosBench
from tests.support.pushes_iosxe import XeBench
from tests.support.pushes_iosxe import typed as typed_xe
from tests.support.pushes_iosxr import XrBench
from tests.support.pushes_lines import served
from tests.support.pushes_sros import SrosBench
from tests.support.qos_models import PLANS, router

JUNOS = """
version 22.1R1;
groups {
    re0 {
        system { host-name wr-re0; }
        interfaces { fxp0 { unit 0 { family inet { address 192.0.2.250/24; } } } }
    }
    re1 {
        system { host-name wr-re1; }
        interfaces { fxp0 { unit 0 { family inet { address 192.0.2.251/24; } } } }
    }
    base { snmp { location rack; } protocols { lldp { interface all; } } }
}
apply-groups [ re0 re1 base ];
chassis { redundancy { routing-engine 0 master; routing-engine 1 backup; graceful-switchover; } }
system { commit synchronize; }
interfaces {
    xe-0/0/0 {
        vlan-tagging;
        unit 100 {
            vlan-id 100;
            family inet { rpf-check; filter { input customers; } address 198.18.10.1/24; }
            family inet6 { address 2001:db8:1::1/64; }
        }
    }
    xe-0/0/1 { unit 0 { family inet { address 192.0.2.5/30; } family inet6 { address 2001:db8:9::1/64; } } }
    xe-0/0/2 { unit 0 { family inet { address 192.0.2.9/30; } family inet6 { address 2001:db8:a::1/64; } } }
}
firewall { family inet { filter customers {
    term spoofed { from { source-address { 203.0.113.0/24; } } then { count spoofed; discard; } }
    term rest { then accept; }
} } }
"""
IOSXR = """
ipv4 access-list customers
 10 permit ipv4 198.18.0.0/16 any
 20 deny ipv4 any any
interface TenGigE0/0/0/0
 description customers
interface TenGigE0/0/0/0.100
 ipv4 address 198.18.10.1 255.255.255.0
 ipv6 address 2001:db8:1::1/64
 ipv4 verify unicast source reachable-via rx
 ipv4 access-group customers ingress
interface TenGigE0/0/0/1
 ipv4 address 192.0.2.5 255.255.255.252
interface TenGigE0/0/0/2
 ipv4 address 192.0.2.9 255.255.255.252
"""
IOSXE = """archive
path bootflash:backup
ip access-list extended customers
10 permit ip 198.18.0.0 0.0.255.255 any
20 deny ip any any
interface TenGigabitEthernet0/0/0
description customers
interface TenGigabitEthernet0/0/0.100
encapsulation dot1Q 100
ip address 198.18.10.1 255.255.255.0
ip verify unicast source reachable-via rx
ip access-group customers in
interface TenGigabitEthernet0/0/1
ip address 192.0.2.5 255.255.255.252
interface TenGigabitEthernet0/0/2
ip address 192.0.2.9 255.255.255.252
"""
SROS = """
configure {
    filter {
        ip-filter "customers" {
            default-action accept
            entry 10 {
                match {
                    src-ip {
                        address 203.0.113.0/24
                    }
                }
                action {
                    drop
                }
            }
        }
    }
    router "Base" {
        interface "to-site" {
            ingress {
                filter {
                    ip "customers"
                }
            }
        }
    }
}
"""
EOS = """
ip access-list customers
   10 permit ip 198.18.0.0/16 any
   20 deny ip any any
interface Ethernet1/1.100
   ip access-group customers in
"""
TEXTS = ("198.18.10.0/24>203.0.113.0/24", "198.18.20.0/24>203.0.113.0/24", "198.18.30.7/32>198.51.100.0/24",
         "198.18.40.0/24>203.0.113.0/24", "2001:db8:1::/64>2001:db8:2::/64")  # fmt: skip
AGED, WITHDRAWN, LATER, LAST, IPV6 = map(PrefixPair.parse, TEXTS)
# The pairs of each night: one is no longer seen in the second, and one was withdrawn before the third.
NIGHTS = ((AGED, WITHDRAWN), (WITHDRAWN, LATER), (LATER, LAST))
PLATFORMS = pytest.mark.parametrize("platform", DELIVERED_TO)
ALPHA = 4


@dataclass
class Operators:
    """An emulated router that holds what is its operator's own, and what walks packets through what it shows."""

    platform: str
    bench: Any

    @property
    def dialect(self) -> Dialect:
        return platform_of(self.platform).dialect

    def pushed(self, before: str | None, after: str | None, interfaces: Any) -> None:
        """Delivers a text in the place of the one before, and sees that it does what it says."""
        self.bench.texts = {"before": before, "after": after}
        self.bench._judge = partial(self._judge, interfaces)
        assert self.bench.push().outcome == "done"
        assert self.dialect.owned(self.bench.shown()) == self.dialect.part_of(after)

    def _judge(self, interfaces: Any, after: str, dialect: Dialect, configuration: str) -> None:
        if self.bench.texts[after] is not None:
            check_effect(dialect, configuration, self.bench.texts[after], interfaces)

    def walk(self, packet: Packet) -> Walked:
        port, shown = case_of(self.platform).ports[0], self.bench.shown()
        if self.platform == "junos":
            return junos_walk(junos_text(shown), port, 100, packet)
        if self.platform == "sros":
            return sros_walk(self.bench.router.running, "to-site", packet)
        if self.platform == "eos":
            return eos_walk(self.bench.router.running, f"{port}.100", packet)
        return cisco_walk(cisco_text(shown), f"{port}.100", packet)


@pytest.fixture
def operators(platform: str, farm: Farm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Operators:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    build: dict[str, Callable[[], Any]] = {
        "junos": lambda: _junos(farm, tmp_path), "iosxr": lambda: _iosxr(tmp_path), "iosxe": lambda: _iosxe(tmp_path),
        "sros": lambda: _sros(farm, tmp_path), "eos": lambda: _eos(tmp_path),
    }  # fmt: skip
    return Operators(platform, build[platform]())


def _junos(farm: Farm, folder: Path) -> Bench:
    device = JunosRouter.with_text("wr", JUNOS)
    return Bench(folder, device, farm.serve(device, netconf=lambda user: NetconfSession(device, user)))


def _iosxr(folder: Path) -> XrBench:
    device = XrRouter("wr")
    typed_xr(device, IOSXR)
    device.commits = []
    return XrBench(folder, device, served(device, XrTerminal, None))


def _iosxe(folder: Path) -> XeBench:
    device = XeRouter("wr")
    typed_xe(device, IOSXE)
    device.save()
    return XeBench(folder, device, served(device, XeTerminal, None))


def _sros(farm: Farm, folder: Path) -> SrosBench:
    device = SrosRouter.with_text("wr", case_of("sros").running, SROS)
    return SrosBench(folder, device, farm.serve(device, netconf=lambda user: SrosSession(device, user)))


def _eos(folder: Path) -> EosBench:
    device = EosRouter("wr")
    typed_eos(device, case_of("eos").running + EOS)
    device.save()
    return EosBench(folder, device, served(device, EosTerminal, None))


def candidate(platform: str, pairs: tuple[PrefixPair, ...], running: str) -> tuple[RouterModel, str]:
    """A night's candidate beside what the router shows, with the verdict of what does not depend on traffic."""
    made = build_model(router(platform), PLANS["recommended"], [*pairs, IPV6])
    validate(made)
    fitted = check_conflicts(made, running)
    text = render(fitted)
    merged = read_merged(platform, text, running, fitted.interfaces)
    verdict = STRUCTURE.verdict(
        merged, [*pairs, IPV6], alpha_queue=ALPHA, is_redirected=False, port_buffer_ms=100,
        expected=expected_beside(fitted, running),
    )  # fmt: skip
    assert verdict.outcome == "passed", verdict.sentence
    return fitted, text


def inside(pair: PrefixPair) -> Packet:
    return str(pair.source[0]), str(pair.destination[-1])


@PLATFORMS
def test_three_nights_with_a_pair_aged_out_and_one_withdrawn(operators: Operators, platform: str) -> None:
    own = operators.bench.shown()
    others = operators.dialect.foreign(own)
    before: str | None = None
    for number, pairs in enumerate(NIGHTS):
        fitted, text = candidate(platform, pairs, operators.bench.shown())
        operators.pushed(before, text, fitted.interfaces)
        assert operators.dialect.foreign(operators.bench.shown()) == others
        for pair in (AGED, WITHDRAWN, LATER, LAST, IPV6):
            found = operators.walk(inside(pair))
            assert (found.is_dropped, found.queue) == (False, ALPHA if pair in (*pairs, IPV6) else 0), (number, pair)
        spoofed = operators.walk(("203.0.113.7", "203.0.113.9"))
        assert (spoofed.is_dropped, operators.walk(("198.18.99.1", "203.0.113.9")).queue) == (True, 0)
        before = text
        if WITHDRAWN in pairs and AGED not in pairs:
            less = without_pair(fitted, WITHDRAWN)
            operators.pushed(text, render(less), less.interfaces)
            assert operators.walk(inside(WITHDRAWN)).queue == 0
            before = render(less)
    operators.pushed(before, None, fitted.interfaces)
    assert operators.bench.shown() == own


@PLATFORMS
def test_what_an_operator_adds_in_between_is_in_the_way_with_its_line(operators: Operators, platform: str) -> None:
    fitted, text = candidate(platform, NIGHTS[0], operators.bench.shown())
    operators.pushed(None, text, fitted.interfaces)
    added = case_of(platform).in_the_way
    with pytest.raises(Exception, match=case_of(platform).ports[1]):
        candidate(platform, NIGHTS[1], f"{operators.bench.shown()}\n{added}")
