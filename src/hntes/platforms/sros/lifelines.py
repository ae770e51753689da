"""Lifelines in a running configuration of SR OS.

Source: Nokia's YANG modules nokia-conf-router, -router-bgp, -system, -log, -cflowd and -system-security-aaa.
"""

import re
from collections.abc import Iterator

from hntes.platforms.lifelines import Lifeline, LifelineKind, lifelines_of
from hntes.platforms.sros.parser.tree import below, read_listing

_IS_ADDRESS = re.compile(r"[0-9A-Fa-f]*[.:][0-9A-Fa-f.:]+(?:/\d+)?")
_ADDRESS = r"(?P<address>\S+)$"
_OF_INTERFACE = rf"ipv[46](?: primary)? address {_ADDRESS}"
_KINDS = (
    LifelineKind("loopback", re.compile(rf"\brouter Base interface (?:system|lo\S*|loopback\S*) {_OF_INTERFACE}")),
    LifelineKind("management", re.compile(rf"\brouter management interface .+? {_OF_INTERFACE}")),
    LifelineKind("BGP neighbor", re.compile(rf"\bbgp neighbor {_ADDRESS}")),
    LifelineKind("time server", re.compile(rf"\bsystem time s?ntp (?:server|peer) {_ADDRESS}")),
    LifelineKind("log server", re.compile(rf"\blog syslog \S+ address {_ADDRESS}")),
    LifelineKind(
        "login server", re.compile(rf"\bremote-servers (?:tacplus|radius|ldap) server \S+ address {_ADDRESS}")
    ),
    LifelineKind("SNMP manager", re.compile(rf"\blog snmp-trap-group \S+ trap-target .+? address {_ADDRESS}")),
    LifelineKind("flow collector", re.compile(rf"\bcflowd collector {_ADDRESS}")),
)


def sros_lifelines(running: str) -> Iterator[Lifeline]:
    """The lifelines of a running configuration. Raises ParseError."""
    # each statement once: at the word that is the address, whatever stands below it
    named = ((node.line, node.path) for node in below(read_listing(running)) if _IS_ADDRESS.fullmatch(node.word))
    yield from lifelines_of(named, _KINDS)
