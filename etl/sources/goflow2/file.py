"""The rows of goflow2 and what they mean.

goflow2 multiplies nothing: `sampling_rate` says by how much counters are to be multiplied, 0 where it was not told (an
exporter without an option record, or before it). A row of sFlow is one sampled frame: `bytes` is the frame's length on
the wire, header of the link included, and both flow times are the time of reception. Version 2 writes protocols by
name, and those that it has no name for as an empty text; version 1 writes CamelCase and, beside whole seconds, fields
in ms where it was built with them.

Source: docs/protocols.md, producer/proto/render.go and (version 1) format/common of goflow2's public repository.
"""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from hntes.etl.sources.rows.exporters import RowExporters
from hntes.etl.sources.rows.file import JsonFile
from hntes.etl.sources.rows.protocols import protocol_number
from hntes.etl.sources.rows.row import Flow, multiplied
from hntes.etl.sources.rows.values import Counter, Nanoseconds, Octet, Port, Seconds, Uint32
from hntes.etl.sources.schema import FLOW, NEITHER

_NS_PER_MS = 1_000_000
_SFLOW = "SFLOW_5"


class RowOfVersion2(msgspec.Struct, gc=False):
    """The fields of version 2 that are used; one that the mapping file leaves out is missing."""

    sampler_address: str
    bytes: Counter
    time_received_ns: Nanoseconds
    type: str = ""
    packets: Counter = 0
    sampling_rate: Uint32 = 0
    time_flow_start_ns: Nanoseconds = 0
    time_flow_end_ns: Nanoseconds = 0
    src_addr: str = ""
    dst_addr: str = ""
    proto: str | Octet = 0
    src_port: Port = 0
    dst_port: Port = 0
    in_if: Uint32 = 0
    out_if: Uint32 = 0
    flow_direction: Octet = 0
    ip_tos: Octet = 0


class RowOfVersion1(msgspec.Struct, gc=False, rename="pascal"):
    """The same of version 1."""

    sampler_address: str
    bytes: Counter
    time_received: Seconds
    type: str = ""
    packets: Counter = 0
    sampling_rate: Uint32 = 0
    time_flow_start: Seconds = 0
    time_flow_end: Seconds = 0
    time_flow_start_ms: Annotated[int, Meta(ge=0, le=1 << 62)] = 0
    time_flow_end_ms: Annotated[int, Meta(ge=0, le=1 << 62)] = 0
    src_addr: str = ""
    dst_addr: str = ""
    proto: Octet = 0
    src_port: Port = 0
    dst_port: Port = 0
    in_if: Uint32 = 0
    out_if: Uint32 = 0
    flow_direction: Octet = 0
    ip_tos: Octet = msgspec.field(default=0, name="IPTos")


Goflow2File = JsonFile[RowOfVersion1] | JsonFile[RowOfVersion2]


def opened(path: Path, layout: int) -> Goflow2File:
    """A file of version 1 or 2."""
    if layout == 1:
        return JsonFile(path, RowOfVersion1, _flow_of_version_1)
    return JsonFile(path, RowOfVersion2, _flow_of_version_2)


def _flow_of_version_2(row: RowOfVersion2, exporters: RowExporters) -> Flow:
    received_ms = row.time_received_ns // _NS_PER_MS
    times = row.time_flow_start_ns // _NS_PER_MS, row.time_flow_end_ns // _NS_PER_MS
    return _flow(row, exporters, times, received_ms, protocol_number(row.proto))


def _flow_of_version_1(row: RowOfVersion1, exporters: RowExporters) -> Flow:
    first_ms = row.time_flow_start_ms or row.time_flow_start * 1000
    last_ms = row.time_flow_end_ms or row.time_flow_end * 1000
    return _flow(row, exporters, (first_ms, last_ms), row.time_received * 1000, row.proto)


def _flow(
    row: RowOfVersion1 | RowOfVersion2,
    exporters: RowExporters,
    times_ms: tuple[int, int],
    received_ms: int,
    protocol: int,
) -> Flow:
    factor = row.sampling_rate
    number = exporters.number(row.sampler_address, factor or None)
    first_ms, last_ms = times_ms
    kind, packets, stored_bytes = FLOW, row.packets, row.bytes
    if row.type == _SFLOW:
        first_ms = last_ms = received_ms
        if not row.src_addr and not row.dst_addr:
            # a sampled frame of another protocol than IP, such as ARP: no flow is missed with it
            kind, packets, stored_bytes = NEITHER, 0, 0
    return Flow(
        kind,
        int(factor > 1),
        number,
        first_ms,
        last_ms,
        received_ms,
        multiplied(packets, factor or 1),
        multiplied(stored_bytes, factor or 1),
        protocol,
        row.src_port,
        row.dst_port,
        row.src_addr,
        row.dst_addr,
        row.sampler_address,
        row.in_if,
        row.out_if,
        row.flow_direction,
        row.ip_tos,
    )
