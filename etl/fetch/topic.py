"""A topic of a message queue: partitions of messages, numbered by offsets."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol


class Message(NamedTuple):
    """One message. `time_ms` is what its producer or broker says (epoch ms), None if neither does."""

    partition: int
    offset: int
    time_ms: int | None
    value: bytes | None


class Bounds(NamedTuple):
    """What a partition has: offsets from `low` up to, not including, `high`."""

    low: int
    high: int


class Topic(Protocol):
    """A topic that is read from offsets which the caller keeps."""

    @property
    def cluster(self) -> str:
        """What names the cluster; offsets of another one mean nothing."""

    @property
    def incarnation(self) -> str:
        """What differs if the topic is deleted and made anew; offsets of a former one mean nothing."""

    def partitions(self) -> frozenset[int]:
        """Those that the topic has now. Raises as `bounds`."""

    def bounds(self) -> Mapping[int, Bounds]:
        """Of each partition that the topic has now.

        Raises:
            FetchError: the cluster does not answer, or has no such topic.
        """

    def read_from(self, offsets: Mapping[int, int]) -> None:
        """Goes on with these partitions, each from that offset."""

    def take(self, most: int, wait_s: float) -> Sequence[Message]:
        """The next messages, in the order of each partition; fewer or none if so many do not come in that time.

        Raises:
            OffsetGoneError: a partition does not have the offset that it is read from.
            FetchError: messages cannot be read, and waiting does not help.
        """

    def behind(self, offsets: Mapping[int, int]) -> int:
        """How many messages there are from these offsets on, as far as is known without asking."""

    def close(self) -> None: ...
