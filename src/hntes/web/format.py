"""Times and hosts formatted for readers."""

import re
from collections.abc import Collection

from hntes.format import counted

SOME_HOSTS = 3
HASH_DIGITS = 12
_HASH = re.compile(r"\b[0-9a-f]{64}\b")
# From this number of days on, hours are omitted.
_HOURS_COUNT_DAYS = 14
_MINUTE_MS, _HOUR_MS, _DAY_MS = 60_000, 3_600_000, 86_400_000


def time_left(now_ms: int, until_ms: int) -> str:
    """The time left until a moment (both ms since 1970), in at most two units.

    Example:
        >>> time_left(0, 90_000_000), time_left(0, 5_400_000), time_left(0, 59_000), time_left(1, 0)
        ('1 day 1 h', '1 h 30 min', 'less than a minute', 'over')
        >>> time_left(0, 100 * 86_400_000)
        '100 days'
    """
    left = until_ms - now_ms
    if left <= 0:
        return "over"
    if left < _MINUTE_MS:
        return "less than a minute"
    if left < _HOUR_MS:
        return f"{left // _MINUTE_MS} min"
    if left < _DAY_MS:
        return f"{left // _HOUR_MS} h {left % _HOUR_MS // _MINUTE_MS} min"
    days = counted(left // _DAY_MS, "day")
    return days if left >= _HOURS_COUNT_DAYS * _DAY_MS else f"{days} {left % _DAY_MS // _HOUR_MS} h"


def short_hashes(text: str) -> str:
    """A text whose SHA-256 hashes are cut to the digits by which commands take them.

    Example:
        >>> short_hashes(f"approved: {'0123456789abcdef' * 4} from nothing")
        'approved: 0123456789ab from nothing'
    """
    return _HASH.sub(lambda found: found[0][:HASH_DIGITS], text)


def some_hosts(hosts: Collection[str]) -> str:
    """The number of hosts, and the first of them.

    Example:
        >>> some_hosts([]), some_hosts({"192.0.2.2", "192.0.2.1"})
        ('none', '2: 192.0.2.1, 192.0.2.2')
    """
    if not hosts:
        return "none"
    named = ", ".join(sorted(hosts)[:SOME_HOSTS])
    more = f", and {len(hosts) - SOME_HOSTS} more" if len(hosts) > SOME_HOSTS else ""
    return f"{len(hosts)}: {named}{more}"
