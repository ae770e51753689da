"""Statements of a whole configuration that the EOS parser skips, and the judged behaviour that they could change."""

from collections.abc import Iterator, Sequence

from hntes.platforms.cisco.parser.tree import Section, below, interface_name
from hntes.platforms.eos.statement_table import INTERFACE, SWITCHED_OFF, TABLE
from hntes.platforms.unparsed import ANYTHING, JUDGED_PORTS, LINK, WAYS, SkippedStatement
from hntes.rules.qos.model import InterfaceBinding

_LOSING = ("null0", "null", "drop", "discard")
_ROUTES = (("ip", "route"), ("ipv6", "route"))


def unparsed_statements(root: Section, interfaces: Sequence[InterfaceBinding]) -> Iterator[SkippedStatement]:
    """Each line that no reader has parsed; `interfaces` are those of the settings."""
    judged = {each.name for each in interfaces} | {f"{each.name}.{each.unit}" for each in interfaces if each.unit}
    channels = {name.removeprefix("Port-Channel") for name in judged if name.startswith("Port-Channel")}
    for section in root:
        if section.words[0] == "interface":
            is_judged = interface_name(section.words) in judged or _is_member(section, channels)
            for line in below(section):
                if not line.is_taken:
                    kind = f"{section.text}: {' '.join(line.words[:2])}"
                    yield SkippedStatement(kind, line.line, _of_interface(line.words) if is_judged else None)
            continue
        touches = _of_section(section)
        for line in (section, *below(section)):
            if not line.is_taken:
                kind = " ".join(section.words[: 3 if section.words[0] == "no" else 2])
                yield SkippedStatement(kind, line.line, ANYTHING if _removes_policy(section, line) else touches)


def _removes_policy(section: Section, line: Section) -> bool:
    """Whether a line takes a traffic policy away, which no router lists."""
    return section.words == ("traffic-policies",) and line.begins("no", "traffic-policy")


def _is_member(section: Section, channels: set[str]) -> bool:
    return any(line.begins("channel-group") and line.words[1:2] and line.words[1] in channels for line in section)


def _of_interface(words: tuple[str, ...]) -> str | None:
    if words[0] == "no" and len(words) > 1 and INTERFACE.touched(words, JUDGED_PORTS) == JUDGED_PORTS:
        # What is off does nothing, unless it is on everywhere else.
        return LINK if INTERFACE.touched(words[1:], LINK) is not None else None
    return INTERFACE.touched(words, JUDGED_PORTS)


def _of_section(section: Section) -> str | None:
    words = section.words
    if words[:2] in _ROUTES and any(word.lower() in _LOSING for word in words):
        return WAYS
    if words[0] == "no" and len(words) > 1:
        return SWITCHED_OFF.touched(words[1:], ANYTHING)
    return TABLE.touched(words, ANYTHING)
