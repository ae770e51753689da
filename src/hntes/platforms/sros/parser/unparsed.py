"""Statements of a whole configuration that the SR OS parser skips, and the judged behaviour that they could change."""

from collections.abc import Iterator

from hntes.platforms.sros.parser.tree import Node
from hntes.platforms.sros.statement_table import INTERFACE, PORT, TABLE
from hntes.platforms.unparsed import ANYTHING, JUDGED_PORTS, OTHER_PORTS, SkippedStatement


def unparsed_statements(
    configure: Node, ports: frozenset[str], cores: frozenset[str], interfaces: frozenset[str]
) -> Iterator[SkippedStatement]:
    """Each statement that no reader has parsed; `ports`, `cores` of them, and router `interfaces` of the settings."""
    for node, words in _statements(configure, ()):
        if not node.is_taken:
            line = node.ends[0] if node.ends else node.line
            yield SkippedStatement(" ".join(words[: _depth(words)]), line, _touched(words, ports, cores, interfaces))


def _statements(node: Node, before: tuple[str, ...]) -> Iterator[tuple[Node, tuple[str, ...]]]:
    for child in node:
        words = (*before, child.word)
        if child.ends or not child.children:
            yield child, words
        yield from _statements(child, words)


def _depth(words: tuple[str, ...]) -> int:
    return 3 if words[0] in ("port", "router", "qos", "filter", "service") else 2


def _touched(
    words: tuple[str, ...], ports: frozenset[str], cores: frozenset[str], interfaces: frozenset[str]
) -> str | None:
    if words[0] == "port" and len(words) > 2:
        return PORT.touched(words[2:], JUDGED_PORTS) if words[1] in ports else OTHER_PORTS
    if words[:3] == ("router", "Base", "interface") and len(words) > 4:
        return INTERFACE.touched(words[4:], JUDGED_PORTS) if words[3] in interfaces else None
    if words[0] == "service" and _access_port(words) in cores:
        return JUDGED_PORTS
    return TABLE.touched(words, ANYTHING)


def _access_port(words: tuple[str, ...]) -> str | None:
    """The port of the access point (SAP) in a service's statement.

    On a hybrid port it has queues of its own, which are scheduled beside the network queues. Source: 7750 SR Quality of
    Service Guide, "Port scheduler", on orphaned queues.
    """
    if "sap" not in words[:-1]:
        return None
    return words[words.index("sap") + 1].partition(":")[0]
