"""A router's processor and memory, as its SNMP agent tells of them: what is asked, and what the answers mean.

A platform names columns of MIBs and reads percentages out of them; what is watched is the highest of each kind.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from hntes.platforms.device_errors import DeliveryError
from hntes.sanitize import shown

_NAME_CHARACTERS = 60

# The rest of an object's number behind its column; (0,) of an object outside of tables.
Index = tuple[int, ...]
# Values as snmpwalk prints them, by the name of the column and by index.
Answers = Mapping[str, Mapping[Index, str]]


class LoadUnknownError(DeliveryError):
    """A router's processor or memory is not told by its SNMP agent."""


@dataclass(frozen=True)
class Part:
    """A processor or memory, by the router's name for it, and how much of it is taken, 0 to 100 %."""

    name: str
    pct: float


@dataclass(frozen=True)
class RouterLoad:
    """The busiest processor and the fullest memory of a router at one moment."""

    cpu: Part
    memory: Part


@dataclass(frozen=True)
class LoadObjects:
    """What an SNMP agent of a platform is asked.

    Attributes:
        columns: The number of each column by its name in the MIB.
        cpu: The processors in the answers.
        memory: The memories in the answers.
    """

    columns: Mapping[str, Index]
    cpu: Callable[[Answers], Iterable[Part]]
    memory: Callable[[Answers], Iterable[Part]]


def load_of(objects: LoadObjects, answers: Answers) -> RouterLoad:
    """The highest of the processors and of the memories.

    Raises:
        LoadUnknownError: there is no processor or no memory in the answers.
    """
    found = []
    for what, parts in (("processor", objects.cpu(answers)), ("memory", objects.memory(answers))):
        highest = max(parts, key=lambda part: part.pct, default=None)
        if highest is None:
            asked = ", ".join(objects.columns)
            raise LoadUnknownError(f"its SNMP agent tells of no {what}; may this community or user read {asked}?")
        found.append(highest)
    return RouterLoad(*found)


def percents(answers: Answers, column: str, names: str = "") -> Iterator[tuple[Index, Part]]:
    """The parts of a column of percentages, by index; `names` is the column with their names."""
    for index, value in answers[column].items():
        if (pct := number(value)) is not None and pct <= 100:
            yield index, Part(_name(answers, column, names, index), float(pct))


def used_shares(answers: Answers, used: str, free: str, names: str = "") -> Iterator[tuple[Index, Part]]:
    """The parts of two columns that have what is taken of each and what is free, in the same unit."""
    for index, value in answers[used].items():
        taken, left = number(value), number(answers[free].get(index, ""))
        if taken is not None and left is not None and taken + left > 0:
            yield index, Part(_name(answers, used, names, index), 100 * taken / (taken + left))


def _name(answers: Answers, column: str, names: str, index: Index) -> str:
    own = answers[names].get(index, "") if names else ""
    return shown(" ".join(own.split()))[:_NAME_CHARACTERS] or ".".join((column, *map(str, index)))


def number(value: str) -> int | None:
    """A whole number from 0 on; None for any other value."""
    return int(value) if value.isascii() and value.isdecimal() else None
