"""The exporters of a file whose rows name exporter and sampling rate themselves."""

from collections.abc import Sequence

from hntes.etl.sources.rows.row import RowError
from hntes.etl.sources.source import Exporter

# More are not exporters but forged or random numbers; each costs some hundred bytes of memory.
MOST_EXPORTERS = 10_000


class RowExporters:
    """Numbers for each exporter with each of its rates: where one changes its rate, records keep their own."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, int | None], int] = {}
        self._named: Sequence[Exporter] = ()

    def number(self, address: str, factor: int | None) -> int:
        """The number of records of that exporter and sampling factor (None: not known), from 1 on.

        Raises:
            RowError: there are too many.
        """
        key = address, factor
        if (known := self._numbers.get(key)) is not None:
            return known
        if len(self._numbers) >= MOST_EXPORTERS:
            raise RowError(f"more than {MOST_EXPORTERS} exporters and sampling rates are in the file")
        self._numbers[key] = number = len(self._numbers) + 1
        return number

    @property
    def named(self) -> Sequence[Exporter]:
        """All so far; the same object as long as there is no other."""
        if len(self._named) != len(self._numbers):
            self._named = [
                Exporter(number, address, factor, general=True) for (address, factor), number in self._numbers.items()
            ]
        return self._named
