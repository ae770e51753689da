"""Statements of a whole configuration that the Cisco parser skips, and the judged behaviour that they could change.

The tables list statements that cannot affect the judged ports, their queues, the classes of packets or the control
plane; all others count as able to.
"""

from collections.abc import Iterator

from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.unparsed import ANYTHING, CONTROL_PLANE, JUDGED_PORTS, WAYS, SkippedStatement

# Unused lists, maps and policies have no effect: the readers follow every reference from the judged ports.
_HARMLESS = (
    *("version", "hostname", "service", "logging", "snmp-server", "ntp", "clock", "aaa", "tacacs-server", "tacacs"),
    *("radius-server", "username", "line", "ssh", "telnet", "cdp", "lldp", "domain", "license", "access-list"),
    *("class-map", "policy-map", "route-map", "boot", "router", "vrf", "platform"),
)
_LISTS = ("access-list", "prefix-list", "domain", "name-server", "ssh", "http", "as-path", "community-list")
_PORT = ("description", "load-interval", "cdp", "lldp", "logging", "snmp")
_FAMILIES = ("ip", "ipv4", "ipv6")
# IOS-XE lists defaults as `no ...`; the negation of anything else may have an effect.
_SWITCHED_OFF = ("aaa", "service", "logging", "snmp-server", "ntp", "cdp", "lldp", "platform", "domain", "license")
_FAMILY_SWITCHED_OFF = ("http", "domain", "ssh", "bootp", "source-route", "gratuitous-arps", "finger", "ftp")
_PORT_FAMILY = ("address", "redirects", "unreachables", "proxy-arp", "mask-reply", "directed-broadcast")
# A route to it discards packets, and a redirect's next hop may be resolved by one.
_LOSING = ("null0", "null", "drop", "discard")
_CONTROL = ("event", "control-plane", "lpts", "kron", "script", "banner")


def unparsed_statements(root: Section, ports: frozenset[str]) -> Iterator[SkippedStatement]:
    """Each line that no reader has parsed; `ports` are the names of the settings' interfaces."""
    for section in root:
        if section.words[0] == "interface":
            yield from _of_interface(section, ports)
            continue
        touches = _touched(section)
        yield from (
            SkippedStatement(_kind(section), line.line, touches) for line in _lines(section) if not line.is_taken
        )


def _lines(section: Section) -> Iterator[Section]:
    yield section
    for child in section:
        yield from _lines(child)


def _kind(section: Section) -> str:
    return " ".join(section.words[:2])


def _of_interface(section: Section, ports: frozenset[str]) -> Iterator[SkippedStatement]:
    is_judged = section.words[-1] in ports or any(section.words[-1] == port.partition(".")[0] for port in ports)
    for child in section:
        for line in _lines(child):
            if not line.is_taken:
                touches = _touched_port(line.words) if is_judged else _bundled(line.words)
                yield SkippedStatement(f"{section.text}: {' '.join(line.words[:2])}", line.line, touches)


def _bundled(words: tuple[str, ...]) -> str | None:
    """The judged ports for a bundle member, which may be part of one."""
    return JUDGED_PORTS if words[0] in ("bundle", "channel-group") else None


def _touched_port(words: tuple[str, ...]) -> str | None:
    if words == ("no", "shutdown"):
        return None
    said = words[1:] if words[0] == "no" and len(words) > 1 else words
    is_address = said[0] in _FAMILIES and _second(said) in _PORT_FAMILY
    is_tag = words[:2] == ("encapsulation", "dot1q")
    return None if is_address or is_tag or said[0] in _PORT else JUDGED_PORTS


def _touched(section: Section) -> str | None:
    words = section.words
    if any(word.lower() in _LOSING for line in _lines(section) for word in line.words):
        return WAYS
    if words[0] in _CONTROL:
        return CONTROL_PLANE
    if words[0] == "no" and len(words) > 1:
        off = _FAMILY_SWITCHED_OFF if words[1] in _FAMILIES else _SWITCHED_OFF
        return None if (_second(words[1:]) if words[1] in _FAMILIES else words[1]) in off else ANYTHING
    is_list = words[0] in _FAMILIES and _second(words) in _LISTS
    is_route = words[0] in _FAMILIES and _second(words) in ("route", "routing", "cef", "unicast-routing")
    return None if words[0] in _HARMLESS or is_list or is_route else ANYTHING


def _second(words: tuple[str, ...]) -> str:
    return words[1] if len(words) > 1 else ""
