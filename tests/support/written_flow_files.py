"""Flow files of nfdump's layouts 2 and 3 made by hand, without compression; what they promise of counters is 0, unless
the test asks for the sums.

Source of the layouts: nffileV2.h, nfxV3.h and exporter.h of nfdump 1.7.1 and 1.7.8, and nffileV3.h, nfxV4.h and
exporter.h of 1.8.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

_RECORD, _EXPORTER, _SAMPLER, _EXPORTED = 11, 7, 15, 8
_RECORD_3, _EXPORTER_3 = 16, 17
_FLOWS_3, _STATISTICS_3, _EXPORTERS_3 = 1, 3, 7


@dataclass(frozen=True)
class FlowRecord:
    """A flow record; an address is the integer of an IPv4 one, or None; `six` are IPv6 source and destination.

    Times are epoch ms; `out` is (packets, bytes) of the second counter. An `exporter` of 0 is not in the record.
    `further` are elements (type, content) that layout 2 has besides; `is_six_first`: before the IPv4 addresses.
    """

    first_ms: int
    last_ms: int
    received_ms: int
    packets: int
    byte_count: int
    source: int | None = 0x0A00_0001
    destination: int | None = 0x0A00_0002
    six: tuple[int, int] | None = None
    source_port: int = 40_000
    destination_port: int = 443
    protocol: int = 6
    tos: int = 0
    input_interface: int = 1
    output_interface: int = 2
    direction: int = 0
    out: tuple[int, int] | None = None
    exporter: int = 0xC000_0201
    sysid: int = 1
    flags: int = 0
    flows: int = 0
    biflow_direction: int = 0
    has_counters: bool = True
    is_six_first: bool = False
    further: tuple[tuple[int, bytes], ...] = ()

    def _generic(self) -> bytes:
        return struct.pack(
            "<5Q2H4B", self.first_ms, self.last_ms, self.received_ms, self.packets, self.byte_count, self.source_port,
            self.destination_port, self.protocol, 0, 0, self.tos,
        )  # fmt: skip

    def _six(self) -> bytes:
        halves = (half for address in self.six or () for half in divmod(address, 1 << 64))
        return struct.pack("<4Q", *halves)

    def content(self) -> bytes:
        """Its bytes in layout 2."""
        elements = [_typed(1, self._generic())] if self.has_counters else []
        if self.six is not None and self.is_six_first:
            elements.append(_typed(3, self._six()))
        if self.source is not None and self.destination is not None:
            elements.append(_typed(2, struct.pack("<2I", self.source, self.destination)))
        if self.six is not None and not self.is_six_first:
            elements.append(_typed(3, self._six()))
        interfaces = (self.input_interface, self.output_interface)
        misc = struct.pack("<2I2x B x B 3x", *interfaces, self.direction, self.biflow_direction)
        elements.append(_typed(4, misc))
        if self.out or self.flows:
            elements.append(_typed(5, struct.pack("<3Q", self.flows, *(self.out or (0, 0)))))
        if self.exporter >> 32:
            elements.append(_typed(13, struct.pack("<2Q", *divmod(self.exporter, 1 << 64))))
        elif self.exporter:
            elements.append(_typed(12, struct.pack("<I", self.exporter)))
        elements += [_typed(*one) for one in self.further]
        head = struct.pack("<2H H 2B", len(elements), 0, self.sysid, self.flags, 0)
        return _typed(_RECORD, head + b"".join(elements))

    def content_3(self) -> bytes:
        """Its bytes in layout 3."""
        extensions = {1: self._generic()} if self.has_counters else {}
        if self.source is not None and self.destination is not None:
            extensions[2] = struct.pack("<2I", self.source, self.destination)
        if self.six is not None:
            extensions[3] = self._six()
        extensions[4] = struct.pack("<2I", self.input_interface, self.output_interface)
        extensions[5] = struct.pack("<2x 2B 4x", self.direction, self.biflow_direction)
        if self.out or self.flows:
            extensions[6] = struct.pack("<3Q", self.flows, *(self.out or (0, 0)))
        if self.exporter >> 32:
            extensions[12] = struct.pack("<2Q", *divmod(self.exporter, 1 << 64))
        elif self.exporter:
            extensions[11] = struct.pack("<I4x", self.exporter)
        begin = (24 + 2 * len(extensions) + 7) // 8 * 8
        places = [begin + sum(map(len, list(extensions.values())[:number])) for number in range(len(extensions))]
        table = struct.pack(f"<{len(places)}H", *places).ljust(begin - 24, b"\0")
        bits = sum(1 << kind for kind in extensions)
        head = struct.pack("<2HI4xQ", len(extensions), self.flags, self.sysid, bits)
        return _typed(_RECORD_3, head + table + b"".join(extensions.values()))


@dataclass(frozen=True)
class ExporterRecord:
    """What a file says of an IPv4 exporter; `space` packets are passed over after each sampled one (0: no sampler).

    has_family: as before nfdump 1.7.8.
    """

    sysid: int
    address: int
    space: int = 0
    is_general: bool = True
    has_family: bool = True

    def contents(self) -> list[bytes]:
        """Its records."""
        family = (2).to_bytes(2, "little") if self.has_family else bytes(2)
        address = struct.pack("<8xQ", self.address) if self.has_family else self._mapped()
        named = _typed(_EXPORTER, struct.pack("<I16s2sHI", 9, address, family, self.sysid, 0))
        if not self.space:
            return [named]
        sampler = struct.pack("<2Hq2I", self.sysid, 1, -1 if self.is_general else 5, 1, self.space)
        return [named, _typed(_SAMPLER, sampler)]

    def content_3(self) -> bytes:
        """Its record in layout 3."""
        samplers = struct.pack("<q4I", -1 if self.is_general else 5, 1, self.space, 1, 1) if self.space else b""
        head = struct.pack("<16s3I20x2H", self._mapped(), 9, 0, self.sysid, 4, bool(self.space))
        return _typed(_EXPORTER_3, head + samplers)

    def _mapped(self) -> bytes:
        return bytes(10) + b"\xff\xff" + self.address.to_bytes(4, "big")


@dataclass(frozen=True)
class ExportedRecord:
    """What the collector counted of an exporter's packets in layout 2: `failures` are jumps of sequence numbers."""

    sysid: int
    packets: int
    failures: int
    flows: int

    def contents(self) -> list[bytes]:
        """Its record."""
        return [_typed(_EXPORTED, struct.pack("<3I2Q", 1, self.sysid, self.failures, self.packets, self.flows))]


