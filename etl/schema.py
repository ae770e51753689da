"""The flow lake's columns, declared once. Integers only, so that every way to add them up agrees to the last byte."""

import pyarrow as pa

# Bits of record_flags.
MULTIPLIED_BY_COLLECTOR = 1
MULTIPLIED_HERE = 2
TIME_REPAIRED = 4
TIME_ASSUMED = 8

_COLUMNS: tuple[tuple[str, pa.DataType, str], ...] = (
    ("first_ms", pa.int64(), "first packet, epoch milliseconds UTC (IPFIX flowStartMilliseconds)"),
    ("last_ms", pa.int64(), "last packet, epoch milliseconds UTC (IPFIX flowEndMilliseconds)"),
    ("ip_version", pa.int8(), "4 or 6"),
    ("src_hi", pa.int64(), "upper 64 bits of the source address, two's complement; 0 for IPv4"),
    ("src_lo", pa.int64(), "lower 64 bits of the source address; an IPv4 address as 0..2^32-1"),
    ("dst_hi", pa.int64(), "upper 64 bits of the destination address"),
    ("dst_lo", pa.int64(), "lower 64 bits of the destination address"),
    ("src_port", pa.int32(), "source port, 0 where the protocol has none"),
    ("dst_port", pa.int32(), "destination port; ICMP type x 256 + code"),
    ("protocol", pa.int16(), "IP protocol number"),
    ("input_interface", pa.int64(), "SNMP ifIndex of the input interface"),
    ("output_interface", pa.int64(), "SNMP ifIndex of the output interface"),
    ("direction", pa.int8(), "0 metered at ingress, 1 at egress (IPFIX flowDirection)"),
    ("bytes", pa.int64(), "estimated bytes, IP headers included: after sampling"),
    ("packets", pa.int64(), "estimated packets: after sampling"),
    ("sampling_factor", pa.int64(), "sampling factor N of 1:N; 1 unsampled, 0 multiplied at an unknown rate"),
    ("exporter_hi", pa.int64(), "upper 64 bits of the exporter's address"),
    ("exporter_lo", pa.int64(), "lower 64 bits of the exporter's address"),
    ("exporter_domain", pa.int64(), "the collector's number for exporter and observation domain, within one file"),
    ("record_flags", pa.int32(), "bits: 1 multiplied by the collector, 2 multiplied here, 4 times repaired, 8 assumed"),
    (
        "tos",
        pa.int16(),
        # nfdump does not distinguish a ToS of 0 from one that was not exported; null in parts older than this column
        "IPv4 ToS or IPv6 traffic class octet, 0..255 (IPFIX ipClassOfService); 0 also where it was not exported",
    ),
)
# Columns that older parts lack.
LATER_COLUMNS = frozenset({"tos"})

LAKE_SCHEMA = pa.schema([pa.field(name, kind, nullable=name in LATER_COLUMNS) for name, kind, _ in _COLUMNS])

# The ECN field, the lowest two bits of a ToS octet: 0 is Not-ECT, any other says that the packet can carry a mark, or
# does (RFC 3168, section 5).
ECN_BITS = 0b11
