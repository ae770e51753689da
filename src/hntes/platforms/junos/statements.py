"""A Junos configuration as statements, each as its words from the top, and the part owned by HNTES.

`a { b { c; } }` and `a b c;` are one statement; a list in brackets is one per value. Inactive statements are left out,
since they have no effect. Routers print large numbers with a suffix (31k for 31000), so numbers are normalised.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.errors import ParseError
from hntes.platforms.junos.parser.tree import Node, read_tree
from hntes.platforms.junos.transition import GROUP, DisplacedFilter, displaced, junos_text
from hntes.platforms.owned_config import LISTINGS, OwnedConfig, Statement

_GROUP: Statement = ("groups", GROUP)
_APPLIED: Statement = ("apply-groups", GROUP)
# The marker of an operator's statement that HNTES has deactivated.
INACTIVE = "inactive:"
_INHERITS = ("apply-groups", "apply-groups-except")
_SUFFIXED = re.compile(r"(\d+)([kmg])")
_FACTORS = {"k": 10**3, "m": 10**6, "g": 10**9}


def loaded_text(text: str) -> str:
    """An approved text as listed: the group of HNTES, its application, and deactivated statements of the operator."""
    return "\n".join(junos_text(text)).replace("replace: ", "")


@lru_cache(maxsize=LISTINGS)
def owned(configuration: str) -> OwnedConfig:
    """The part of a whole configuration owned by HNTES.

    Raises:
        DeliveryError: the text cannot be parsed as a configuration.
    """
    root = _tree(configuration)
    inactive = ((INACTIVE, *each.path, "input") for each in _displaced(root))
    statements = (*(each for each in _below(root, ()) if _is_own(each)), *inactive)
    terms = (each[: each.index("term") + 2] for each in statements if "term" in each[:-1])
    return OwnedConfig(statements, tuple(dict.fromkeys(terms)))


def foreign(configuration: str) -> frozenset[Statement]:
    """The part of a whole configuration not owned by HNTES; an operator's filter listed behind it counts as active.

    Raises:
        DeliveryError: the text cannot be parsed as a configuration.
    """
    root = _tree(configuration)
    displaced = ((*each.path, "input", each.name) for each in _displaced(root))
    return frozenset((*(each for each in _below(root, ()) if not _is_own(each)), *displaced))


def listed_text(part: OwnedConfig) -> str:
    """The filter lists of an owned part as text, as needed for a removal without files."""
    lists: dict[Statement, list[str]] = {}
    for words in part.statements:
        if words[:3] == (*_GROUP, "interfaces") and "input-list" in words:
            lists.setdefault(words[2:-1], []).append(words[-1])
    return "".join(f"{' '.join(path)} [ {' '.join(names)} ];\n" for path, names in lists.items())


def _displaced(root: Node) -> list[DisplacedFilter]:
    """Inactive input filters of interfaces that are listed behind a filter of HNTES in its group."""
    group = root.child(*_GROUP, "interfaces")
    found = []
    for each in displaced("".join(f"{line};\n" for line in _lines(group, ("interfaces",)))) if group else ():
        bound = root.child(*each.path)
        held = bound.inactive.get("input") if bound is not None else None
        if held is not None and each.name in held.inactive:
            found.append(each)
    return found


def read_statements(configuration: str) -> Iterator[Statement]:
    """All active statements of a text, in order.

    Raises:
        DeliveryError: the text cannot be parsed as a configuration.
    """
    yield from _below(_tree(configuration), ())


def _tree(configuration: str) -> Node:
    try:
        return read_tree(configuration)
    except ParseError as cause:
        raise DeliveryError(f"the router's answer cannot be parsed as a configuration: {cause}") from cause


def _below(node: Node, words: Statement) -> Iterator[Statement]:
    for child in node:
        for value in child.items or (child.word,):
            path = (*words, _plain(value))
            if child.ends:
                yield path
            yield from _below(child, path)


def _plain(word: str) -> str:
    suffixed = _SUFFIXED.fullmatch(word)
    return str(int(suffixed[1]) * _FACTORS[suffixed[2]]) if suffixed else word


def _is_own(words: Statement) -> bool:
    return words[:2] in (_GROUP, _APPLIED)


def effective_text(inherited: str) -> str:
    """A configuration with inheritance, without its groups, which some routers show as well.

    Raises:
        DeliveryError: the text cannot be parsed as a configuration.
    """
    return "".join(f"{line};\n" for line in _lines(_tree(inherited), ()))


def merged_text(running: str) -> str:
    """A configuration with the group of HNTES expanded, for a router that does not show inheritance.

    A statement in both places is repeated, which the parser refuses, as it does groups of the operator.

    Raises:
        DeliveryError: the text cannot be parsed as a configuration.
    """
    group = " ".join(_GROUP) + " "
    lines = [line for line in _lines(_tree(running), (), is_whole=True) if line != " ".join(_APPLIED)]
    return "".join(f"{line.removeprefix(group)};\n" for line in lines)


def _lines(node: Node, words: Statement, *, is_whole: bool = False) -> Iterator[str]:
    for child in node:
        if is_whole or (child.word not in _INHERITS and (words or child.word != "groups")):
            path = (*words, child.word if child.items else _quoted(child.word))
            if child.ends:
                yield " ".join(path)
            yield from _lines(child, path, is_whole=is_whole)


def _quoted(word: str) -> str:
    return f'"{word}"' if not word or re.search(r"[\s;{}\[\]#]", word) else word
