"""Conversion of a source's records to integer columns, the form in which they are judged."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes.etl.addresses import mapped_halves
from hntes.etl.arrow_columns import values
from hntes.etl.ingest.times import Bool, Int64
from hntes.etl.sources.schema import ASSUMED, COUNTERS, EVENT, FLOW, MALFORMED, RECORD_SCHEMA, SUMMED

# Records by column.
Columns = dict[str, Int64]
LARGEST_INT64 = (1 << 63) - 1
Uint64 = npt.NDArray[np.uint64]
# Marks in `is_reverse`: neither, a record that is to be followed by its reverse direction, and such a direction.
HAS_REVERSE, IS_REVERSE = 2, 1
# What changes its place where the direction does.
_SWAPPED = (
    *((f"src_{part}", f"dst_{part}") for part in ("port", "hi", "lo", "version")),
    ("input_interface", "output_interface"),
)
# An address column: hi, lo, version (0: none).
_Halves = tuple[Int64, Int64, npt.NDArray[np.integer]]
# Columns that nothing needs to be known of but their values.
_PLAIN = ("sampled", "sysid", "first_ms", "last_ms", "received_ms", "protocol", "src_port", "dst_port",
          "input_interface", "output_interface", "direction", "tos")  # fmt: skip
# Files of records that were set aside have their columns in this order.
_ORDER = (
    "is_flow", "is_reverse", "sampled", "sysid", "first_ms", "last_ms", "received_ms", "packets", "bytes",
    "egress_counter", "unused_packets", "unused_bytes", "protocol", "src_port", "dst_port", "src_hi", "src_lo",
    "src_version", "dst_hi", "dst_lo", "dst_version", "exporter_hi", "exporter_lo", "exporter_version",
    "input_interface", "output_interface", "direction", "tos", "times", "is_malformed",
)  # fmt: skip
# Times of a record: those of its flow, those of a sum over a period, or assumed ones.
OF_FLOW, OF_PERIOD, OF_ASSUMPTION = 0, 1, 2


@dataclass(frozen=True)
class _Fields:
    """A block of records as they are stored.

    plain: the columns of _PLAIN. counters: in_packets, in_bytes, out_packets, out_bytes. src, dst: the IPv4 and the
    IPv6 address. is_flow, is_event: what the record says it is; neither where it says something else. is_malformed: it
    could not be read. is_biflow: whether it says that its second counters are the reverse direction's. times: OF_FLOW,
    OF_PERIOD or OF_ASSUMPTION.
    """

    plain: Columns
    counters: dict[str, Uint64]
    src: tuple[_Halves, _Halves]
    dst: tuple[_Halves, _Halves]
    exporter: _Halves
    is_flow: Bool
    is_event: Bool
    is_malformed: Bool
    is_biflow: Bool
    times: Int64


def picked(columns: Columns, rows: Bool | Int64) -> Columns:
    """Some of the records: those that a mask hits, or those of an index in its order."""
    index = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
    return {name: column.take(index) for name, column in columns.items()}


def compact(batch: pa.RecordBatch) -> Columns:
    """Records as a source gives them (RECORD_SCHEMA) as integer columns; a missing address has version 0."""
    read = {name: values(batch.column(number)) for number, name in enumerate(RECORD_SCHEMA.names)}

    def end(name: str) -> tuple[_Halves, _Halves]:
        six = mapped_halves(*(read[f"{name}6_{part}"] for part in ("hi", "lo", "version")))
        return (np.zeros_like(read[f"{name}4"]), read[f"{name}4"], read[f"{name}4_version"]), six

    kind = read["kind"]
    times = np.where(kind == SUMMED, OF_PERIOD, np.where(kind == ASSUMED, OF_ASSUMPTION, OF_FLOW))
    return _compact(
        _Fields(
            plain={name: read[name] for name in _PLAIN},
            counters={name: read[name] for name in COUNTERS},
            src=end("src"),
            dst=end("dst"),
            exporter=mapped_halves(*(read[f"exporter_{part}"] for part in ("hi", "lo", "version"))),
            is_flow=(kind == FLOW) | (times != OF_FLOW),
            is_event=kind == EVENT,
            is_malformed=kind == MALFORMED,
            is_biflow=read["biflow_direction"] != 0,
            times=times,
        )
    )


def with_reverse(columns: Columns) -> tuple[Columns, int]:
    """The records, each biflow followed by its reverse direction as a flow of its own; and the number of these.

    The second counters of a record with a biflowDirection (RFC 5103), and of a firewall's event (NSEL: those of the
    responder), are of the packets from its destination to its source. The times are those of both directions.
    """
    marked = columns["is_reverse"] == HAS_REVERSE
    if not marked.any():
        return columns, 0
    places = np.flatnonzero(marked & (columns["unused_bytes"] > 0))
    reversed_, number = picked(columns, places), places.size
    forward = columns | {"is_reverse": np.zeros_like(columns["bytes"])}
    for name in ("unused_packets", "unused_bytes"):
        forward[name] = np.where(marked, 0, columns[name])
    reversed_ |= {one: reversed_[other] for pair in _SWAPPED for one, other in (pair, pair[::-1])}
    one, none = np.ones(number, dtype=np.int64), np.zeros(number, dtype=np.int64)
    reversed_ |= {"packets": reversed_["unused_packets"], "bytes": reversed_["unused_bytes"]}
    reversed_ |= {"is_flow": one, "is_reverse": one * IS_REVERSE, "unused_packets": none, "unused_bytes": none}
    both = {name: np.concatenate([forward[name], reversed_[name]]) for name in columns}
    order = np.argsort(np.concatenate([np.arange(marked.size), places]), kind="stable")
    return picked(both, order), number


def _compact(fields: _Fields) -> Columns:
    (src_hi, src_lo, src_version), (dst_hi, dst_lo, dst_version) = _addresses(fields)
    exporter_hi, exporter_lo, exporter_version = fields.exporter
    # firewalls export flows as events (NSEL); those that count bytes are flows, the others only notices
    is_flow = fields.is_flow | (fields.is_event & (fields.counters["in_bytes"] > 0))
    has_reverse = fields.is_biflow | fields.is_event
    columns = {
        **fields.plain,
        "is_flow": is_flow.astype(np.int64),
        "is_reverse": has_reverse.astype(np.int64) * HAS_REVERSE,
        **_counters(fields.counters, (fields.plain["direction"] == 1) & ~has_reverse),
        "src_hi": src_hi, "src_lo": src_lo, "src_version": src_version,
        "dst_hi": dst_hi, "dst_lo": dst_lo, "dst_version": dst_version,
        "exporter_hi": exporter_hi, "exporter_lo": exporter_lo, "exporter_version": exporter_version.astype(np.int64),
        "times": fields.times, "is_malformed": fields.is_malformed.astype(np.int64),
    }  # fmt: skip
    return {name: columns[name] for name in _ORDER}


def _addresses(fields: _Fields) -> list[list[Int64]]:
    """[hi, lo, version] of source and destination.

    Cisco's and Huawei's templates for MPLS carry both forms of each address. For an IPv4 packet the IPv6 fields then
    repeat the IPv4 address in their lowest 32 bits: such a record is an IPv4 flow.
    """
    if not (fields.src[1][2].any() or fields.dst[1][2].any()):
        return [[part.astype(np.int64, copy=False) for part in four] for four, _ in (fields.src, fields.dst)]
    is_ipv4 = np.ones(fields.is_flow.shape, dtype=np.bool_)
    for four, six in (fields.src, fields.dst):
        is_ipv4 &= (four[2] == 4) & ((six[2] == 0) | ((six[0] == 0) & ((six[1] == four[1]) | (six[1] == 0))))
    return [
        [np.where(is_ipv4 | (six[2] == 0), four[part], six[part]).astype(np.int64) for part in range(3)]
        for four, six in (fields.src, fields.dst)
    ]


def _counters(stored: dict[str, Uint64], is_egress: Bool) -> Columns:
    """Packets and bytes of each record's own direction, from the counter that holds them.

    A record metered at egress may count in OUT_BYTES alone (RFC 3954, field 23). Where both counters are set the second
    one is the same traffic again (some firewalls) or the traffic of the other direction (RFC 5103). Where the record
    does not say which, it is not used, and noted.
    """
    in_packets, in_bytes, out_packets, out_bytes = (_counter(stored[name]) for name in COUNTERS)
    egress = is_egress & (in_bytes == 0) & (in_packets == 0) & (out_bytes > 0)
    return {
        "packets": np.where(egress, out_packets, in_packets),
        "bytes": np.where(egress, out_bytes, in_bytes),
        "egress_counter": egress.astype(np.int64),
        "unused_packets": np.where(egress, 0, out_packets),
        "unused_bytes": np.where(egress, 0, out_bytes),
    }


def _counter(stored: Uint64) -> Int64:
    """Unsigned 64-bit counters, with what exceeds a signed one held at its limit (it is absurd anyway)."""
    if stored.max(initial=0) <= LARGEST_INT64:
        return stored.astype(np.int64, copy=False)
    return np.minimum(stored, np.uint64(LARGEST_INT64)).astype(np.int64)
