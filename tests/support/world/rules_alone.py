"""What HNTES owns on a router without reservations, by names that these do not change."""

import re
from collections.abc import Iterable, Iterator

from hntes.platforms.owned_config import OwnedConfig, Statement

_RESERVATION = "reservation-"
# IOS-XE attaches a policy under a name that has a hash of all its classes.
_HASHED = re.compile(r"\bhntes-in-[0-9a-f]{8}\b")
# SR OS numbers the entries of a filter through; each is known by its description.
_ENTRIES = ("ip-filter", "ipv6-filter")
_NUMBERED = 5
_FILTER = re.compile(r"\bhntes-alpha-v[46]\b")
# By its name, or where rules have none by its prefixes.
_RULE = re.compile(r"\balpha-[0-9a-f]{12}\b|[.:][0-9a-f]*/\d")


def rules_alone(part: OwnedConfig) -> OwnedConfig:
    """A part without statements of reservations, and without the filters that are there for these alone."""
    described = {each[:_NUMBERED]: each[-1] for each in part.statements if _is_description(each)}
    # without ranks of their own the order of entries is that of their numbers
    entries = sorted(described, key=lambda each: (each[:-1], int(each[-1])))
    kept = tuple(_renamed(part.statements, described))
    ranked = tuple(_renamed((*part.ranked, *entries), described))
    in_use = {name for each in kept if _RULE.search(" ".join(each)) for name in _filters(each)}
    return OwnedConfig(*(tuple(each for each in found if _filters(each) <= in_use) for found in (kept, ranked)))


def _filters(words: Statement) -> set[str]:
    return set(_FILTER.findall(" ".join(words)))


def _is_description(words: Statement) -> bool:
    return len(words) > _NUMBERED and words[1] in _ENTRIES and words[3] == "entry" and words[_NUMBERED] == "description"


def _renamed(statements: Iterable[Statement], described: dict[Statement, str]) -> Iterator[Statement]:
    for each in statements:
        name = described.get(each[:_NUMBERED])
        words = each if name is None else (*each[: _NUMBERED - 1], name, *each[_NUMBERED:])
        if not any(_RESERVATION in word for word in words):
            yield tuple(_HASHED.sub("hntes-in", word) for word in words)
