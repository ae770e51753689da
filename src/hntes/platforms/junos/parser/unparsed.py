"""Statements of a whole configuration that the Junos parser skips, and the judged behaviour that they could change.

The tables list statements that cannot affect the judged ports, their queues, the classes of packets or the control
plane; all others count as able to.
"""

from collections.abc import Iterator

from hntes.platforms.junos.parser.tree import Node
from hntes.platforms.unparsed import ANYTHING, CONTROL_PLANE, JUDGED_PORTS, QUEUES, WAYS, SkippedStatement

_HARMLESS = ("version", "snmp", "accounting-options", "applications", "policy-options", "firewall")
_SYSTEM = (
    *("host-name", "domain-name", "domain-search", "name-server", "time-zone", "ntp", "syslog", "login", "services"),
    *("root-authentication", "authentication-order", "radius-server", "tacplus-server", "location", "ports", "license"),
)
_PROTOCOLS = (
    *("bgp", "isis", "ospf", "ospf3", "rip", "lldp", "pim", "igmp", "mld", "msdp", "bfd", "lacp", "layer2-control"),
    *("router-advertisement",),
)
_ROUTING = ("router-id", "autonomous-system", "graceful-restart", "nonstop-routing", "static")
# Routes that discard packets or send them to another table: they may resolve a redirect's next hop.
_LOSING = ("discard", "reject", "receive", "next-table")
_PORT = ("description", "traps", "no-traps", "accounting-profile", "vlan-tagging", "vlan-id")
_UNIT_FAMILY = ("address",)
# Families that a unit may have without statements.
_BARE_FAMILIES = ("inet", "inet6", "iso", "mpls")


def unparsed_statements(root: Node, ports: frozenset[str]) -> Iterator[SkippedStatement]:
    """Each statement that no reader has parsed; `ports` are the names of the settings' interfaces."""
    for node, words in _statements(root, ()):
        if not node.is_taken:
            yield SkippedStatement(
                " ".join(words[: _depth(words)]), node.ends[0] if node.ends else node.line, _touched(words, ports)
            )


def _statements(node: Node, before: tuple[str, ...]) -> Iterator[tuple[Node, tuple[str, ...]]]:
    for child in node:
        words = (*before, child.word)
        if child.ends or not child.children:
            yield child, words
        yield from _statements(child, words)


def _depth(words: tuple[str, ...]) -> int:
    return 3 if words[0] in ("interfaces", "class-of-service", "firewall", "routing-options", "protocols") else 2


def _touched(words: tuple[str, ...], ports: frozenset[str]) -> str | None:
    top, second = words[0], words[1] if len(words) > 1 else ""
    if top == "groups":
        # Where the reader allows it to be applied, its statements count as the configuration's own.
        return _touched(words[2:], ports) if len(words) > 2 else None
    if "apply-groups" in words or "apply-path" in words:
        return ANYTHING
    if top in _HARMLESS or (top, second) in {("class-of-service", "code-point-aliases")}:
        return None
    if top == "system":
        return None if second in _SYSTEM else CONTROL_PLANE
    if top == "protocols":
        return None if second in _PROTOCOLS else WAYS
    if top == "routing-options":
        return None if second in _ROUTING and not set(_LOSING) & set(words) else WAYS
    if top == "interfaces":
        return _touched_port(words, ports)
    if top == "class-of-service":
        return QUEUES
    return WAYS if top in ("routing-instances", "forwarding-options") else ANYTHING


def _touched_port(words: tuple[str, ...], ports: frozenset[str]) -> str | None:
    name, inner = words[1] if len(words) > 1 else "", words[2:]
    if name.startswith("lo0"):
        return CONTROL_PLANE if "filter" in inner else None
    if name not in ports:
        # A bundle member, a range or a pattern may be a judged port, or part of one.
        return JUDGED_PORTS if "802.3ad" in inner or name == "interface-range" or not name[-1:].isdigit() else None
    if inner[:1] == ("unit",):
        inner = inner[2:]
    if inner[:1] == ("family",) and len(inner) == 2 and inner[1] in _BARE_FAMILIES:
        return None
    if inner[:1] == ("family",):
        return None if inner[2:3] in tuple((each,) for each in _UNIT_FAMILY) else JUDGED_PORTS
    return None if inner[:1] in tuple((each,) for each in _PORT) else JUDGED_PORTS
