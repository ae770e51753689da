"""The entries of a Cisco access list, and the change from one list to another."""

from collections.abc import Iterable
from dataclasses import dataclass

from hntes.platforms.cisco.blocks import Block


@dataclass(frozen=True)
class Entry:
    """A line of an access list: its number, as written, and its permit statement."""

    number: str
    permits: str

    @property
    def line(self) -> str:
        return f" {self.number} {self.permits}"


def entries(block: Block) -> list[Entry]:
    """The entries of a list, in order."""
    found = []
    for line in block.lines:
        number, permits = line.strip().split(" permit ", 1)
        found.append(Entry(number, f"permit {permits}"))
    return found


@dataclass(frozen=True)
class ListChange:
    """The change of one list.

    `added` can be typed at once. `gone` are removed; `moved` get another number, which may have to be freed first;
    `late` are new entries whose number has to be freed first.
    """

    added: tuple[Entry, ...]
    gone: tuple[Entry, ...]
    moved: tuple[Entry, ...]
    late: tuple[Entry, ...]


def list_change(old: Block, new: Block) -> ListChange:
    """The change from one list to another of the same name."""
    before, after = entries(old), entries(new)
    kept = {each.permits for each in after}
    numbers = {each.permits: each.number for each in before}
    taken = set(numbers.values())
    new_ones = [each for each in after if each.permits not in numbers]
    return ListChange(
        added=tuple(each for each in new_ones if each.number not in taken),
        gone=tuple(each for each in before if each.permits not in kept),
        moved=tuple(each for each in after if numbers.get(each.permits, each.number) != each.number),
        late=tuple(each for each in new_ones if each.number in taken),
    )


def edited(head: str, lines: Iterable[str]) -> list[str]:
    """Commands with their head; empty without commands."""
    commands = list(lines)
    return [head, *commands, "!"] if commands else []
