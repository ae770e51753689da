"""Plain records: those of which the decoder is certain that no rule of ingest takes hold.

What makes a record plain stands in crates/nfcapd/src/plain.rs; it is narrower than the rules are. Whether the
records of a group can be plain at all is decided in etl/ingest/plain.py.
"""

from typing import NamedTuple


class RecordGroup(NamedTuple):
    """What records of one exporter, domain and mark share; version 0 where they do not name their exporter."""

    sysid: int
    sampled: int
    exporter_version: int
    exporter_hi: int
    exporter_lo: int


class PlainGroup(NamedTuple):
    """How the plain records of a group become rows.

    owner: whose they are, a number. multiplier: of stored counters, at least 1. factor: 1 packet in so many was
    sampled. flags: the row's record_flags. exporter_hi, exporter_lo: its address. bytes_per_ms: what fits through any
    of the owner's ports; infinite where these are not known.
    """

    owner: int
    multiplier: int
    factor: int
    flags: int
    exporter_hi: int
    exporter_lo: int
    bytes_per_ms: float
