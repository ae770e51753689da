"""The columns of flow records as a source hands them over: as stored, before any judgement on them.

The names are those of etl/schema.py where they mean the same. A missing number is 0.
"""

import pyarrow as pa

# NEITHER: a record without counters and times, which collectors do not count. MALFORMED: a row that cannot be read.
FLOW, EVENT, NEITHER, MALFORMED = 0, 1, 2, 3
# A flow whose times are those of a sum over a period, and one whose times are assumed, not reported.
SUMMED, ASSUMED = 4, 5
COUNTERS = ("in_packets", "in_bytes", "out_packets", "out_bytes")

_COLUMNS: tuple[tuple[str, pa.DataType, str], ...] = (
    # an event of a firewall (NSEL) is a flow where it counts bytes
    ("kind", pa.int64(), "0 flow, 1 event, 2 neither, 3 malformed, 4 sum over a period, 5 flow with assumed times"),
    ("sampled", pa.int64(), "not 0: the counters are multiplied by the sampling rate: by the collector, or the source"),
    ("sysid", pa.int64(), "the collector's number for exporter and observation domain, within one file"),
    ("first_ms", pa.int64(), "first packet, epoch milliseconds UTC (IPFIX flowStartMilliseconds)"),
    ("last_ms", pa.int64(), "last packet, epoch milliseconds UTC (IPFIX flowEndMilliseconds)"),
    ("received_ms", pa.int64(), "when the collector received the record, epoch milliseconds UTC"),
    ("in_packets", pa.uint64(), "IPFIX packetDeltaCount"),
    ("in_bytes", pa.uint64(), "IPFIX octetDeltaCount"),
    ("out_packets", pa.uint64(), "NetFlow v9 OUT_PKTS (field 24), or the reverse direction's (RFC 5103)"),
    ("out_bytes", pa.uint64(), "NetFlow v9 OUT_BYTES (field 23), or the reverse direction's (RFC 5103)"),
    ("protocol", pa.int64(), "IP protocol number"),
    ("src_port", pa.int64(), "source port"),
    ("dst_port", pa.int64(), "destination port; ICMP type x 256 + code"),
    ("src4", pa.int64(), "IPv4 source address, 0..2^32-1"),
    ("src4_version", pa.int64(), "4, or 0 where the record has no such address"),
    ("src6_hi", pa.int64(), "upper 64 bits of the IPv6 source address, two's complement"),
    ("src6_lo", pa.int64(), "lower 64 bits"),
    ("src6_version", pa.int64(), "6, or 0 where the record has no such address; 4 if it is an IPv4 address in src6_lo"),
    ("dst4", pa.int64(), "of the destination"),
    ("dst4_version", pa.int64(), ""),
    ("dst6_hi", pa.int64(), ""),
    ("dst6_lo", pa.int64(), ""),
    ("dst6_version", pa.int64(), ""),
    ("exporter_hi", pa.int64(), "upper 64 bits of the exporter's address; 0 for IPv4"),
    ("exporter_lo", pa.int64(), "lower 64 bits"),
    ("exporter_version", pa.int64(), "4, 6, or 0 where the record does not have it"),
    ("input_interface", pa.int64(), "SNMP ifIndex of the input interface"),
    ("output_interface", pa.int64(), "SNMP ifIndex of the output interface"),
    ("direction", pa.int64(), "0 metered at ingress, 1 at egress (IPFIX flowDirection)"),
    ("tos", pa.int64(), "IPv4 ToS or IPv6 traffic class octet (IPFIX ipClassOfService)"),
    ("flows", pa.uint64(), "flows that the record stands for, 0 where it does not say (IPFIX deltaFlowCount)"),
    ("biflow_direction", pa.int64(), "not 0: the out counters are the reverse direction's (IPFIX biflowDirection)"),
)

RECORD_SCHEMA = pa.schema([pa.field(name, kind, nullable=False) for name, kind, _ in _COLUMNS])
