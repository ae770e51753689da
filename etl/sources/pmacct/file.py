"""The rows of pmacct and what they mean.

A row is what was aggregated under one key of the `aggregate` primitives until it was purged. Its time is, in this
order:
- `timestamp_start` and `timestamp_end`, of the flow; or `timestamp_min` and `timestamp_max`, of the flows that the row
  sums up. A start without an end, as of a sampled packet (sFlow), is one moment.
- `stamp_inserted`, the begin of a time bin (`print_history`): the sum over `period_s` from then on. `stamp_updated` is
  the clock at which the row was written, not its last packet.
- none: the time of arrival, if it is there, judges nothing but stands for the times with `clock = "collector"`.

Counters are as sampled, and `sampling_rate` (a primitive) is what they are to be multiplied by, 0 where it is not
known; with `*_renormalize` they are multiplied and the rate is written as 1, as of unsampled ones.

Source: CONFIG-KEYS, src/plugin_cmn_json.c and src/util.c (compose_timestamp) of pmacct's public repository.
"""

from pathlib import Path

import msgspec

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.rows.exporters import RowExporters
from hntes.etl.sources.rows.file import JsonFile
from hntes.etl.sources.rows.protocols import protocol_number
from hntes.etl.sources.rows.row import Flow, multiplied
from hntes.etl.sources.rows.timestamps import WrittenTimes
from hntes.etl.sources.rows.values import Counter, Octet, Port, Uint32
from hntes.etl.sources.schema import FLOW, NEITHER, SUMMED
from hntes.settings.flow_folder import FlowFolder

_FLOWS = ("", "purge")


class Row(msgspec.Struct, gc=False):
    """The fields that are used; which ones there are is up to the `aggregate` of the daemon."""

    event_type: str = ""
    peer_ip_src: str = ""
    iface_in: Uint32 = 0
    iface_out: Uint32 = 0
    ip_src: str = ""
    ip_dst: str = ""
    port_src: Port = 0
    port_dst: Port = 0
    ip_proto: str | Octet = 0
    tos: Octet = 0
    sampling_rate: Uint32 = 0
    timestamp_start: str = ""
    timestamp_end: str = ""
    timestamp_min: str = ""
    timestamp_max: str = ""
    timestamp_arrival: str = ""
    stamp_inserted: str = ""
    packets: Counter | None = None
    bytes: Counter | None = None


def opened(path: Path, described: FlowFolder | None) -> JsonFile[Row]:
    """A file of a folder that the settings may describe."""
    return JsonFile(path, Row, Flows(described or FlowFolder(folder=path.parent)).flow)


class Flows:
    """The conversion of rows to flows."""

    def __init__(self, described: FlowFolder) -> None:
        self._described = described
        self._ms = WrittenTimes(described.times_zone).ms

    def flow(self, row: Row, exporters: RowExporters) -> Flow | None:
        """The flow of a row; None for a marker of the begin or end of a purge.

        Raises:
            RowError: a value is none of its kind.
            UnreadableFileError: rows have nothing but the begin of a bin, and the settings do not say how long it is.
        """
        if row.event_type not in _FLOWS:
            return None
        is_multiplied = self._described.renormalized
        factor = 1 if is_multiplied else row.sampling_rate
        number = exporters.number(row.peer_ip_src, None if is_multiplied else factor or None)
        kind, first_ms, last_ms = self._times(row)
        if row.bytes is None and row.packets is None:
            kind = NEITHER  # an event or an option of the exporter
        return Flow(
            kind,
            int(is_multiplied or factor > 1),
            number,
            first_ms,
            last_ms,
            self._ms(row.timestamp_arrival),
            multiplied(row.packets or 0, factor or 1),
            multiplied(row.bytes or 0, factor or 1),
            protocol_number(row.ip_proto),
            row.port_src,
            row.port_dst,
            row.ip_src,
            row.ip_dst,
            row.peer_ip_src,
            row.iface_in,
            row.iface_out,
            0,
            row.tos,
        )

    def _times(self, row: Row) -> tuple[int, int, int]:
        """Kind of record, first and last moment."""
        for first, last in ((row.timestamp_start, row.timestamp_end), (row.timestamp_min, row.timestamp_max)):
            if first_ms := self._ms(first):
                return FLOW, first_ms, self._ms(last) or first_ms
        if not (begin_ms := self._ms(row.stamp_inserted)):
            return FLOW, 0, 0
        if self._described.period_s is None:
            raise UnreadableFileError(
                "its rows have no flow times, only the begin of their time bin (stamp_inserted): set `period_s` of the "
                "folder in [[ingest.folders]] to the daemon's print_history or kafka_history in seconds, or add "
                "timestamp_start and timestamp_end to its `aggregate`"
            )
        return SUMMED, begin_ms, begin_ms + self._described.period_s * 1000
