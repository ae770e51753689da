"""The exporters that a file names, by the collector's number and their address.

A collector numbers exporters in the order of their arrival. One that was restarted numbers them again, and goes on with
the same file: a number alone tells an exporter from another only where the file names one of that number.
"""

from collections.abc import Iterable

from hntes.etl.addresses import mapped_half_pair, text_halves
from hntes.etl.sources.decoded import RecordGroup
from hntes.etl.sources.source import Exporter

# The collector's number, and the halves of the address; both 0 where a record does not have it.
ExporterKey = tuple[int, int, int]


class NamedExporters:
    """The exporters that the blocks read so far name."""

    def __init__(self, named: Iterable[Exporter] = ()) -> None:
        self._by_key: dict[ExporterKey, Exporter] = {}
        self._by_number: dict[int, list[Exporter]] = {}
        for exporter in named:
            self._by_key[named_key(exporter)] = exporter
            self._by_number.setdefault(exporter.sysid, []).append(exporter)

    def get(self, key: ExporterKey) -> Exporter | None:
        """The exporter of records with that key; for those without an address the only one of the number, if it is."""
        if exporter := self._by_key.get(key):
            return exporter
        alike = self._by_number.get(key[0], [])
        return alike[0] if key[1:] == (0, 0) and len(alike) == 1 else None


def exporter_key(group: RecordGroup) -> ExporterKey:
    """The exporter of a group's records."""
    if not group.exporter_version:
        return group.sysid, 0, 0
    return group.sysid, *mapped_half_pair(group.exporter_hi, group.exporter_lo, group.exporter_version)


def named_key(exporter: Exporter) -> ExporterKey:
    """The key of an exporter that a file names."""
    return exporter.sysid, *text_halves(exporter.address)[:2]
