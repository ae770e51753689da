"""The sampling of exporters in former files, which decides on trust in a new factor (etl/ingest/trust.py)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

# Outcomes of records with an untrusted factor.
SAMPLING_CHANGED = "set_aside:sampling_changed"
SAMPLING_LOWERED = "repaired:sampling_factor"


@dataclass(frozen=True)
class ExporterBaseline:
    """The sampling of exporters in all files before one file.

    named: exporter -> the factors its records had; unnamed: exporters with records of which no factor was named.
    doubted: exporter -> factors that were named and not believed; the collector goes on multiplying by them.
    """

    named: Mapping[str, frozenset[int]] = field(default_factory=dict)
    unnamed: frozenset[str] = frozenset()
    doubted: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def factors(self, exporter: str) -> frozenset[int] | None:
        """The factors that are trusted without settings; None for an unknown exporter."""
        if exporter in self.named:
            return self.named[exporter]
        return frozenset({1}) if exporter in self.unnamed else None


NOTHING_KNOWN = ExporterBaseline()
