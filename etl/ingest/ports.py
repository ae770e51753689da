"""The rates of a router's ports, which bound plausible records (etl/ingest/plausibility.py)."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PortRates:
    """The rates of a router's ports in bit/s: by SNMP index, and the greatest of all (0: not known)."""

    by_index: Mapping[int, int] = field(default_factory=dict)
    greatest_bps: int = 0

    @property
    def least_bps(self) -> int:
        """The rate of the slowest port that is known."""
        return min((rate for rate in (*self.by_index.values(), self.greatest_bps) if rate > 0), default=0)


# Where nothing is known of a router's ports, no record is too fast.
NO_RATES = PortRates()
