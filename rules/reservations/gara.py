"""GARA's rules for premium traffic: queueing delay, and the bucket and window of a rate.

Source: the GARA study of differentiated services for high-performance TCP: the premium class gets 99 % of the slowest
link and is policed at the edge to a part `x` of it. Here the class is served with the plan's share S in the place of
99 %, since the shares of a plan add up to the link.
"""

from fractions import Fraction

from hntes.errors import HntesError

# GARA's S: the service share of the class unless a plan sets it, per cent of the link.
GARA_SERVED_PCT = 99
_BITS_PER_BYTE_MS = 8000


class ShareError(HntesError, ValueError):
    """A policed part of a link for which no queue is bounded."""


def queueing_time_ms(rtt_ms: int, share: Fraction, served: Fraction) -> Fraction:
    """The maximum queueing delay of premium traffic: qt = rtt x / (S - x).

    A window that fills the rate, x C (rtt + qt), comes at once and leaves at the class' share of the link, S C: that
    takes qt.

    Args:
        rtt_ms: The round-trip time without queues, ms.
        share: The policed part x of the link, from 0, below `served`.
        served: The part S of the link that the class is served with.

    Raises:
        ShareError: the policed part is not in that range.

    Example:
        >>> queueing_time_ms(100, Fraction(33, 100), Fraction(99, 100))
        Fraction(50, 1)
        >>> queueing_time_ms(100, Fraction(10, 100), Fraction(30, 100))
        Fraction(50, 1)
    """
    if not 0 <= share < served:
        raise ShareError(f"a policed part of {float(share):g} of the link: must be less than {float(served):g}")
    return rtt_ms * share / (served - share)


def burst_bytes(rate_bps: int, rtt_ms: int, share: Fraction, served: Fraction) -> int:
    """The policer's bucket, and the TCP window that fills the rate: rate x (rtt + qt), bytes, rounded up.

    Raises:
        ShareError: as `queueing_time_ms`.

    Example:
        >>> burst_bytes(45_000_000, 2, Fraction(33, 100), Fraction(99, 100))
        16875
    """
    exact = rate_bps * (rtt_ms + queueing_time_ms(rtt_ms, share, served)) / _BITS_PER_BYTE_MS
    return -(-exact.numerator // exact.denominator)
