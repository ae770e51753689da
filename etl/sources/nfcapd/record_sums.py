"""The sums of a file's counters over its records, to compare with its statistics."""

from dataclasses import dataclass, field

import pyarrow as pa

from hntes.etl.sources.nfcapd.sums import WRAP, sum_keys
from hntes.etl.sources.schema import NEITHER
from hntes.etl.sources.source import Sums

_TCP, _UDP = 6, 17


@dataclass
class RecordSums:
    """The sums of a file's records, table by table: of the first direction, and of both.

    records: all of them. without_counters: those that the collector does not count. flows: what the others stand for,
    one each unless they name more, as records do that nfdump has aggregated.
    """

    first: dict[tuple[str, str], int] = field(default_factory=lambda: dict.fromkeys(sum_keys(), 0))
    both: dict[tuple[str, str], int] = field(default_factory=lambda: dict.fromkeys(sum_keys(), 0))
    records: int = 0
    without_counters: int = 0
    flows: int = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Adds records (RECORD_SCHEMA)."""
        # the native reader does without it, and starts sooner
        import pyarrow.compute as pc

        self.records += batch.num_rows
        has_counters = pc.not_equal(batch["kind"], NEITHER)
        flows = pc.max_element_wise(batch["flows"].filter(has_counters), pa.scalar(1, pa.uint64()))
        self.without_counters += batch.num_rows - len(flows)
        self.flows += _sum(flows)
        protocol = batch["protocol"]
        tcp, udp = pc.equal(protocol, _TCP), pc.equal(protocol, _UDP)
        masks = {"tcp": tcp, "udp": udp, "other": pc.invert(pc.or_(tcp, udp))}
        for kind, counter in sum_keys():
            rows = batch if kind == "all" else batch.filter(masks[kind])
            first, second = (_sum(rows[f"{way}_{counter}"]) for way in ("in", "out"))
            self.first[kind, counter] = (self.first[kind, counter] + first) % WRAP
            self.both[kind, counter] = (self.both[kind, counter] + first + second) % WRAP

    def differences(self, promised: Sums) -> list[str]:
        """The sums that do not match, in words; empty if all match."""
        return [
            f"{wanted} {counter}{'' if kind == 'all' else f' of {kind}'}, its records have {self.first[kind, counter]}"
            for (kind, counter), wanted in promised.of.items()
            if wanted not in (self.first[kind, counter], self.both[kind, counter])
        ]


def _sum(column: pa.Array) -> int:
    """Modulo 2^64, as Arrow adds up unsigned numbers."""
    import pyarrow.compute as pc

    return int(pc.sum(column, min_count=0).as_py())
