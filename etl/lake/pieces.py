"""Many parts in pieces: a year of many routers has millions, and their names take gigabytes."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

_AT_ONCE = 1024


def in_pieces(parts: Iterable[T]) -> Iterator[list[T]]:
    """The parts in their order, a thousand at a time."""
    left = iter(parts)
    while some := list(islice(left, _AT_ONCE)):
        yield some
