"""The part of an IOS-XE router's configuration that is HNTES' own, whatever form the router prints it in.

Numbers of a list's entries do not count: all entries permit, so that their order does nothing, and a router may
number a list anew when it starts ("IP Access List Entry Sequence Numbering": they are not stored, and revert to the
default sequence with a restart).
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from hntes.platforms.cisco import statements
from hntes.platforms.iosxe.apply_commands import plain
from hntes.platforms.owned_config import OwnedConfig, Statement

_OWN_LIST = re.compile(r"(?:ip access-list extended|ipv6 access-list) hntes-\S+")


def owned(configuration: str) -> OwnedConfig:
    """The part of a whole configuration that is HNTES' own.

    Raises:
        DeliveryError: the text cannot be read as a configuration.
    """
    found = statements.owned(configuration)
    return replace(found, statements=tuple(_plain(each) for each in found.statements))


def ordered(text: str) -> str:
    """A text whose lists of HNTES have their entries in one order, under numbers of that order."""
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
