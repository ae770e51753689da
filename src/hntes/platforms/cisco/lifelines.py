"""Lifelines in a running configuration of IOS-XR and IOS-XE.

Source: the command references of both for interfaces, BGP, NTP, system messages, SNMP, AAA and flow export.
"""

import re
from collections.abc import Iterator

from hntes.platforms.cisco.parser.tree import Section, read_sections
from hntes.platforms.lifelines import Lifeline, LifelineKind, lifelines_of

_VRF = r"(?:vrf \S+ )?"
_HOST = rf"{_VRF}(?:ipv[46] )?(?P<address>[0-9A-Fa-f]*[.:][0-9A-Fa-f.:]+)\b"
_OF_PORT = r"ip(?:v4|v6)? address (?P<address>[0-9A-Fa-f.:]+(?:/\d+)?)(?: (?P<mask>\d+\.\d+\.\d+\.\d+))?(?: |$)"
_MANAGEMENT = r"(?:MgmtEth|Mgmt|Management)\S*"
_KINDS = (
    LifelineKind("loopback", re.compile(rf"^interface Loopback ?\d+ {_OF_PORT}", re.IGNORECASE)),
    LifelineKind("management", re.compile(rf"^interface {_MANAGEMENT} {_OF_PORT}", re.IGNORECASE), whole=True),
    LifelineKind("BGP neighbor", re.compile(rf"^router bgp .*\bneighbor {_HOST}")),
    LifelineKind("time server", re.compile(rf"^ntp (?:server|peer) {_HOST}")),
    LifelineKind("log server", re.compile(rf"^logging (?:host )?{_HOST}")),
    LifelineKind("login server", re.compile(rf"^(?:tacacs|radius)-server host {_HOST}")),
    LifelineKind("login server", re.compile(rf"^(?:tacacs|radius) server \S+ address {_HOST}")),
    LifelineKind("name server", re.compile(rf"^(?:ip |domain )name-server {_HOST}")),
    LifelineKind("SNMP manager", re.compile(rf"^snmp-server host {_HOST}")),
    LifelineKind("flow collector", re.compile(rf"^flow exporter(?:-map)? \S+ destination {_HOST}")),
)


def cisco_lifelines(running: str) -> Iterator[Lifeline]:
    """The lifelines of a running configuration. Raises ParseError."""
    yield from lifelines_of(_statements(read_sections(running), ""), _KINDS)


def _statements(section: Section, above: str) -> Iterator[tuple[int, str]]:
    """Each line with the words of the sections that it stands in.

    A port in a VRF for management (IOS-XE) stands for a management port, whatever its name.
    """
    for each in section:
        words = f"{above} {each.text}".strip()
        if each.begins("interface") and any(_IN_MANAGEMENT.fullmatch(line.text) for line in each):
            words = f"interface Management-{each.words[-1]}"
        yield each.line, words
        yield from _statements(each, words)


_IN_MANAGEMENT = re.compile(r"(?:ip )?vrf (?:forwarding )?\S*(?:mgmt|management)\S*", re.IGNORECASE)
