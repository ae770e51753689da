"""A router's exporters in a flow folder, and the decision on the sampling of each (etl/ingest/judge.py)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hntes.etl.ingest.exporter_baseline import ExporterBaseline
from hntes.etl.ingest.ports import NO_RATES, PortRates

MAX_COUNTER = 1 << 52


@dataclass(frozen=True)
class RouterExporters:
    """One router's part in a flow folder: which exporters are its own (none: all), how its records are read.

    rotation_s: the time that a file covers, and a record without a duration at most.
    """

    router: str
    exporters: frozenset[str] = frozenset()
    sampling: Mapping[str, int] = field(default_factory=dict)
    clock: Literal["exporter", "collector"] = "exporter"
    allowed_factors: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    ports: PortRates = NO_RATES
    rotation_s: int = 300

    def believed_factors(self, exporter: str, baseline: ExporterBaseline) -> frozenset[int] | None:
        """The trusted sampling factors of an exporter, None if any is; the settings take precedence."""
        if exporter in self.sampling:
            return frozenset({self.sampling[exporter], *self.allowed_factors.get(exporter, ())})
        return baseline.factors(exporter)


@dataclass(frozen=True)
class Evidence:
    """The decision on one exporter's sampling."""

    exporter: str
    factor: int
    source: str
    records: int
