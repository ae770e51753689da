"""The traffic between two readings of a router's counter."""

from dataclasses import dataclass

from hntes.errors import HntesError

# Line cards report with a delay; the value is an assumption, since it is undocumented.
MARGIN_S = 10


class CounterError(HntesError):
    """An implausible reading; the message says why."""


@dataclass(frozen=True)
class Reading:
    """The time of a reading (epoch ms UTC), and the counter's value."""

    read_ms: int
    bytes: int


def counted_bytes(before: Reading, after: Reading, rate_bps: int) -> int | None:
    """Bytes counted between two readings; None if the counter was reset.

    A counter that holds less than before was reset: the router restarted, the filter was reloaded or cleared. One
    that was reset and has passed its earlier value since is not noticed: the bytes are then too few.

    Args:
        before: the earlier reading.
        after: the later one.
        rate_bps: what the interfaces that are counted carry together.

    Raises:
        CounterError: the clock went back, or there are more bytes than those interfaces can have carried.

    Example:
        >>> counted_bytes(Reading(0, 500), Reading(60_000, 800), 10**9), counted_bytes(Reading(0, 5), Reading(1, 4), 8)
        (300, None)
    """
    if after.read_ms <= before.read_ms:
        raise CounterError(f"read at {after.read_ms} ms, not after the reading before ({before.read_ms} ms)")
    if after.bytes < before.bytes:
        return None
    counted = after.bytes - before.bytes
    if 8_000 * counted > rate_bps * (after.read_ms - before.read_ms + 1_000 * MARGIN_S):
        raise CounterError(
            f"{counted} bytes in {(after.read_ms - before.read_ms) / 1_000:.0f} s are more than its interfaces carry "
            f"({rate_bps} bit/s)"
        )
    return counted
