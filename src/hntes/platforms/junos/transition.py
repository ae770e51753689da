"""Transitions on Junos: one group holds everything that HNTES owns; a load replaces it, a removal deletes it.

The router inherits the group's statements (`apply-groups`). Statements of an earlier text disappear with the group, and
so do the empty containers that single `delete` statements would leave, such as `family inet6`, which would keep IPv6
enabled.

One change is made outside of the group: an operator's `input` that a text lists behind HNTES' own filter is
deactivated, since an interface has either `input` or `input-list`, and activated again when that text is removed. It
keeps its place and its words. Juniper, Junos XML Management Protocol Developer Guide, "Change a Configuration Element's
Activation State": `inactive:` and `active:` before a statement.
"""

from dataclasses import dataclass

from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.junos.parser.tree import read_tree

GROUP = "hntes"
_TAG = "replace: "


@dataclass(frozen=True)
class DisplacedFilter:
    """An operator's filter with deactivated `input`: the words of its `filter` statement, and its name."""

    path: tuple[str, ...]
    name: str


def displaced(text: str | None) -> list[DisplacedFilter]:
    """The operator's filters that a rendered text lists behind those of HNTES, in order; None has none.

    Raises:
        ParseError: a text with a list is not Junos text.
    """
    # most texts have none, and parsing thousands of terms takes a third of a second
    if text is None or "input-list" not in text:
        return []
    found = []
    for port in read_tree(text).child("interfaces") or ():
        for unit in port.child("unit") or ():
            for family in unit.child("family") or ():
                path = ("interfaces", port.word, "unit", unit.word, "family", family.word, "filter")
                listed = [name for each in family.child("filter", "input-list") or () for name in each.items]
                found += [DisplacedFilter(path, name) for name in listed if not OWN_NAME.fullmatch(name)]
    return found


def junos_commands(delivered: str | None, approved: str | None) -> list[str]:
    """The commands between two texts; None is nothing of HNTES."""
    return junos_removal(delivered) if approved is None else junos_text(approved, delivered)


def junos_text(approved: str, delivered: str | None = None) -> list[str]:
    """The approved statements as one group, for `load replace`; empty without statements."""
    lines = [line for line in approved.splitlines() if not line.startswith("##")]
    body = [f"{' ' * 8}{line.replace(_TAG, '', 1) if line.lstrip().startswith(_TAG) else line}" for line in lines]
    group = ["groups {", f"    replace: {GROUP} {{", *body, "    }", "}", f"apply-groups {GROUP};"]
    before, after = displaced(delivered), displaced(approved)
    freed = [_marked("active", each) for each in before if each not in after]
    return [*group, *freed, *(_marked("inactive", each) for each in after)]


def junos_removal(delivered: str | None) -> list[str]:
    """The commands that delete the group and reactivate displaced filters, for `load set`."""
    return [
        f"delete apply-groups {GROUP}",
        f"delete groups {GROUP}",
        *(f"activate {' '.join(each.path)} input" for each in displaced(delivered)),
    ]


def _marked(state: str, each: DisplacedFilter) -> str:
    return f"{' { '.join(_blocks(each.path))} {{ {state}: input {each.name}; }}{' }' * (len(_blocks(each.path)) - 1)}"


def _blocks(path: tuple[str, ...]) -> list[str]:
    """The words of a path grouped by the braces of a listing: `unit 0` and `family inet` open one each."""
    top, port, *rest = path
    return [top, port, f"{rest[0]} {rest[1]}", f"{rest[2]} {rest[3]}", rest[4]]
