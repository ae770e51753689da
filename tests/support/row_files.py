"""Files of flow rows as goflow2, pmacct and ClickHouse write them, made from flows that are given."""

import gzip
import ipaddress
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

NOON_MS = 1_795_176_000_000
_PROTOCOLS = {1: "ICMP", 6: "TCP", 17: "UDP", 58: "ICMPv6", 132: "SCTP"}


@dataclass(frozen=True)
class MadeFlow:
    """A flow as its exporter counted it; times in epoch ms."""

    first_ms: int = NOON_MS
    last_ms: int = NOON_MS + 1000
    packets: int = 10
    bytes: int = 15_000
    source: str = "198.18.0.1"
    destination: str = "203.0.113.1"
    protocol: int = 6
    source_port: int = 5000
    destination_port: int = 443
    exporter: str = "192.0.2.1"
    factor: int = 1
    into: int = 1
    out: int = 2

    @property
    def received_ms(self) -> int:
        return self.last_ms + 2000


def goflow2_row(flow: MadeFlow, kind: str = "IPFIX") -> dict[str, Any]:
    """As version 2 writes it by default."""
    return {
        "type": kind, "time_received_ns": flow.received_ms * 1_000_000, "sequence_num": 7,
        "sampling_rate": flow.factor, "sampler_address": flow.exporter, "time_flow_start_ns": flow.first_ms * 1_000_000,
        "time_flow_end_ns": flow.last_ms * 1_000_000, "bytes": flow.bytes, "packets": flow.packets,
        "src_addr": flow.source, "dst_addr": flow.destination, "etype": "IPv6" if ":" in flow.source else "IPv4",
        "proto": _PROTOCOLS.get(flow.protocol, ""), "src_port": flow.source_port, "dst_port": flow.destination_port,
        "in_if": flow.into, "out_if": flow.out, "src_mac": "00:00:00:00:00:00", "as_path": [], "ip_tos": 0,
    }  # fmt: skip


def goflow2_row_of_version_1(flow: MadeFlow, kind: str = "IPFIX") -> dict[str, Any]:
    """As version 1 writes it: flow times in whole seconds, and in ms beside them."""
    return {
        "Type": kind, "TimeReceived": flow.received_ms // 1000, "SequenceNum": 7, "SamplingRate": flow.factor,
        "SamplerAddress": flow.exporter, "TimeFlowStart": flow.first_ms // 1000, "TimeFlowEnd": flow.last_ms // 1000,
        "TimeFlowStartMs": flow.first_ms, "TimeFlowEndMs": flow.last_ms, "Bytes": flow.bytes, "Packets": flow.packets,
        "SrcAddr": flow.source, "DstAddr": flow.destination, "Etype": 2048, "Proto": flow.protocol,
        "SrcPort": flow.source_port, "DstPort": flow.destination_port, "InIf": flow.into, "OutIf": flow.out,
        "EtypeName": "IPv4", "HasMPLS": False, "IPTos": 0,
    }  # fmt: skip


def pmacct_row(flow: MadeFlow) -> dict[str, Any]:
    """As nfacctd prints it with both flow times among its primitives."""
    return {
        "event_type": "purge", "label": "", "peer_ip_src": flow.exporter, "iface_in": flow.into,
        "iface_out": flow.out, "ip_src": flow.source, "ip_dst": flow.destination, "port_src": flow.source_port,
        "port_dst": flow.destination_port, "ip_proto": _PROTOCOLS.get(flow.protocol, str(flow.protocol)).lower(),
        "tos": 0, "sampling_rate": flow.factor, "timestamp_start": written(flow.first_ms),
        "timestamp_end": written(flow.last_ms), "timestamp_arrival": written(flow.received_ms),
        "packets": flow.packets, "flows": 1, "bytes": flow.bytes, "writer_id": "default_print/1",
    }  # fmt: skip


def written(moment_ms: int) -> str:
    """A time as pmacct writes it in UTC."""
    moment = datetime.fromtimestamp(moment_ms // 1000, UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment_ms % 1000:03}000"


def write_lines(path: Path, rows: Iterable[Mapping[str, Any] | str]) -> Path:
    """JSON lines; texts are written as they are, and the file is compressed if its name says so."""
    text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows).encode()
    if path.name.endswith(".gz"):
        text = gzip.compress(text)
    elif path.name.endswith(".zst"):
        text = bytes(pa.Codec("zstd").compress(text))
    path.write_bytes(text)
    return path


def clickhouse_columns(flows: Iterable[MadeFlow]) -> dict[str, pa.Array]:
    """Akvorado's columns with the types that ClickHouse gives them in Parquet files: addresses as 16 bytes."""
    listed = list(flows)

    def address(text: str) -> bytes:
        found = ipaddress.ip_address(text)
        return found.packed if found.version == 6 else b"\0" * 10 + b"\xff\xff" + found.packed

    return {
        "TimeReceived": pa.array([flow.received_ms // 1000 for flow in listed], pa.uint32()),
        "SamplingRate": pa.array([flow.factor for flow in listed], pa.uint64()),
        "ExporterAddress": pa.array([address(flow.exporter) for flow in listed], pa.binary(16)),
        "SrcAddr": pa.array([address(flow.source) for flow in listed], pa.binary(16)),
        "DstAddr": pa.array([address(flow.destination) for flow in listed], pa.binary(16)),
        "Proto": pa.array([flow.protocol for flow in listed], pa.uint32()),
        "SrcPort": pa.array([flow.source_port for flow in listed], pa.uint16()),
        "DstPort": pa.array([flow.destination_port for flow in listed], pa.uint16()),
        "Bytes": pa.array([flow.bytes for flow in listed], pa.uint64()),
        "Packets": pa.array([flow.packets for flow in listed], pa.uint64()),
        "InIfName": pa.array(["et-0/0/1"] * len(listed)).dictionary_encode(),
    }


def write_table(path: Path, columns: Mapping[str, pa.Array], group_rows: int = 100_000) -> Path:
    """A Parquet file of these columns, in row groups of so many rows."""
    pq.write_table(pa.table(dict(columns)), path, row_group_size=group_rows)
    return path
