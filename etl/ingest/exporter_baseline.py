"""What former files say of exporters' sampling, by which a new factor is believed or not (etl/ingest/trust.py)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

# Outcomes of records whose factor is not believed.
SAMPLING_CHANGED = "set_aside:sampling_changed"
SAMPLING_LOWERED = "repaired:sampling_factor"


@dataclass(frozen=True)
class ExporterBaseline:
    """What the files before one file say of its exporters' sampling.

    named: exporter -> the factors its records had; unnamed: exporters with records of which no factor was named.
    doubted: exporter -> factors that were named and not believed; the collector goes on multiplying by them.
    """

    named: Mapping[str, frozenset[int]] = field(default_factory=dict)
    unnamed: frozenset[str] = frozenset()
    doubted: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def factors(self, exporter: str) -> frozenset[int] | None:
        """The factors that are believed without the settings; None where nothing is known of the exporter."""
        if exporter in self.named:
            return self.named[exporter]
        return frozenset({1}) if exporter in self.unnamed else None


NOTHING_KNOWN = ExporterBaseline()
