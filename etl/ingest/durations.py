"""Records without a duration, of exporters that never give one.

Some hardware (Juniper PTX) exports the time of the last packet as that of the first one as well: a record of many
packets that seem to have come at once. It is spread over the time that its port needs for it, up to the record's end.
"""

import numpy as np

from hntes.etl.ingest.plausibility import SHORTEST_PACKET_BYTES
from hntes.etl.ingest.times import Int64
from hntes.format import counted, gigabytes

_MS_BITS = 8000


def port_time_ms(record_bytes: Int64, packets: Int64, rate_bps: Int64) -> Int64:
    """The least time in which a port of that rate, which is not 0, carries a record of these estimated counters."""
    carried = np.maximum(record_bytes, SHORTEST_PACKET_BYTES * packets).astype(np.float64)
    needed: Int64 = np.ceil(carried * _MS_BITS / rate_bps).astype(np.int64)
    return needed


def spread_warning(address: str, records: int, estimated_bytes: int) -> str:
    """A warning on the records of an exporter that were spread."""
    return (
        f"exporter {address}: {counted(records, 'record')} with {gigabytes(estimated_bytes)} without a duration (first "
        "and last packet have one time), spread over the time that their ports need: when they were sent is a guess"
    )
