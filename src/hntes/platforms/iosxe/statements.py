"""The part of an IOS-XE router's configuration owned by HNTES, independent of the router's output format.

Numbers of list entries are ignored: all entries permit, so their order has no effect, and a router may renumber a list
when it starts ("IP Access List Entry Sequence Numbering": numbers are not stored, and revert to the default sequence
with a restart).
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from hntes.platforms.cisco import statements
from hntes.platforms.iosxe.apply_commands import plain
from hntes.platforms.owned_config import LISTINGS, OwnedConfig, Statement

_OWN_LIST = re.compile(r"(?:ip access-list extended|ipv6 access-list) hntes-\S+")


@lru_cache(maxsize=LISTINGS)
def owned(configuration: str) -> OwnedConfig:
    """The part of a whole configuration owned by HNTES.

    Raises:
        DeliveryError: the text cannot be parsed as a configuration.
    """
    found = statements.owned(configuration)
    return replace(found, statements=tuple(_plain(each) for each in found.statements))


def ordered(text: str) -> str:
    """A text with the entries of HNTES' lists sorted and renumbered."""
    lines = text.splitlines()
    return "".join(f"{line}\n" for line in _ordered(lines))


def _ordered(lines: list[str]) -> Iterator[str]:
    entries: list[str] = []
    sequence = ""
    is_list = False
    for line in [*lines, ""]:
        if is_list and line.startswith(" "):
            entries.append(plain(line))
            continue
        yield from (f" {sequence}{10 * at} {entry}" for at, entry in enumerate(sorted(entries), 1))
        entries, is_list = [], _OWN_LIST.fullmatch(line.rstrip()) is not None
        sequence = "sequence " if line.startswith("ipv6 ") else ""
        yield line


def _plain(statement: Statement) -> Statement:
    return tuple(plain(line) for line in statement)
