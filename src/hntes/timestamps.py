"""Timestamps of whole seconds (RFC 3339)."""

from datetime import datetime

from hntes.errors import HntesError


class TimestampError(HntesError, ValueError):
    """A text that is not a timestamp; the message says what to write."""


def parse_timestamp(text: str) -> int:
    """Seconds since 1970 of a timestamp with its UTC offset.

    Raises:
        TimestampError: it is no timestamp, has no offset or a fraction of a second, or is before 1970.

    Example:
        >>> parse_timestamp("2026-11-24T10:00Z"), parse_timestamp("2026-11-24T11:00:00+01:00")
        (1795514400, 1795514400)
    """
    remedy = f"{text!r} is not a timestamp with UTC offset; write it like 2026-11-24T10:00Z"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise TimestampError(remedy) from None
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise TimestampError(remedy)
    if moment.microsecond:
        raise TimestampError(f"{text!r} has a fraction of a second; write whole seconds")
    seconds = moment.timestamp()
    if seconds < 0:
        raise TimestampError(f"{text!r} is before 1970")
    return int(seconds)
