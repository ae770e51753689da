"""From raw records to integer columns, the form in which they are judged."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from etl.addresses import column_halves
from etl.ingest.times import Bool, Int64
from etl.nfcapd.records import times_ms

LARGEST_INT64 = (1 << 63) - 1


def compact(raw: pa.Table) -> dict[str, Int64]:
    """A raw table as integer columns; a missing number is 0, a missing address has version 0."""
    (src_hi, src_lo, src_version), (dst_hi, dst_lo, dst_version) = _addresses(raw)
    exporter_hi, exporter_lo, exporter_version = column_halves(_either(raw, "ip6_router", "ip4_router"))
    icmp = pc.is_valid(raw["icmp_type"]).to_numpy()
    icmp_port = _numbers(raw, "icmp_type") * 256 + _numbers(raw, "icmp_code")
    return {
        "is_flow": _is_flow(raw).astype(np.int64),
        "sampled": _numbers(raw, "sampled"),
        "sysid": _numbers(raw, "export_sysid"),
        "first_ms": times_ms(raw["first"]).to_numpy(),
        "last_ms": times_ms(raw["last"]).to_numpy(),
        "received_ms": times_ms(raw["received"]).to_numpy(),
        **_counters(raw),
        "protocol": _numbers(raw, "proto"),
        "src_port": _numbers(raw, "src_port"),
        "dst_port": np.where(icmp, icmp_port, _numbers(raw, "dst_port")),
        "src_hi": src_hi, "src_lo": src_lo, "src_version": src_version,
        "dst_hi": dst_hi, "dst_lo": dst_lo, "dst_version": dst_version,
        "exporter_hi": exporter_hi, "exporter_lo": exporter_lo, "exporter_version": exporter_version.astype(np.int64),
        "input_interface": _numbers(raw, "input_snmp"),
        "output_interface": _numbers(raw, "output_snmp"),
        "direction": _numbers(raw, "direction"),
        "tos": _numbers(raw, "src_tos"),
    }  # fmt: skip


def _is_flow(raw: pa.Table) -> Bool:
    """Firewalls export flows as events (NSEL); those that count bytes are flows, the others only notices."""
    kind = pc.fill_null(raw["type"], "FLOW")
    # compared as what it is: a signed zero would refuse counters above 2^63
    some_bytes = pc.greater(pc.fill_null(raw["in_bytes"], 0), pa.scalar(0, pa.uint64()))
    counted = pc.and_(pc.equal(kind, "EVENT"), some_bytes)
    answer: Bool = pc.or_(pc.equal(kind, "FLOW"), counted).to_numpy()
    return answer


def _addresses(raw: pa.Table) -> list[list[Int64]]:
    """[hi, lo, version] of source and destination.

    Cisco's and Huawei's templates for MPLS carry both forms of each address. For an IPv4 packet the IPv6 fields then
    repeat the IPv4 address in their lowest 32 bits: such a record is an IPv4 flow.
    """
    ends = []
    is_ipv4 = np.ones(raw.num_rows, dtype=np.bool_)
    for end in ("src", "dst"):
        four, six = (column_halves(raw[f"{end}{version}_addr"]) for version in (4, 6))
        is_ipv4 &= (four[2] == 4) & ((six[2] == 0) | ((six[0] == 0) & ((six[1] == four[1]) | (six[1] == 0))))
        ends.append((four, six))
    return [
        [np.where(is_ipv4 | (six[2] == 0), four[part], six[part]).astype(np.int64) for part in range(3)]
        for four, six in ends
    ]


def _counters(raw: pa.Table) -> dict[str, Int64]:
    """Packets and bytes of each record's own direction, from the counter that holds them.

    A record metered at egress may count in OUT_BYTES alone (RFC 3954, field 23). Where both counters are set the second
    one is the same traffic again (some firewalls) or the traffic of the other direction (RFC 5103): the record does not
    tell which, so it is not used, and noted.
    """
    in_bytes, out_bytes = _counter(raw, "in_bytes"), _counter(raw, "out_bytes")
    in_packets, out_packets = _counter(raw, "in_packets"), _counter(raw, "out_packets")
    egress = (_numbers(raw, "direction") == 1) & (in_bytes == 0) & (in_packets == 0) & (out_bytes > 0)
    return {
        "packets": np.where(egress, out_packets, in_packets),
        "bytes": np.where(egress, out_bytes, in_bytes),
        "egress_counter": egress.astype(np.int64),
        "unused_bytes": np.where(egress, 0, out_bytes),
    }


def _either(raw: pa.Table, first: str, second: str) -> pa.Array:
    return pc.coalesce(raw[first], raw[second]).combine_chunks()


def _numbers(raw: pa.Table, name: str) -> Int64:
    values: Int64 = pc.fill_null(raw[name], 0).to_numpy()
    return values


def _counter(raw: pa.Table, name: str) -> Int64:
    """Unsigned 64-bit counters, with what exceeds a signed one held at its limit (it is absurd anyway)."""
    limit = pa.scalar(LARGEST_INT64, pa.uint64())
    values: Int64 = pc.cast(pc.min_element_wise(pc.fill_null(raw[name], 0), limit), pa.int64()).to_numpy()
    return values
