"""Junos."""

from pathlib import Path

from hntes.platforms.junos.dialect import DIALECT
from hntes.platforms.load import Part, RouterLoad
from tests.contract.platform.case import PlatformCase
from tests.support.junos_statements import Router

RUNNING = """\
version 22.1R1;
apply-groups re0;
groups { re0 { system { host-name wr; } } }
firewall { family inet { filter PROTECT { term all { then accept; } } } }
class-of-service {
    classifiers { dscp core { import default; } }
    forwarding-classes { class network-control queue-num 3; }
}
interfaces {
    xe-0/0/0 { unit 100 { family inet { address 192.0.2.9/30; } family inet6; } }
    xe-0/0/1 { unit 0 { family inet { address 192.0.2.13/30; } } }
    xe-0/0/2 { unit 0 { family inet { address 192.0.2.17/30; } family inet6; } }
    lo0 { unit 0 { family inet { filter { input PROTECT; } } } }
}
routing-options { forwarding-table { export balance; } }
policy-options { policy-statement balance { then { load-balance per-packet; } } }
"""
ROUTES = ["198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"]


def _beside_any_plan() -> str:
    """Without what some plans meet: a class's number, and a family that an edge interface does not have."""
    text = RUNNING.replace("class network-control queue-num 3;", "").replace("192.0.2.9", "192.0.2.21")
    return text.replace("address 192.0.2.13/30; }", "address 192.0.2.13/30; } family inet6;")


def _delivered(running: str, text: str) -> str:
    return running + DIALECT.transition(None, text).replace("    replace: hntes {", "    hntes {")


def _after(running: str, *transitions: str) -> str:
    router = Router()
    router.load_replace(running)
    for each in transitions:
        is_removal = any(line.startswith("delete ") for line in each.splitlines())
        (router.load_set if is_removal else router.load_replace)(each)
    return router.shown()


def _bench(farm: object, folder: Path) -> object:
    from tests.support.pushes import bench

    return bench(farm, folder)


def _counted(bench: object) -> tuple[str, str]:
    from tests.support.pushes import BEFORE

    counter = BEFORE.filters[0].terms[1].counter
    bench.router.counted[counter] = (3, 4500)  # type: ignore[attr-defined]
    return counter, ""


_TABLE = "1.3.6.1.4.1.2636.3.1.13.1"
# A second routing engine that is not there, and a PIC, whose column repeats what its FPC has.
_PARTS = {
    "9.1.0.0": ("Routing Engine 0", 12, 41),
    "9.2.0.0": ("Routing Engine 1", 0, 0),
    "7.1.0.0": ("FPC: MPC5E @ 0/*/*", 21, 33),
    "8.1.1.0": ("PIC: 2X100GE @ 0/0/*", 99, 99),
    "4.1.1.0": ("Fan Tray 0", 0, 0),
}
_AGENT = {
    f"{_TABLE}.{column}.{index}": (kind, part[place])
    for place, (column, kind) in enumerate(((5, "string"), (8, "gauge"), (11, "gauge")))
    for index, part in _PARTS.items()
}

CASE = PlatformCase(
    name="junos",
    ports=("xe-0/0/0", "xe-0/0/1", "xe-0/0/2"),
    running=_beside_any_plan(),
    in_the_way="class-of-service { interfaces { xe-0/0/1 { scheduler-map own; } } }\n",
    delivered=_delivered,
    after=_after,
    unknown=("system { services { telnet; } }", "routing-options { static { route 0.0.0.0/0 discard; } }"),
    damages=(
        ("source-address 198.18.10.7/32;", "source-address 198.18.10.8/32;"),
        ("transmit-rate percent 55;", "transmit-rate percent 54;"),
        ("class alpha queue-num 4;", "class alpha queue-num 5;"),
        ("scheduler-map hntes;", ""),
    ),
    silent=r"##.*|\s*accept;|\s*\/\*.*\*\/|\s*count .*;",
    lsp={"routes": ROUTES},
    bench=_bench,
    agent=(_AGENT, RouterLoad(Part("FPC: MPC5E @ 0/*/*", 21), Part("Routing Engine 0", 41))),
    counted=_counted,
)
