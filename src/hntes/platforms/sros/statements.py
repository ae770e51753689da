"""An SR OS configuration as statements, each as its words from the top, and the part owned by HNTES.

Numbers of two decimals are listed as `55.0`, and strings in quotes: both forms are one statement.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.owned_config import LISTINGS, OwnedConfig, Statement
from hntes.platforms.sros.parser.form import OBJECTS
from hntes.platforms.sros.parser.tree import Node, read_listing

# The words before the name of an object of HNTES in a statement that binds it; * is a name of the operator's.
_BINDINGS: tuple[Statement, ...] = (
    ("port", "*", "ethernet", "egress", "port-scheduler-policy", "policy-name"),
    ("port", "*", "ethernet", "network", "egress", "queue-policy"),
    ("router", "Base", "interface", "*", "ingress", "filter", "ip"),
    ("router", "Base", "interface", "*", "ingress", "filter", "ipv6"),
)
# An embedded filter in one of the operator's: the words before its name, and the number of words that name it.
_EMBED = ("embed", "filter")
_EMBED_WORDS = 8
_DECIMAL = re.compile(r"(\d+)\.0+")


def own_depth(words: Statement) -> int | None:
    """The number of words that name the object or binding of HNTES which a statement belongs to; None: not HNTES'.

    Example:
        >>> own_depth(("filter", "ip-filter", "hntes-alpha-v4", "default-action", "accept"))
        3
        >>> own_depth(("filter", "ip-filter", "CUSTOMERS", "default-action", "accept")) is None
        True
    """
    for kind in OBJECTS:
        if words[:2] == kind and len(words) > 2 and OWN_NAME.fullmatch(words[2]):
            return 3
    for place in _BINDINGS:
        if len(words) > len(place) and _is_below(words, place) and OWN_NAME.fullmatch(words[len(place)]):
            return len(place) + 1
    if words[:1] == ("filter",) and words[3:5] == _EMBED and len(words) > 5 and OWN_NAME.fullmatch(words[5]):
        return min(_EMBED_WORDS, len(words))
    return None


def _is_below(words: Statement, place: Statement) -> bool:
    return all(one in ("*", other) for one, other in zip(place, words, strict=False))


@lru_cache(maxsize=LISTINGS)
def owned(configuration: str) -> OwnedConfig:
    """The part of a whole configuration owned by HNTES. The order of entries is that of their numbers.

    Raises:
        DeliveryError: the text cannot be parsed as a configuration.
    """
    return OwnedConfig(tuple(each for each in _statements(_tree(configuration), ()) if own_depth(each) is not None))


def foreign(configuration: str) -> frozenset[Statement]:
    """The part of a whole configuration not owned by HNTES; an entry that has nothing but HNTES' counts as empty.

    Raises:
        DeliveryError: the text cannot be parsed as a configuration.
    """
    return frozenset(_foreign(_tree(configuration), ()))


def _tree(configuration: str) -> Node:
    try:
        return read_listing(configuration)
    except ParseError as cause:
        raise DeliveryError(f"the router's answer cannot be parsed as a configuration: {cause}") from cause


def _statements(node: Node, words: Statement) -> Iterator[Statement]:
    for child in node:
        path = (*words, _plain(child.word))
        if child.ends or (child.is_entry and not child.children):
            yield path
        yield from _statements(child, path)


def _foreign(node: Node, words: Statement) -> Iterator[Statement]:
    for child in node:
        path = (*words, _plain(child.word))
        if own_depth(path) is None:
            found = list(_foreign(child, path))
            if child.ends or (child.is_entry and not found):
                yield path
            yield from found


def _plain(word: str) -> str:
    found = _DECIMAL.fullmatch(word)
    return found[1] if found else word
