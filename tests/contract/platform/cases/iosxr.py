"""IOS-XR."""

from functools import partial
from pathlib import Path

from hntes.platforms.load import Part, RouterLoad
from tests.contract.platform.case import PlatformCase
from tests.support.ios_lines import Configuration, committed

PORTS = ("TenGigE0/0/0/0", "TenGigE0/0/0/1", "TenGigE0/0/0/2")
RUNNING = """\
class-map match-any voice
 match dscp ef
 end-class-map
!
policy-map tunnels
 class voice
  set qos-group 7
 !
 class class-default
 !
 end-policy-map
!
interface TenGigE0/0/0/0
 ipv4 access-group customers egress
!
interface TenGigE0/0/0/0.100
 ipv4 address 192.0.2.9 255.255.255.252
!
interface TenGigE0/0/0/1
 description core
!
interface TenGigE0/0/0/2
 mtu 9000
!
interface TenGigE0/0/0/9
 service-policy input tunnels
!
interface tunnel-te5
 destination 192.0.2.1
!
"""


DAMAGES = (
    ("host 198.18.10.7", "host 198.18.10.8"),
    ("  bandwidth percent 55\n", "  bandwidth percent 54\n"),
    (" match qos-group 4\n", " match qos-group 5\n"),
)


def beside_any_plan(text: str) -> str:
    """Without what some plans meet: a QoS group, a list on a core port, the network of a next hop."""
    for old, new in (("192.0.2.9", "192.0.2.21"), ("set qos-group 7", "set dscp ef")):
        text = text.replace(old, new)
    return "".join(line for line in text.splitlines(keepends=True) if "access-group customers egress" not in line)


def delivered(running: str, text: str) -> str:
    """What a router lists: objects of the text behind those of the operator's."""
    return running + "".join(f"{line}\n" for line in text.splitlines() if not line.startswith(("no ", "!")))


def _after(running: str, *transitions: str) -> str:
    found = Configuration()
    for each in (running, *transitions):
        found = committed(found, each)
    return found.shown()


def _bench(_: object, folder: Path) -> object:
    from tests.support.pushes_iosxr import xr_bench

    return xr_bench(folder)


def counted(port: str, bench: object) -> tuple[str, str]:
    """Packets of the pairs and others on a unit of the edge port."""
    interface = f"{port}.100"
    bench.router.counted[interface, "hntes-alpha"] = (3, 4500)  # type: ignore[attr-defined]
    bench.router.counted[interface, "class-default"] = (8, 800)  # type: ignore[attr-defined]
    return "hntes-alpha", interface


_CPU, _POOLS = "1.3.6.1.4.1.9.9.109.1.1.1.1", "1.3.6.1.4.1.9.9.221.1.1.1.1"
# 6 of 24 GB of the processor pool, which 32 bits do not hold; the pools of types 11 and 12 are full.
_AGENT = {
    f"{_CPU}.7.2": ("gauge", 7),
    f"{_CPU}.7.18": ("gauge", 9),
    **{f"{_POOLS}.2.2.{pool}": ("integer", kind) for pool, kind in ((1, 2), (2, 11), (3, 12))},
    **{f"{_POOLS}.7.2.{pool}": ("gauge", used) for pool, used in ((1, 4_294_967_295), (2, 50), (3, 100))},
    **{f"{_POOLS}.8.2.{pool}": ("gauge", free) for pool, free in ((1, 4_294_967_295), (2, 0), (3, 0))},
    **{f"{_POOLS}.18.2.{pool}": ("counter64", used) for pool, used in ((1, 6_000_000_000), (2, 50), (3, 100))},
    **{f"{_POOLS}.20.2.{pool}": ("counter64", free) for pool, free in ((1, 18_000_000_000), (2, 0), (3, 0))},
}

CASE = PlatformCase(
    name="iosxr",
    ports=PORTS,
    running=beside_any_plan(RUNNING),
    in_the_way=f"interface {PORTS[1]}\n service-policy output own\n",
    delivered=delivered,
    after=_after,
    unknown=("snmp-server community public RW", "policy-map copp\n class class-default\n !\n end-policy-map"),
    damages=(
        *DAMAGES,
        (" service-policy output hntes-out\n", ""),
    ),
    silent=r"!.*|\s*!|\s*end-(class|policy)-map|no ipv[46] access-list .*",
    bench=_bench,
    agent=(_AGENT, RouterLoad(Part("cpmCPUTotal1minRev.18", 9), Part("cempMemPoolHCUsed.2.1", 25))),
    counted=partial(counted, PORTS[0]),
)
