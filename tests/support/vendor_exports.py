"""Flows as routers of several vendors export them: their templates and how they announce sampling.

The fields are those of public recordings and vendors' pages: Juniper "Inline Active Flow Monitoring" (IPv4 template of
IPFIX), Cisco "Netflow Configuration Guide for ASR 9000" (record ipv4, option sampler-table), Arista "Sampled Flow
Tracking" (IPFIX), Nokia "Cflowd" (template 256, IPv4 raw), MikroTik "Traffic Flow" (version 9). Elements by IANA's
list.
Nothing here uses the program under test.
"""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Literal

from tests.support.forger import EXPORTED_S, INPUT, UPTIME_MS, Sent

_TEMPLATE, _OPTIONS = 300, 400
_RECORDS_PER_DATAGRAM = 10
_SAMPLER = 7


@dataclass(frozen=True)
class VendorExporter:
    """A router's template: element and length of each field, in its order; factor 1 is not announced."""

    name: str
    version: Literal[9, 10]
    fields: tuple[tuple[int, int], ...]
    sampling: Literal["", "system", "sampler", "interval and space"] = ""
    factor: int = 1

    def datagrams(self, flows: Iterable[Sent]) -> Iterator[bytes]:
        """The options, the template, and the flows, counted as the router counts what it samples."""
        for content in self._announcement():
            yield self._datagram(content, 1)
        yield self._datagram(_set({9: 0, 10: 2}[self.version], _described(_TEMPLATE, self.fields)), 1)
        listed = list(flows)
        for begin in range(0, len(listed), _RECORDS_PER_DATAGRAM):
            batch = listed[begin : begin + _RECORDS_PER_DATAGRAM]
            yield self._datagram(_set(_TEMPLATE, b"".join(self._record(flow) for flow in batch)), len(batch))

    def _announcement(self) -> Iterator[bytes]:
        fields, values = {
            "": ((), b""),
            "system": (((34, 4), (35, 1)), struct.pack(">IB", self.factor, 1)),
            "sampler": (((48, 2), (49, 1), (50, 4)), struct.pack(">HBI", _SAMPLER, 2, self.factor)),
            "interval and space": (((304, 2), (305, 4), (306, 4)), struct.pack(">HII", 1, 1, self.factor - 1)),
        }[self.sampling]
        if not fields:
            return
        scope = {9: (1, 4), 10: (149, 4)}[self.version]
        described = b"".join(struct.pack(">HH", *field) for field in (scope, *fields))
        counts = (4, 4 * len(fields)) if self.version == 9 else (1 + len(fields), 1)
        yield _set({9: 1, 10: 3}[self.version], struct.pack(">HHH", _OPTIONS, *counts) + described)
        yield _set(_OPTIONS, struct.pack(">I", 0) + values)

    def _record(self, flow: Sent) -> bytes:
        ended_ms = EXPORTED_S * 1000 - flow.age_ms
        up_ms = UPTIME_MS - flow.age_ms
        values = {
            8: int(IPv4Address(flow.source)), 12: int(IPv4Address(flow.destination)), 7: flow.source_port,
            11: flow.destination_port, 4: 6, 1: flow.byte_count // self.factor, 2: flow.packets // self.factor,
            10: INPUT, 14: flow.output, 48: _SAMPLER, 60: 4, 6: 0x18, 61: 0, 136: 2, 152: ended_ms - flow.duration_ms,
            153: ended_ms,
            22: up_ms - flow.duration_ms, 21: up_ms,
        }  # fmt: skip
        return b"".join(
            (values.get(element, 0) % (1 << 8 * length)).to_bytes(length, "big") for element, length in self.fields
        )

    def _datagram(self, content: bytes, count: int) -> bytes:
        if self.version == 9:
            return struct.pack(">HHIIII", 9, count, UPTIME_MS, EXPORTED_S, 0, 0) + content
        return struct.pack(">HHIII", 10, 16 + len(content), EXPORTED_S, 0, 0) + content


VENDORS = (
    VendorExporter(
        "junos", 10,
        ((8, 4), (12, 4), (5, 1), (4, 1), (7, 2), (11, 2), (32, 2), (10, 4), (58, 2), (9, 1), (13, 1), (16, 4), (17, 4),
         (15, 4), (6, 1), (14, 4), (1, 8), (2, 8), (52, 1), (53, 1), (152, 8), (153, 8), (136, 1), (243, 2), (245, 2),
         (54, 4)),
        "system", 1000,
    ),
    VendorExporter(
        "iosxr", 9,
        ((8, 4), (12, 4), (2, 4), (1, 4), (10, 4), (14, 4), (21, 4), (22, 4), (7, 2), (11, 2), (16, 4), (17, 4),
         (18, 4), (9, 1), (13, 1), (4, 1), (6, 1), (5, 1), (61, 1), (48, 2), (89, 1), (234, 4), (235, 4)),
        "sampler", 1000,
    ),
    VendorExporter(
        "eos", 10,
        ((8, 4), (12, 4), (7, 2), (11, 2), (4, 1), (5, 1), (6, 2), (10, 4), (14, 4), (1, 8), (2, 8), (152, 8), (153, 8),
         (136, 1), (58, 2), (16, 4), (17, 4), (15, 4)),
        "interval and space", 500,
    ),
    VendorExporter(
        "sros", 10,
        ((8, 4), (12, 4), (7, 2), (11, 2), (4, 1), (5, 1), (6, 1), (10, 4), (14, 4), (1, 8), (2, 8), (152, 8), (153, 8),
         (16, 4), (17, 4), (9, 1), (13, 1), (15, 4), (18, 4), (32, 2), (60, 1), (136, 1), (61, 1)),
        "system", 2000,
    ),
    VendorExporter(
        "mikrotik", 9,
        ((60, 1), (4, 1), (8, 4), (12, 4), (7, 2), (11, 2), (10, 4), (14, 4), (1, 4), (2, 4), (21, 4), (22, 4), (6, 1),
         (5, 1), (9, 1), (13, 1), (15, 4), (32, 2), (225, 4), (226, 4), (227, 2), (228, 2)),
    ),
)  # fmt: skip


def _described(number: int, fields: tuple[tuple[int, int], ...]) -> bytes:
    return struct.pack(">HH", number, len(fields)) + b"".join(struct.pack(">HH", *field) for field in fields)


def _set(number: int, content: bytes) -> bytes:
    content += bytes(-len(content) % 4)
    return struct.pack(">HH", number, 4 + len(content)) + content
