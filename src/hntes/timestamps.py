"""Instants of whole seconds, as people and machines write them (RFC 3339)."""

from datetime import datetime

from hntes.errors import HntesError


class MomentError(HntesError, ValueError):
    """A text that is not an instant; the message says what to write."""


def moment_s(text: str) -> int:
    """Seconds since 1970 of an instant with its offset from UTC.

    Raises:
        MomentError: this is none, it has no offset, a part of a second, or lies before 1970.

    Example:
        >>> moment_s("2026-11-24T10:00Z"), moment_s("2026-11-24T11:00:00+01:00")
        (1795514400, 1795514400)
    """
    remedy = f"{text!r} is not an instant; write it with its UTC offset, such as 2026-11-24T10:00Z"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise MomentError(remedy) from None
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise MomentError(remedy)
    if moment.microsecond:
        raise MomentError(f"{text!r} has a part of a second; write whole seconds")
    seconds = moment.timestamp()
    if seconds < 0:
        raise MomentError(f"{text!r} lies before 1970")
    return int(seconds)
