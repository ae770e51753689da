"""Counts, rates and moments in an operator's words."""

from datetime import UTC, datetime


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun; `plural` where it is not the noun with an s.

    Example:
        >>> counted(1, "flow"), counted(2, "flow"), counted(0, "entry", "entries")
        ('1 flow', '2 flows', '0 entries')
    """
    return f"{number} {agreeing(number, noun, plural)}"


def agreeing(number: float, noun: str, plural: str = "") -> str:
    """The noun as it stands after this number.

    Example:
        >>> agreeing(1.0, "percentage point"), agreeing(0.5, "percentage point")
        ('percentage point', 'percentage points')
    """
    return noun if number == 1 else plural or f"{noun}s"


def gbps(bps: float) -> str:
    """A rate to three digits: Gb/s from 1 Gb/s on, else Mb/s.

    Example:
        >>> gbps(4_630_000_000), gbps(52_340_000), gbps(0)
        ('4.63 Gb/s', '52.3 Mb/s', '0 Mb/s')
    """
    if bps >= 1e9:
        return f"{bps / 1e9:.3g} Gb/s" if bps < 999.5e9 else f"{bps / 1e9:.0f} Gb/s"
    return f"{bps / 1e6:.3g} Mb/s"


def at(moment_ms: int) -> str:
    """A moment (ms since 1970), to the minute in UTC.

    Example:
        >>> at(1_795_132_800_000)
        'at 2026-11-20 00:00 UTC'
    """
    return f"at {datetime.fromtimestamp(moment_ms // 1000, UTC):%Y-%m-%d %H:%M} UTC"
