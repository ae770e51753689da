"""The beta traffic between the hosts of prefix pairs, which also enters the alpha queue."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from ipaddress import ip_address
from pathlib import Path

import pyarrow as pa

from hntes.etl.addresses import address_of, halves
from hntes.etl.days import day_bounds_ms
from hntes.etl.engines.base import Engine
from hntes.etl.measure.from_sums import IN_RULES
from hntes.etl.measure.interface_load import pairs_relation
from hntes.etl.measure.measured_pairs import Pairs
from hntes.sql.entries import ObservationEntry
from hntes.sql.queries import query_text

_ALL = -1
_FLOWS = pa.schema(
    [pa.field("ip_version", pa.int8(), nullable=False)]
    + [pa.field(f"{end}_{half}", pa.int64(), nullable=False) for end in ("src", "dst") for half in ("hi", "lo")]
    + [pa.field(name, pa.int64(), nullable=False) for name in ("src_port", "dst_port", "protocol")]
)


@dataclass(frozen=True)
class BetaBetween:
    """The bytes of flows between two hosts that were no alpha flows, on one day; addresses as texts."""

    source: str
    destination: str
    bytes: int


def beta_between(
    engine: Engine,
    lake: Path,
    parts: Sequence[str],
    day: date,
    pairs: Pairs,
    alpha: Iterable[ObservationEntry],
    *,
    sum_exporters: bool = False,
) -> list[BetaBetween]:
    """Per host pair, the day's bytes between hosts of these prefix pairs, without alpha flows.

    `parts` are those of detection. The day is (0:00, 24:00] UTC; a record's bytes are spread evenly over its time.
    `alpha` are all alpha flows of the day, what is not believed included. With `sum_exporters` the exporters see
    different traffic, and only ingress and egress are compared.
    """
    listed = list(pairs)
    if not listed:
        return []
    from_ms, to_ms = day_bounds_ms(day)
    query = query_text("beta_between", from_ms=from_ms, to_ms=to_ms, with_exporters=0 if sum_exporters else 1)
    relations = {"alpha_pairs": pairs_relation(dict.fromkeys(listed, IN_RULES)), "alpha_flows": flows_relation(alpha)}
    rows = engine.run(query, lake, list(dict.fromkeys(parts)), relations)
    return [
        BetaBetween(
            str(address_of(row["ip_version"], row["src_hi"], row["src_lo"])),
            str(address_of(row["ip_version"], row["dst_hi"], row["dst_lo"])),
            int(row["bytes"]),
        )
        for row in rows.to_pylist()
        if row["bytes"]
    ]


def flows_relation(alpha: Iterable[ObservationEntry]) -> pa.Table:
    """The relation alpha_flows of beta_between.sql: 5-tuples, -1 where there are no ports and protocol."""
    rows = []
    for seen in alpha:
        (src_hi, src_lo), (dst_hi, dst_lo) = (halves(ip_address(host)) for host in (seen.source, seen.destination))
        ports = (seen.source_port, seen.destination_port, seen.protocol)
        source, destination, protocol = (_ALL if number is None else number for number in ports)
        rows.append((seen.ip_version, src_hi, src_lo, dst_hi, dst_lo, source, destination, protocol))
    columns = list(zip(*rows, strict=True)) or [()] * len(_FLOWS)
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, _FLOWS, strict=True)], _FLOWS)
