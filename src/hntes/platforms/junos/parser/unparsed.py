"""Statements of a whole configuration that the Junos parser skips, and the judged behaviour that they could change."""

from collections.abc import Iterator, Mapping

from hntes.platforms.junos.parser.tree import Node
from hntes.platforms.junos.places import bundle_of
from hntes.platforms.junos.statement_table import FAMILY, PORT, TABLE, UNIT
from hntes.platforms.unparsed import ANYTHING, CONTROL_PLANE, JUDGED_PORTS, LINK, SkippedStatement

# Families that a unit may have without statements.
_BARE_FAMILIES = ("inet", "inet6", "iso", "mpls")
_FACTORS = {"m": 10**6, "g": 10**9}


def unparsed_statements(root: Node, rates_bps: Mapping[str, int]) -> Iterator[SkippedStatement]:
    """Each statement that no reader has parsed; `rates_bps` are the settings' interfaces, with their rates."""
    ports = root.child("interfaces")
    parts = {port.word for port in ports or () if bundle_of(port) in rates_bps}
    for node, words in _statements(root, ()):
        if not node.is_taken:
            touches = _touched(words, rates_bps, parts)
            yield SkippedStatement(" ".join(words[: _depth(words)]), node.ends[0] if node.ends else node.line, touches)


def _statements(node: Node, before: tuple[str, ...]) -> Iterator[tuple[Node, tuple[str, ...]]]:
    for child in node:
        words = (*before, child.word)
        if child.ends or not child.children:
            yield child, words
        yield from _statements(child, words)


def _depth(words: tuple[str, ...]) -> int:
    return 3 if words[0] in ("interfaces", "class-of-service", "firewall", "routing-options", "protocols") else 2


def _touched(words: tuple[str, ...], rates_bps: Mapping[str, int], parts: set[str]) -> str | None:
    if words[0] == "interfaces" and len(words) > 1:
        return _touched_port(words[1], words[2:], rates_bps, parts)
    return TABLE.touched(words, ANYTHING)


def _touched_port(name: str, words: tuple[str, ...], rates_bps: Mapping[str, int], parts: set[str]) -> str | None:
    if name.startswith("lo0"):
        return CONTROL_PLANE if "filter" in words else None
    if name not in rates_bps and name not in parts:
        # Ranges are expanded to the judged interfaces; other ports queue and classify their own packets.
        return None
    if not words:
        return None
    if "speed" in words[:2]:
        return LINK if name not in parts and _bps(words[-1]) == rates_bps[name] else JUDGED_PORTS
    if words[0] != "unit":
        return PORT.touched(words, JUDGED_PORTS)
    if len(words) < 3:
        return None
    return _touched_unit(words[2:])


def _touched_unit(words: tuple[str, ...]) -> str | None:
    if words[0] != "family" or len(words) < 2:
        return UNIT.touched(words, JUDGED_PORTS)
    if len(words) == 2:
        return None if words[1] in _BARE_FAMILIES else JUDGED_PORTS
    return FAMILY.touched(words[2:], JUDGED_PORTS)


def _bps(word: str) -> int | None:
    number, unit = word[:-1], word[-1:].lower()
    return int(number) * _FACTORS[unit] if number.isdigit() and unit in _FACTORS else None
