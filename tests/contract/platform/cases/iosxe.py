"""IOS-XE."""

from functools import partial
from pathlib import Path

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
    counted=partial(iosxr.counted, PORTS[0]),
)
