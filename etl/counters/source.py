"""The interface of a source of interface counters.

Another kind is an object of this protocol, named in the entry point group `hntes.counters` of its distribution;
tests/contract/counters holds each to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from hntes.etl.errors import EtlError

if TYPE_CHECKING:
    from hntes.settings.counters import Counters

Direction = Literal["in", "out"]


class CounterSourceError(EtlError):
    """The counters of a router cannot be read; the message names source, place and remedy."""


@dataclass(frozen=True, order=True)
class IntervalOctets:
    """Octets of one interface and direction between two polls, [start_ms, end_ms).

    `interface` is an SNMP ifIndex as digits, or a name.
    """

    interface: str
    direction: Direction
    start_ms: int
    end_ms: int
    octets: int


class CounterSource(Protocol):
    """One kind of source.

    name: short, as in the settings.
    """

    @property
    def name(self) -> str: ...

    def configured(self, settings: Counters) -> CounterSource:
        """The source as the settings have it."""

    def read(self, router: str, from_ms: int, to_ms: int) -> Sequence[IntervalOctets]:
        """The intervals of a router's interfaces between two moments, ordered, without overlaps of one interface and
        direction; nothing where no counter is known.

        Raises:
            CounterSourceError: the source cannot be read, or what it has are no counters.
        """
