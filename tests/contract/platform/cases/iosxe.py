"""IOS-XE."""

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


def _counted(bench: object) -> tuple[str, str]:
    interface = f"{PORTS[0]}.100"
    bench.router.counted[interface, "hntes-alpha"] = (3, 4500)  # type: ignore[attr-defined]
    bench.router.counted[interface, "class-default"] = (8, 800)  # type: ignore[attr-defined]
    return "hntes-alpha", interface


CASE = PlatformCase(
    name="iosxe",
    ports=PORTS,
    running=iosxr.beside_any_plan(RUNNING),
    in_the_way=f"interface {PORTS[1]}\n service-policy output own\n",
    delivered=iosxr.delivered,
    after=_after,
    unknown=("snmp-server community public RW", "policy-map copp\n class class-default"),
    damages=(
        ("host 198.18.10.7", "host 198.18.10.8"),
        ("  bandwidth percent 55\n", "  bandwidth percent 54\n"),
        (" match qos-group 4\n", " match qos-group 5\n"),
    ),
    silent=r"!.*|\s*!",
    bench=_bench,
    counted=_counted,
)
