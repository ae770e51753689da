"""The interface of a source of announcements, and what it gives.

Another kind is an object of this protocol, named in the entry point group `hntes.announced` of its distribution;
tests/contract/announced holds each to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hntes.etl.errors import EtlError

if TYPE_CHECKING:
    from hntes.addresses import Network
    from hntes.etl.announced.document import Fields
    from hntes.etl.announced.endpoints import Endpoints
    from hntes.etl.announced.experiments import Experiments

# An experiment or activity that was not named, or that the registry does not have.
UNKNOWN = 0


class AnnouncedError(EtlError):
    """Announcements, or what explains them, cannot be read; the message names the file and what to do."""


class MalformedError(EtlError):
    """One message that is not what its source sends; it is counted, and the others are read."""


@dataclass(frozen=True)
class Names:
    """What explains the names in announcements: experiments, endpoints, and whose Rucio its events are of."""

    experiments: Experiments
    endpoints: Endpoints
    rucio_experiment: int = UNKNOWN


@dataclass(frozen=True)
class Announcement:
    """One transfer, as its sender, its scheduler or its circuit says.

    Attributes:
        key: Names the transfer within its source; messages of one key say the same of it, or more.
        sources: Prefixes of the sending hosts; none if the endpoint's name is unknown.
        destinations: Prefixes of the receiving hosts; likewise.
        ports: Source port, destination port and IP protocol; None where only hosts or prefixes are known.
        both_ways: Whether it speaks of the reverse direction, too.
        start_ms: Epoch ms; None if not announced.
        end_ms: Epoch ms; None if not announced, or not yet.
        experiment: Number in the registry of SciTags, 1 to 511; or UNKNOWN.
        activity: Number within the experiment, 1 to 63; or UNKNOWN.
        sent_bytes: From source to destination; None if not announced.
        received_bytes: In the reverse direction; likewise.
        reference: The identifier of the transfer or reservation in its system: ASCII letters, digits, `._:/-`; or "".
    """

    key: tuple[str | int, ...]
    sources: tuple[Network, ...]
    destinations: tuple[Network, ...]
    ports: tuple[int, int, int] | None = None
    both_ways: bool = False
    start_ms: int | None = None
    end_ms: int | None = None
    experiment: int = UNKNOWN
    activity: int = UNKNOWN
    sent_bytes: int | None = None
    received_bytes: int | None = None
    reference: str = ""


class AnnouncedSource(Protocol):
    """One kind of announcement.

    name: short; the folder of its files has it.
    """

    @property
    def name(self) -> str: ...

    def announcements(self, fields: Fields, names: Names) -> Iterator[Announcement]:
        """What one message announces; nothing if it is about something else.

        Raises:
            MalformedError: it is not what the source sends, or a value is out of its range.
        """
