"""IOS-XE."""

from functools import partial
from pathlib import Path

from hntes.platforms.load import Part, RouterLoad
from tests.contract.platform.case import PlatformCase
from tests.contract.platform.cases import iosxr
from tests.support.ios_lines import Configuration, loaded

PORTS = ("TenGigabitEthernet0/0/0", "TenGigabitEthernet0/0/1", "TenGigabitEthernet0/0/2")
RUNNING = (
    iosxr.RUNNING.replace("TenGigE0/0", "TenGigabitEthernet0")
    .replace("ipv4 a", "ip a")
    .replace(" end-class-map\n", "")
    .replace(" end-policy-map\n", "")
)


def _after(running: str, *transitions: str) -> str:
    found = Configuration()
    for each in (running, *transitions):
        found = loaded(found, each)
    return found.shown()


def _bench(_: object, folder: Path) -> object:
    from tests.support.pushes_iosxe import xe_bench

    return xe_bench(folder)


_CPU, _POOLS = "1.3.6.1.4.1.9.9.109.1.1.1.1", "1.3.6.1.4.1.9.9.48.1.1.1"
# 1.5 of 4 GB, of which IOS has 300 of 500 MB; lsmpi_io is full.
_AGENT = {
    f"{_CPU}.7.7": ("gauge", 15),
    f"{_CPU}.12.7": ("gauge", 1_500_000),
    f"{_CPU}.13.7": ("gauge", 2_500_000),
    f"{_POOLS}.5.1": ("gauge", 300_000_000),
    f"{_POOLS}.6.1": ("gauge", 200_000_000),
    f"{_POOLS}.5.20": ("gauge", 6_294_304),
    f"{_POOLS}.6.20": ("gauge", 824),
}

CASE = PlatformCase(
    name="iosxe",
    ports=PORTS,
    running=iosxr.beside_any_plan(RUNNING),
    in_the_way=f"interface {PORTS[1]}\n service-policy output own\n",
    delivered=iosxr.delivered,
    after=_after,
    unknown=("snmp-server community public RW", "policy-map copp\n class class-default"),
    damages=iosxr.DAMAGES,
    silent=r"!.*|\s*!",
    bench=_bench,
    agent=(_AGENT, RouterLoad(Part("cpmCPUTotal1minRev.7", 15), Part("ciscoMemoryPoolUsed.1", 60))),
    counted=partial(iosxr.counted, PORTS[0]),
)
