"""Interface counters that `hntes data poll-counters` has written: a CSV file per router and UTC day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hntes.etl.counters.file import FileSource
from hntes.etl.counters.source import CounterSourceError, IntervalOctets

if TYPE_CHECKING:
    from hntes.settings.counters import Counters


@dataclass(frozen=True)
class SnmpSource:
    """What was polled into a folder."""

    folder: Path = Path()
    max_interval_ms: int = 900_000
    name: str = "snmp"

    def configured(self, settings: Counters) -> SnmpSource:
        """The source as the settings have it."""
        if settings.snmp is None:
            raise CounterSourceError("counters.snmp: the section is missing; it names the folder and the routers")
        return SnmpSource(settings.snmp.folder, settings.max_interval_s * 1000)

    def read(self, router: str, from_ms: int, to_ms: int) -> Sequence[IntervalOctets]:
        """The intervals of a router's interfaces between two moments."""
        if not self.folder.is_dir():
            raise CounterSourceError(f"{self.folder}: no such folder; is `hntes data poll-counters` running?")
        files = FileSource(self.folder / router / "{day}.csv", max_interval_ms=self.max_interval_ms)
        return files.read(router, from_ms, to_ms)


SOURCE = SnmpSource()