def flow_file(
    blocks: Sequence[Sequence[FlowRecord | ExporterRecord | ExportedRecord]],
    promised: int | None = None,
    *,
    has_sums: bool = False,
) -> bytes:
    """A file of these blocks, which promises as many records as have counters unless told otherwise.

    has_sums: it promises the sums of its counters, too; all records are TCP.
    """
    records = [[piece for one in block for piece in _pieces(one)] for block in blocks]
    data = b"".join(_block(block) for block in records)
    flows = _counted(blocks) if promised is None else promised
    octets, packets = _sums(blocks) if has_sums else (0, 0)
    sums = struct.pack("<4Q24xQ24xQ48x", flows, octets, packets, flows * has_sums, octets, packets)
    appendix = _block([_typed(0x8001, b"none\0"), _typed(0x8002, sums)])
    head = struct.pack("<2HI8x4B4x", 0xA50C, 2, 0x0107_0100, 0, 0, 1, 0)
    return head + struct.pack("<Q4xI", 40 + len(data), len(blocks)) + data + appendix


def flow_file_3(blocks: Sequence[Sequence[FlowRecord | ExporterRecord]], promised: int | None = None) -> bytes:
    """The same in layout 3, which has its exporters in a block of their own."""
    content = []
    for block in blocks:
        records = [one.content_3() for one in block if isinstance(one, FlowRecord)]
        content.append((_FLOWS_3, struct.pack("<I28x", len(records)) + b"".join(records)))
    named = [one.content_3() for block in blocks for one in block if isinstance(one, ExporterRecord)]
    content.append((_EXPORTERS_3, struct.pack("<I4x", len(named)) + b"".join(named)))
    content.append((_STATISTICS_3, struct.pack("<Q136x", _counted(blocks) if promised is None else promised)))
    data, entries = b"", b""
    for kind, plain in content:
        size = 24 + len(plain)
        entries += struct.pack("<2IQ", kind, size, 48 + len(data))
        data += struct.pack("<3I2H8x", kind, size, size, 1, 0) + plain
    directory = struct.pack("<2I", 0xB10C_B10C, len(content)) + entries
    where_it_is = struct.pack("<IQ", len(directory), 48 + len(data))
    head = struct.pack("<2HI8x2HII", 0xA50C, 3, 0x0108_0000, 1, 1, 0, 4 << 20) + where_it_is + bytes(8)
    return head + data + directory + struct.pack("<I", 0xA50F) + where_it_is + bytes(40)


def _sums(blocks: Sequence[Sequence[FlowRecord | ExporterRecord | ExportedRecord]]) -> tuple[int, int]:
    records = [one for block in blocks for one in block if isinstance(one, FlowRecord)]
    return sum(one.byte_count for one in records), sum(one.packets for one in records)


def _counted(blocks: Sequence[Sequence[FlowRecord | ExporterRecord | ExportedRecord]]) -> int:
    return sum(isinstance(one, FlowRecord) and one.has_counters for block in blocks for one in block)


def _pieces(one: FlowRecord | ExporterRecord | ExportedRecord) -> list[bytes]:
    return [one.content()] if isinstance(one, FlowRecord) else one.contents()


def _typed(kind: int, content: bytes) -> bytes:
    return struct.pack("<2H", kind, len(content) + 4) + content


def _block(records: Sequence[bytes]) -> bytes:
    content = b"".join(records)
    return struct.pack("<2I2H", len(records), len(content), 3, 0) + content
