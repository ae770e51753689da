"""The rows of a file that cannot be read."""

from collections.abc import Iterable

from hntes.format import counted
from hntes.sanitize import shown

_NAMED = 5
_REASON_CHARACTERS = 160


class Malformed:
    """How many there are, and the first ones with their reasons."""

    def __init__(self) -> None:
        self.rows = 0
        self._first: list[str] = []

    def add(self, number: int, reason: str) -> None:
        """Adds the row of that number, from 1 on."""
        self.rows += 1
        if len(self._first) < _NAMED:
            self._first.append(f"row {number}: {shown(reason[:_REASON_CHARACTERS])}")

    def add_all(self, numbers: Iterable[int], rows: int, reason: str) -> None:
        """Adds so many rows of one reason, of which the first numbers are given."""
        before = self.rows
        for number in numbers:
            self.add(number, reason)
        self.rows = before + rows

    def warnings(self) -> list[str]:
        """A sentence on them, if there are any."""
        if not self.rows:
            return []
        more = f", and {self.rows - len(self._first)} more" if self.rows > len(self._first) else ""
        return [f"{counted(self.rows, 'row')} set aside alone as malformed: {'; '.join(self._first)}{more}"]
