"""Lifelines in a running configuration of Junos.

Source: the statement hierarchies [edit interfaces], [edit protocols bgp], [edit system], [edit snmp] and [edit
forwarding-options] of Junos' CLI reference.
"""

import re
from collections.abc import Iterator

from hntes.platforms.junos.parser.listing import read_listing
from hntes.platforms.junos.parser.tree import below
from hntes.platforms.lifelines import Lifeline, LifelineKind, lifelines_of

_IS_ADDRESS = re.compile(r"[0-9A-Fa-f]*[.:][0-9A-Fa-f.:]+(?:/\d+)?")
_ADDRESS = r"(?P<address>\S+)$"
_MANAGEMENT = r"(?:fxp\d|em\d|me\d|vme|re\d:mgmt-\d)"
_KINDS = (
    LifelineKind("loopback", re.compile(rf"\binterfaces lo0 unit \S+ family inet6? address {_ADDRESS}")),
    LifelineKind(
        "management", re.compile(rf"\binterfaces {_MANAGEMENT} unit \S+ family inet6? address {_ADDRESS}"), whole=True
    ),
    LifelineKind("BGP neighbor", re.compile(rf"\bprotocols bgp group \S+ neighbor {_ADDRESS}")),
    LifelineKind("time server", re.compile(rf"\bsystem ntp (?:server|peer) {_ADDRESS}")),
    LifelineKind("log server", re.compile(rf"\bsystem syslog host {_ADDRESS}")),
    LifelineKind("login server", re.compile(rf"\bsystem (?:tacplus|radius)-server {_ADDRESS}")),
    LifelineKind("name server", re.compile(rf"\bsystem name-server {_ADDRESS}")),
    LifelineKind("SNMP manager", re.compile(rf"\bsnmp trap-group \S+ targets {_ADDRESS}")),
    LifelineKind("flow collector", re.compile(rf"\bforwarding-options sampling .*\bflow-server {_ADDRESS}")),
)  # fmt: skip


def junos_lifelines(running: str) -> Iterator[Lifeline]:
    """The lifelines of a running configuration in any form of a listing, those in groups too. Raises ParseError."""
    # each statement once: at the word that is the address, whatever stands below it
    named = ((node.line, node.path) for node in below(read_listing(running)) if _IS_ADDRESS.fullmatch(node.word))
    yield from lifelines_of(named, _KINDS)
