"""Transitions on EOS: all commands are entered in one configuration session and committed once.

A changed object is removed and entered again, so that none of its lines stay and rules have the order of the text; what
is committed is the difference of configurations. Sources: EOS User Manual, "Configure Session".
"""

from collections.abc import Iterator
from itertools import groupby

from hntes.platforms.cisco.statements import text_of
from hntes.platforms.eos.statements import BINDINGS, owned
from hntes.platforms.owned_config import OwnedConfig, Statement

_POLICIES = "traffic-policies"
_INDENT = 3


def eos_commands(delivered: str | None, approved: str | None) -> list[str]:
    """The commands between two texts; None is nothing of HNTES."""
    before, after = _objects(delivered), _objects(approved)
    changed = {key: each for key, each in after.items() if before.get(key) != each}
    gone = [key for key in before if key not in after]
    again = [key for key in before if key in changed and not _is_interface(key)]
    return [
        *_removed([key for key in gone if _is_interface(key)]),
        *_removed([key for key in (*gone, *again) if not _is_interface(key)]),
        *_entered(each for statements in changed.values() for each in statements),
    ]


def _objects(text: str | None) -> dict[Statement, tuple[Statement, ...]]:
    """The statements of each object and binding of a text, in its order."""
    found: dict[Statement, list[Statement]] = {}
    for each in owned(text).statements if text is not None else ():
        found.setdefault(_key(each), []).append(each)
    return {key: tuple(each) for key, each in found.items()}


def _key(statement: Statement) -> Statement:
    """The lines that name an object; of a binding without the name that it refers to, since there is one of a kind."""
    if statement[0].startswith("interface "):
        words = tuple(statement[1].split())
        return statement[0], " ".join(next(each for each in BINDINGS if words[: len(each)] == each))
    return statement[:2] if statement[0] == _POLICIES else statement[:1]


def _is_interface(key: Statement) -> bool:
    return key[0].startswith("interface ")


def _removed(keys: list[Statement]) -> Iterator[str]:
    """The commands that remove objects and bindings, those of one section together."""
    for head, several in groupby(sorted(keys, key=lambda key: key[:-1]), key=lambda key: key[:-1]):
        yield from head
        margin = " " * _INDENT * len(head)
        yield from (f"{margin}no {key[-1]}" for key in several)
        yield "!"


def _entered(statements: Iterator[Statement]) -> Iterator[str]:
    """Statements as commands; each section ends with a comment line."""
    found = text_of(OwnedConfig(tuple(statements)))
    for line in found.splitlines():
        bare = line.lstrip(" ")
        yield " " * _INDENT * (len(line) - len(bare)) + bare
    if found:
        yield "!"
