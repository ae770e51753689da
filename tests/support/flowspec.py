"""FlowSpec rules for tests, and time as it goes by."""

import time
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network
from random import Random

from hntes.delivery.flowspec.rule import FlowSpecRule, RouteTarget
from tests.support.bgp import HeldRule


class MonotonicTimer:
    """The machine's time."""

    def now_s(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def random_rules(random: Random, per_family: int, dscp: int, redirect: RouteTarget | None) -> set[FlowSpecRule]:
    """So many of each family, of all prefix lengths from /16 and /32 on, also nested ones."""
    found: set[FlowSpecRule] = set()
    while sum(rule.ip_version == 4 for rule in found) < per_family:
        four = [IPv4Network((random.getrandbits(32), random.randint(16, 32)), strict=False) for _ in range(2)]
        found.add(FlowSpecRule(four[0], four[1], dscp, redirect))
    while sum(rule.ip_version == 6 for rule in found) < per_family:
        six = [
            IPv6Network((0x2001 << 112 | random.getrandbits(112), random.randint(32, 128)), strict=False) for _ in "12"
        ]
        found.add(FlowSpecRule(six[0], six[1], dscp, redirect))
    return found


def spoken(rules: Iterable[FlowSpecRule]) -> set[HeldRule]:
    """The rules as receivers' listings are compared."""
    return {
        (str(rule.source), str(rule.destination), rule.dscp, str(rule.redirect) if rule.redirect else None)
        for rule in rules
    }
