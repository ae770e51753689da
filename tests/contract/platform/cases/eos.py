"""Arista EOS."""

from pathlib import Path
from typing import Any

from hntes.platforms.eos.dialect import DIALECT
from hntes.platforms.load import Part, RouterLoad
from tests.contract.platform.case import PlatformCase
from tests.support.devices.cisco.section import Section
from tests.support.devices.eos.cli import typed
from tests.support.devices.eos.device import EosRouter

PORTS = ("Ethernet1/1", "Ethernet2/1", "Ethernet3/1")
RUNNING = """\
! Command: show running-config
! device: wr (DCS-7280CR3-32P4, EOS-4.33.1F)
!
hostname wr
!
interface Ethernet1/1
   description to the site, hntes-alpha
   no switchport
!
interface Ethernet1/1.100
   encapsulation dot1q vlan 100
   ip address 192.0.2.21/30
   ipv6 address 2001:db8:fffe::1/64
!
interface Ethernet2/1
   mtu 9214
   speed 10g
   no switchport
   ip address 192.0.2.13/30
!
interface Ethernet3/1
   no switchport
   ip address 192.0.2.17/30
!
ip routing
!
qos map dscp 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 to traffic-class 1
qos map dscp 36 37 38 39 40 41 42 43 44 45 46 47 to traffic-class 1
qos map dscp 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 to traffic-class 6
!
"""
_POLICE = "traffic-policy, actions"
_DETECT = "qos profile: tx-queue, random-detect drop"


def _router(running: str, *transitions: str) -> EosRouter:
    router = EosRouter("wr")
    for each in (running, *transitions):
        typed(router, each)
    return router


def _lines(root: Section, depth: int = 0) -> list[str]:
    """In one order, but for the rules of a traffic policy."""
    found = []
    below = list(root.below.values())
    is_ranked = root.text.startswith("traffic-policy ")
    for each in below if is_ranked else sorted(below, key=lambda one: one.text):
        found += [" " * 3 * depth + each.text, *_lines(each, depth + 1)]
    return found


def _after(running: str, *transitions: str) -> str:
    return "\n".join(_lines(_router(running, *transitions).running))


def _delivered(running: str, text: str) -> str:
    return f"{_after(running, DIALECT.transition(None, text))}\n"


def _bench(farm: Any, folder: Path) -> Any:
    from tests.support.pushes_eos import eos_bench

    return eos_bench(folder, farm)


def _counted(bench: Any) -> tuple[str, str]:
    from tests.support.qos_models import PAIRS, model

    name = model("eos", pairs=PAIRS[:4]).filters[0].terms[1].counter
    bench.router.counted[name] = (3, 4500)
    return name, ""


_STORAGE = "1.3.6.1.2.1.25.2.3.1"
# 7,000 of 8,000 MB, of which buffers have 300 and the page cache 2,700; a disk is full.
_ROWS = {
    1: ("1.3.6.1.2.1.25.2.1.2", "RAM", 8_000_000, 7_000_000),
    2: ("1.3.6.1.2.1.25.2.1.2", "RAM (Buffers)", 8_000_000, 300_000),
    3: ("1.3.6.1.2.1.25.2.1.2", "RAM (Cache)", 8_000_000, 2_700_000),
    4: ("1.3.6.1.2.1.25.2.1.4", "Flash", 100, 100),
}
_COLUMNS = ((2, "objectid"), (3, "string"), (5, "integer"), (6, "integer"))
_AGENT = {
    "1.3.6.1.2.1.25.3.3.1.2.1": ("integer", 4),
    "1.3.6.1.2.1.25.3.3.1.2.2": ("integer", 30),
    **{
        f"{_STORAGE}.{column}.{index}": (kind, row[place])
        for place, (column, kind) in enumerate(_COLUMNS)
        for index, row in _ROWS.items()
    },
}

CASE = PlatformCase(
    name="eos",
    ports=PORTS,
    running=RUNNING,
    in_the_way=f"interface {PORTS[1]}\n   service-profile own\n",
    delivered=_delivered,
    after=_after,
    unknown=(
        "hostname elsewhere",
        "interface Ethernet9/1\n   shutdown",
        "router bgp 65000\n   neighbor 192.0.2.1 remote-as 1",
    ),
    damages=(
        ("source prefix 198.18.10.7/32", "source prefix 198.18.10.8/32"),
        ("bandwidth percent 55", "bandwidth percent 54"),
        ("set traffic class 4", "set traffic class 5"),
        ("   service-profile hntes-out-10000000k\n", "\n"),
    ),
    silent=r" *!.*| *match ipv[46]-all-default ipv[46]",
    # 6 is that of network control alone (CS6); here that is on 3, by default
    queue_numbers={"premium": 2},
    queues=range(1, 5),
    refused={
        "scavenger_policer": _POLICE,
        "wred_policer": _DETECT,
        "three_color_marker": "three-color marker",
        "two_queue_ecn": _DETECT,
        "premium_best_effort-none": _POLICE,
        **{f"other {plan}": _POLICE for plan in ("scavenger", "wred")},
        "strict alpha": "strict-high",
    },
    bench=_bench,
    agent=(_AGENT, RouterLoad(Part("hrProcessorLoad.2", 30), Part("RAM", 50))),
    counted=_counted,
)
