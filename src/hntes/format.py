"""Counts, rates and times formatted for operators."""

from collections.abc import Sequence
from datetime import UTC, datetime

# Python's calendar ends with the year 9999.
_END_OF_CALENDAR_MS = 253_402_300_800_000
_RATE_UNITS = ((10**9, "Gb/s"), (10**6, "Mb/s"), (10**3, "kb/s"))


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun; `plural` where it is not the noun with an s.

    Example:
        >>> counted(1, "flow"), counted(2, "flow"), counted(0, "entry", "entries")
        ('1 flow', '2 flows', '0 entries')
    """
    return f"{number} {agreeing(number, noun, plural)}"


def agreeing(number: float, noun: str, plural: str = "") -> str:
    """The noun in singular or plural, as the number requires.

    Example:
        >>> agreeing(1.0, "percentage point"), agreeing(0.5, "percentage point")
        ('percentage point', 'percentage points')
    """
    return noun if number == 1 else plural or f"{noun}s"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Names as a sentence lists them; of more than `most` the first ones and the number of others.

    Example:
        >>> listed(["A"]), listed(["A", "B"]), listed(["A", "B", "C"])
        ('A', 'A and B', 'A, B and C')
        >>> listed(["A", "B", "C", "D", "E"], most=4)
        'A, B, C and 2 others'
    """
    named = list(names)
    if most is not None and len(named) > most:
        named = [*named[: most - 1], f"{len(named) - most + 1} others"]
    return " and ".join(filter(None, (", ".join(named[:-1]), *named[-1:])))


def exact_rate(bps: int) -> str:
    """A rate with all of its digits, in the largest unit that it fills.

    Example:
        >>> exact_rate(3_000_000_000), exact_rate(1_250_000_001), exact_rate(64_000), exact_rate(10), exact_rate(0)
        ('3 Gb/s', '1.250000001 Gb/s', '64 kb/s', '10 bit/s', '0 bit/s')
    """
    size, unit = next((each for each in _RATE_UNITS if bps >= each[0]), (1, "bit/s"))
    whole, rest = divmod(bps, size)
    digits = f"{rest:0{len(str(size)) - 1}d}".rstrip("0") if rest else ""
    return f"{whole}{'.' if digits else ''}{digits} {unit}"


def gbps(bps: float) -> str:
    """A rate to three digits in the largest unit that it fills, Gb/s at most; only nothing reads as 0.

    Example:
        >>> gbps(4_630_000_000), gbps(52_340_000), gbps(64_000), gbps(50), gbps(0.4), gbps(0)
        ('4.63 Gb/s', '52.3 Mb/s', '64 kb/s', '50 bit/s', '<1 bit/s', '0 bit/s')
        >>> gbps(999_499_999), gbps(999_500_000), gbps(1_200 * 10**9)
        ('999 Mb/s', '1 Gb/s', '1200 Gb/s')
    """
    for size, unit in _RATE_UNITS:
        # what rounds to a thousand of one unit fills the next
        if bps >= size - size / 2000:
            amount = bps / size
            return f"{amount:.3g} {unit}" if amount < 999.5 else f"{amount:.0f} {unit}"
    return f"{bps:.3g} bit/s" if bps == 0 or bps >= 1 else "<1 bit/s"


def at(moment_ms: int) -> str:
    """A time (ms since 1970) in UTC, to the minute.

    Example:
        >>> at(1_795_132_800_000)
        'at 2026-11-20 00:00 UTC'
    """
    return f"at {minute(moment_ms)} UTC"


def rfc3339(moment_ms: int) -> str:
    """A time (ms since 1970) in UTC for machines, to the second.

    Example:
        >>> rfc3339(1_795_132_800_999)
        '2026-11-20T00:00:00Z'
    """
    return f"{datetime.fromtimestamp(moment_ms // 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"


def minute(moment_ms: int) -> str:
    """A time (ms since 1970) in UTC to the minute; "after 9999" beyond Python's calendar.

    Example:
        >>> minute(1_795_132_800_000), minute(253_402_560_000_000)
        ('2026-11-20 00:00', 'after 9999')
    """
    if moment_ms >= _END_OF_CALENDAR_MS:
        return "after 9999"
    return f"{datetime.fromtimestamp(moment_ms // 1000, UTC):%Y-%m-%d %H:%M}"


def gigabytes(byte_count: int) -> str:
    """Bytes as GB (10^9), from 10,000 of them on as TB, to three digits, for sentences; only nothing reads as 0.

    Example:
        >>> gigabytes(0), gigabytes(1), gigabytes(1_234_000_000), gigabytes(412_400_000_000), gigabytes(8_765 * 10**9)
        ('0 GB', '<0.001 GB', '1.23 GB', '412 GB', '8,765 GB')
        >>> gigabytes(9_999_600_000_000), gigabytes(12_345 * 10**9), gigabytes(10**16)
        ('10 TB', '12.3 TB', '10,000 TB')
    """
    amount, unit = byte_count / 1e9, "GB"
    if amount >= 9_999.5:
        amount, unit = byte_count / 1e12, "TB"
    if byte_count == 0 or amount >= 100:
        return f"{amount:,.0f} {unit}"
    return f"{amount:.3g} {unit}" if amount >= 0.001 else "<0.001 GB"


def long_gigabytes(byte_count: int, decimals: int = 3) -> str:
    """Bytes as GB (10^9), from 1000 of them on as TB, with so many decimals, where values differ by little.

    Example:
        >>> long_gigabytes(1_234_560_000), long_gigabytes(10**12), long_gigabytes(12_345_670_000_000, 2)
        ('1.235 GB', '1.000 TB', '12.35 TB')
    """
    return f"{byte_count / 1e12:.{decimals}f} TB" if byte_count >= 10**12 else f"{byte_count / 1e9:.{decimals}f} GB"


def data_size(byte_count: int) -> str:
    """Bytes to three digits in the largest unit that they fill; as `gigabytes` from 1 GB on.

    Example:
        >>> data_size(20), data_size(1_500), data_size(999_600), data_size(78_589_900), data_size(0)
        ('20 B', '1.5 kB', '1 MB', '78.6 MB', '0 B')
        >>> data_size(999_600_000), data_size(10_124_300_000), data_size(1_234 * 10**9), data_size(20 * 10**12)
        ('1 GB', '10.1 GB', '1,234 GB', '20 TB')
    """
    if byte_count >= 999_500_000:
        return gigabytes(byte_count)
    for unit, size in (("MB", 10**6), ("kB", 10**3)):
        # what rounds to a thousand of one unit fills the next
        if byte_count >= 0.9995 * size:
            return f"{byte_count / size:.3g} {unit}"
    return f"{byte_count} B"
