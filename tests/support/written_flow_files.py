"""Flow files of nfdump's layout 2 made by hand, without compression; what they promise of counters is 0.

Source of the layout: nffileV2.h, nfxV3.h and exporter.h of nfdump 1.7.1.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

_RECORD, _EXPORTER, _SAMPLER = 11, 7, 15


@dataclass(frozen=True)
class FlowRecord:
    """A flow record; an address is the integer of an IPv4 one, or None; `six` are IPv6 source and destination.

    Times are epoch ms; `out` is (packets, bytes) of the second counter. An `exporter` of 0 is not in the record.
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

    def content(self) -> bytes:
        """Its bytes."""
        generic = struct.pack(
            "<5Q2H4B", self.first_ms, self.last_ms, self.received_ms, self.packets, self.byte_count, self.source_port,
            self.destination_port, self.protocol, 0, 0, self.tos,
        )  # fmt: skip
        elements = [_typed(1, generic)]
        if self.source is not None and self.destination is not None:
            elements.append(_typed(2, struct.pack("<2I", self.source, self.destination)))
        if self.six is not None:
            halves = (half for address in self.six for half in divmod(address, 1 << 64))
            elements.append(_typed(3, struct.pack("<4Q", *halves)))
        misc = struct.pack("<2I2B B 5x", self.input_interface, self.output_interface, 0, 0, self.direction)
        elements.append(_typed(4, misc))
        if self.out:
            elements.append(_typed(5, struct.pack("<3Q", 0, *self.out)))
        if self.exporter >> 32:
            elements.append(_typed(13, struct.pack("<2Q", *divmod(self.exporter, 1 << 64))))
        elif self.exporter:
            elements.append(_typed(12, struct.pack("<I", self.exporter)))
        head = struct.pack("<2H H 2B", len(elements), 0, self.sysid, self.flags, 0)
        return _typed(_RECORD, head + b"".join(elements))


@dataclass(frozen=True)
class ExporterRecord:
    """What a file says of an IPv4 exporter; `space` packets are passed over after each sampled one (0: no sampler)."""

    sysid: int
    address: int
    space: int = 0
    is_general: bool = True

    def contents(self) -> list[bytes]:
        """Its records."""
        named = _typed(_EXPORTER, struct.pack("<I8xQ2HI", 9, self.address, 2, self.sysid, 0))
        if not self.space:
            return [named]
        sampler = struct.pack("<2Hq2I", self.sysid, 1, -1 if self.is_general else 5, 1, self.space)
        return [named, _typed(_SAMPLER, sampler)]


def flow_file(blocks: Sequence[Sequence[FlowRecord | ExporterRecord]]) -> bytes:
    """A file of these blocks."""
    records = [[piece for one in block for piece in _pieces(one)] for block in blocks]
    data = b"".join(_block(block) for block in records)
    flows = sum(isinstance(one, FlowRecord) for block in blocks for one in block)
    appendix = _block([_typed(0x8001, b"none\0"), _typed(0x8002, struct.pack("<Q136x", flows))])
    head = struct.pack("<2HI8x4B4x", 0xA50C, 2, 0x0107_0100, 0, 0, 1, 0)
    return head + struct.pack("<Q4xI", 40 + len(data), len(blocks)) + data + appendix


def _pieces(one: FlowRecord | ExporterRecord) -> list[bytes]:
    return [one.content()] if isinstance(one, FlowRecord) else one.contents()


def _typed(kind: int, content: bytes) -> bytes:
    return struct.pack("<2H", kind, len(content) + 4) + content


def _block(records: Sequence[bytes]) -> bytes:
    content = b"".join(records)
    return struct.pack("<2I2H", len(records), len(content), 3, 0) + content
