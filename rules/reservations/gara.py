"""GARA's rules for premium traffic: how long it may queue, and which bucket and window its rate needs.

Source: the GARA study of differentiated services for high-performance TCP: the premium class gets 99 % of the slowest
link and is policed at the edge to a part `x` of it.
"""

from fractions import Fraction

from base.errors import HntesError

# The part of the link that the premium class is served with; what is policed must stay below it.
MOST_SHARE = Fraction(99, 100)
_BITS_PER_BYTE_MS = 8000


class ShareError(HntesError, ValueError):
    """A policed part of a link for which no queue is bounded."""


def queueing_time_ms(rtt_ms: int, share: Fraction) -> Fraction:
    """The most that premium traffic waits: qt = rtt x / (0.99 - x).

    A burst of one round trip, x C rtt, comes at once and leaves with what the class has over x.

    Args:
        rtt_ms: The round-trip time without queues, ms.
        share: The policed part x of the link, 0 <= x < 0.99.

    Raises:
        ShareError: the part is not in that range.

    Example:
        >>> queueing_time_ms(100, Fraction(33, 100))
        Fraction(50, 1)
    """
    if not 0 <= share < MOST_SHARE:
        raise ShareError(f"a policed part of {float(share):g} of the link: must be less than {float(MOST_SHARE):g}")
    return rtt_ms * share / (MOST_SHARE - share)


def burst_bytes(rate_bps: int, rtt_ms: int, share: Fraction) -> int:
    """The policer's bucket, and the TCP window that fills the rate: rate x (rtt + qt), bytes, rounded up.

    Raises:
        ShareError: as `queueing_time_ms`.

    Example:
        >>> burst_bytes(45_000_000, 2, Fraction(33, 100))
        16875
    """
    exact = rate_bps * (rtt_ms + queueing_time_ms(rtt_ms, share)) / _BITS_PER_BYTE_MS
    return -(-exact.numerator // exact.denominator)
