"""Times as collectors write them in texts."""

from datetime import datetime
from zoneinfo import ZoneInfo

from hntes.etl.sources.rows.row import RowError

# Earlier times are missing ones, which some collectors write as zeros.
_MISSING = ("", "0", "0000-")
_MOST_S = 253_402_300_799


class WrittenTimes:
    """The conversion of times of one zone; those that say their own zone are of that."""

    def __init__(self, zone: str) -> None:
        self._zone = ZoneInfo(zone)
        self._by_second: dict[str, int] = {}

    def ms(self, written: str) -> int:
        """Epoch ms UTC of seconds since the epoch, or of a date and time (RFC 3339, or with a blank for the T).

        0 where the time is missing.

        Raises:
            RowError: it is neither.
        """
        if written in _MISSING or written.startswith("0000-"):
            return 0
        seconds, _, rest = written.partition(".")
        digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
        whole_ms = self._whole_ms(seconds + rest[len(digits) :], written)
        return whole_ms + int(digits[:3].ljust(3, "0")) if digits else whole_ms

    def _whole_ms(self, text: str, written: str) -> int:
        """Rows beside each other mostly name the same seconds."""
        known = self._by_second.get(text)
        if known is None:
            if len(self._by_second) > 100_000:
                self._by_second.clear()
            known = self._by_second[text] = self._parsed_ms(text, written)
        return known

    def _parsed_ms(self, text: str, written: str) -> int:
        if text.isdecimal() and len(text) < 12:
            return int(text) * 1000
        try:
            moment = datetime.fromisoformat(text)
            aware = moment if moment.tzinfo else moment.replace(tzinfo=self._zone)
            seconds = int(aware.timestamp())
        except (ValueError, OverflowError) as cause:
            raise RowError(f"{written[:40]!r} is no time") from cause
        if not 0 <= seconds <= _MOST_S:
            raise RowError(f"{written[:40]!r} is before 1970 or after 9999")
        return seconds * 1000
