"""Lifelines in a running configuration of EOS.

Source: EOS User Manual: interfaces, BGP, NTP, logging, SNMP, TACACS+ and RADIUS, DNS, sFlow.
"""

import re
from collections.abc import Iterator

from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.eos.parser.listing import read_listing
from hntes.platforms.lifelines import Lifeline, LifelineKind, lifelines_of

_VRF = r"(?:vrf \S+ )?"
_HOST = rf"{_VRF}(?P<address>[0-9A-Fa-f]*[.:][0-9A-Fa-f.:]+)(?= |$)"
_OF_PORT = r"(?:ip|ipv6) address (?P<address>[0-9A-Fa-f.:]+/\d+)(?= |$)"
_KINDS = (
    LifelineKind("loopback", re.compile(rf"^interface Loopback ?\d+ {_OF_PORT}")),
    LifelineKind("management", re.compile(rf"^interface Management\S* {_OF_PORT}"), whole=True),
    LifelineKind("BGP neighbor", re.compile(rf"^router bgp .*\bneighbor {_HOST}")),
    LifelineKind("time server", re.compile(rf"^ntp server {_HOST}")),
    LifelineKind("log server", re.compile(rf"^logging {_VRF}host {_HOST}")),
    LifelineKind("login server", re.compile(rf"^(?:tacacs|radius)-server host {_HOST}")),
    LifelineKind("name server", re.compile(rf"^ip name-server {_HOST}")),
    LifelineKind("SNMP manager", re.compile(rf"^snmp-server host {_HOST}")),
    LifelineKind("flow collector", re.compile(rf"^sflow {_VRF}destination {_HOST}")),
)


def eos_lifelines(running: str) -> Iterator[Lifeline]:
    """The lifelines of a running configuration. Raises ParseError."""
    yield from lifelines_of(_statements(read_listing(running), ""), _KINDS)


def _statements(section: Section, above: str) -> Iterator[tuple[int, str]]:
    """Each line with the words of the sections that it stands in."""
    for each in section:
        words = f"{above} {each.text}".strip()
        if each.begins("interface") and any(_IN_MANAGEMENT.fullmatch(line.text) for line in each):
            words = f"interface Management-{each.words[-1]}"
        yield each.line, words
        yield from _statements(each, words)


_IN_MANAGEMENT = re.compile(r"vrf (?:forwarding )?\S*(?:mgmt|management)\S*", re.IGNORECASE)
