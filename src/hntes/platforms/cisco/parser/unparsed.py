"""Statements of a whole configuration that the Cisco parser skips, and the judged behaviour that they could change."""

import re
from collections.abc import Iterator, Mapping

from hntes.platforms.cisco.parser.tree import Section, interface_name
from hntes.platforms.cisco.statement_table import SWITCHED_OFF, table
from hntes.platforms.cisco.syntax import CiscoSyntax
from hntes.platforms.unparsed import ANYTHING, JUDGED_PORTS, LINK, QUEUES, WAYS, SkippedStatement

# A route to it discards packets, and a redirect's next hop may be resolved by one.
_LOSING = ("null0", "null", "drop", "discard")
_ROUTES = (("router", "static"), ("ip", "route"), ("ipv6", "route"))
_NAMED_BY_PATTERN = ("policy-map", "class-map", "ipv4", "ipv6")
_SWITCHED_OFF = table(SWITCHED_OFF)
_BANDWIDTH_BPS = {"bandwidth": 1_000, "speed": 1_000_000}


def unparsed_statements(syntax: CiscoSyntax, root: Section, rates_bps: Mapping[str, int]) -> Iterator[SkippedStatement]:
    """Each line that no reader has parsed; `rates_bps` are the settings' interfaces and units, with their rates."""
    for section in root:
        if section.words[0] == "interface":
            yield from _of_interface(syntax, section, _rate(section, rates_bps))
            continue
        if section.words[0] == "group":
            yield from _of_group(syntax, section, rates_bps)
            continue
        touches = _touched(syntax, section)
        yield from (
            SkippedStatement(_kind(section), line.line, touches) for line in _lines(section) if not line.is_taken
        )


def _rate(section: Section, rates_bps: Mapping[str, int]) -> int | None:
    """The rate of a judged interface; 0 for a member of a judged bundle; None for any other interface."""
    name = interface_name(section.words)
    for judged, rate_bps in rates_bps.items():
        if name in (judged, judged.partition(".")[0]):
            return rate_bps
    return 0 if any(is_member(section, judged) for judged in rates_bps) else None


def _of_group(syntax: CiscoSyntax, group: Section, rates_bps: Mapping[str, int]) -> Iterator[SkippedStatement]:
    """The lines of a group of IOS-XR, of which those count that fit judged interfaces or objects of HNTES.

    Source: Cisco ASR 9000 System Management Configuration Guide, "Configuring Flexible Command Line Interface" (names
    in quotes are regular expressions).
    """
    for section in group:
        pattern = section.words[-1].strip("'")
        rate_bps = next((rate for name, rate in rates_bps.items() if _fits(pattern, name)), None)
        for line in _lines(section):
            if section.words[0] == "interface":
                is_inside = rate_bps is not None and line is not section
                touches = _touched_by_group(syntax, line.words, rate_bps or 0) if is_inside else None
            else:
                touches = QUEUES if section.words[0] in _NAMED_BY_PATTERN and _fits(pattern, "hntes-") else None
            yield SkippedStatement(_kind(group), line.line, touches)


def _touched_by_group(syntax: CiscoSyntax, words: tuple[str, ...], rate_bps: int) -> str | None:
    """As `touched_port`; no reader follows a group to its access lists, which may set classes."""
    return JUDGED_PORTS if "access-group" in words[:2] else touched_port(syntax, words, rate_bps)


def _fits(pattern: str, name: str) -> bool:
    """Whether a regular expression can fit a name; one that cannot be read is taken to fit."""
    try:
        return re.match(pattern, name) is not None
    except re.error:
        return True


def bundle_of(section: Section) -> str | None:
    """The bundle of which an interface is a member, by its number."""
    for line in section:
        if line.begins("bundle", "id") or line.begins("channel-group"):
            numbers = [word for word in line.words if word.isdigit()]
            return numbers[0] if numbers else None
    return None


def is_member(section: Section, bundle: str) -> bool:
    """Whether an interface is a member of a Bundle-Ether or Port-channel."""
    number = bundle_of(section)
    return number is not None and bundle.lower() in (f"bundle-ether{number}", f"port-channel{number}")


def _lines(section: Section) -> Iterator[Section]:
    yield section
    for child in section:
        yield from _lines(child)


def _kind(section: Section) -> str:
    return " ".join(section.words[: 3 if section.words[0] == "no" else 2])


def _of_interface(syntax: CiscoSyntax, section: Section, rate_bps: int | None) -> Iterator[SkippedStatement]:
    for child in section:
        for line in _lines(child):
            if not line.is_taken:
                touches = None if rate_bps is None else touched_port(syntax, line.words, rate_bps)
                yield SkippedStatement(f"{section.text}: {' '.join(line.words[:2])}", line.line, touches)


def touched_port(syntax: CiscoSyntax, words: tuple[str, ...], rate_bps: int) -> str | None:
    """What a statement of a judged interface of that rate can touch; `JUDGED_PORTS` if that is not known."""
    if words == ("no", "shutdown"):
        return None
    if words[0] == "no" and len(words) > 1:
        # A listing shows what is off by `no`: it does nothing, unless it is on everywhere else.
        said = syntax.port_statements.touched(words[1:], LINK)
        return said if said is None else LINK
    if words[0] in _BANDWIDTH_BPS:
        is_same = words[1:2] == ("auto",) or (
            words[1:2] != () and words[1].isdigit() and int(words[1]) * _BANDWIDTH_BPS[words[0]] == rate_bps
        )
        return LINK if is_same else JUDGED_PORTS
    return syntax.port_statements.touched(words, JUDGED_PORTS)


def _touched(syntax: CiscoSyntax, section: Section) -> str | None:
    words = section.words
    is_route = words[:2] in _ROUTES or words[0] == "vrf"
    if is_route and any(word.lower() in _LOSING for line in _lines(section) for word in line.words):
        return WAYS
    if words[0] == "no" and len(words) > 1:
        return _SWITCHED_OFF.touched(words[1:], ANYTHING)
    return syntax.statements.touched(words, ANYTHING)
