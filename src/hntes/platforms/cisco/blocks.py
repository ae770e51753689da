"""A rendered Cisco text as named objects that HNTES owns or attaches: a head line and the lines below it.

The texts are those of the renderer, so an indented line belongs to the last unindented one. They are not read by the
parser's tree (`parser/tree.py`): it drops `!` and `end-policy-map`, which commands of IOS-XR repeat as rendered, and
accepts lines after a `!` that the renderer never writes and that are refused here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hntes.platforms.transition_errors import TransitionError

Kind = Literal["list", "class", "policy", "route", "interface"]

_KINDS: tuple[tuple[str, Kind], ...] = (
    ("ip access-list extended ", "list"),
    ("ipv4 access-list ", "list"),
    ("ipv6 access-list ", "list"),
    ("class-map ", "class"),
    ("policy-map ", "policy"),
    ("route-map ", "route"),
    ("interface ", "interface"),
)


@dataclass(frozen=True)
class Block:
    """One object: its head line, and the lines below it with their indentation."""

    head: str
    lines: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name by which others refer to it; a route-map's head also has an action and a number."""
        return self.head.split()[1 if self.kind == "route" else -1]

    @property
    def kind(self) -> Kind:
        return _kind(self.head)

    def __iter__(self) -> Iterator[str]:
        """The block as commands, closed by a comment line."""
        yield from (self.head, *self.lines, "!")


@dataclass(frozen=True)
class Blocks:
    """The objects of one text by head, in its order."""

    by_head: dict[str, Block]

    def of(self, kind: Kind) -> list[Block]:
        """The objects of one kind, in the text's order."""
        return [each for each in self.by_head.values() if each.kind == kind]

    def get(self, head: str) -> Block:
        """The object with this head; an empty one if the text has none."""
        return self.by_head.get(head, Block(head, ()))

    def __contains__(self, head: object) -> bool:
        return head in self.by_head


def read_blocks(text: str | None) -> Blocks:
    """The objects of a text; empty if nothing was delivered.

    The `no` lines that precede a rebuilt list on IOS-XR are not objects.

    Raises:
        TransitionError: a line is of no kind that the renderer writes, or an object is defined twice.
    """
    found: dict[str, list[str]] = {}
    head: str | None = None
    for number, line in enumerate((text or "").splitlines(), 1):
        if line.startswith("!") or not line.strip():
            head = None
        elif line.startswith(" "):
            if head is None:
                raise TransitionError(f"line {number}: `{line}` belongs to no object; render the text again")
            found[head].append(line)
        elif not line.startswith("no "):
            head = line
            if head in found:
                raise TransitionError(f"line {number}: `{line}` is a duplicate; render the text again")
            _kind(head)
            found[head] = []
    return Blocks({head: Block(head, tuple(lines)) for head, lines in found.items()})


def without(head: str) -> list[str]:
    """The command that removes an object."""
    return [f"no {head}", "!"]


def _kind(head: str) -> Kind:
    for words, kind in _KINDS:
        if head.startswith(words):
            return kind
    raise TransitionError(f"`{head}` starts no object of HNTES; render the text again")
