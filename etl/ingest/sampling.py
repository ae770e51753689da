"""The sampling factor between a record's stored counters and the traffic, decided once from evidence.

Some collectors (nfcapd) multiply counters by the sampling rate when they store them, where they know the rate, and mark
such records. Multiplying those again would be wrong; not multiplying the others of a sampling exporter would be wrong
too.
"""

from dataclasses import dataclass
from typing import Literal

from hntes.etl.sources.source import Exporter

Source = Literal[
    "collector",
    "collector_rate_unknown",
    "collector_mark_lost",
    "announced",
    "settings",
    "other_domain",
    "former",
    "assumed_unsampled",
    "lowered",
]


# Factors that nothing says of these records themselves: used, but doubtful until the settings name them.
DOUBTFUL_SOURCES = frozenset({"other_domain", "former"})


@dataclass(frozen=True)
class Factor:
    """The conversion of one exporter's records, of one mark, to estimates.

    multiply: what HNTES multiplies the stored counters by.
    factor: 1 packet in `factor` was sampled, as stored with every row; 0 where the collector multiplied by a rate that
        the file does not name, so that there are estimates but no error bar.
    """

    multiply: int
    factor: int
    source: Source


@dataclass(frozen=True)
class Known:
    """What is known of an exporter's sampling beside what the file says of a record's own observation domain.

    configured: the settings' factor. other_domain: the only factor that the exporter announces in other domains of the
    file for all traffic. former: the one that its records had in earlier files. None where there is none.
    """

    configured: int | None = None
    other_domain: int | None = None
    former: int | None = None


# What the record's mark says of the collector, and what the file says of the exporter's rate.
_Mark = Literal["multiplied", "lost", "none"]
_FileRate = Literal["all_traffic", "one_sampler", "one_in_one", "not_named"]
_SAMPLED: tuple[_FileRate, ...] = ("all_traffic", "one_sampler")
_NAMED: tuple[_FileRate, ...] = (*_SAMPLED, "one_in_one")
_ANY: tuple[_FileRate, ...] = (*_NAMED, "not_named")


@dataclass(frozen=True)
class _Case:
    """A row of the decision table: which evidence it is for, and which factor follows from it."""

    marks: tuple[_Mark, ...]
    file_rates: tuple[_FileRate, ...]
    is_configured: bool | None  # None: either way
    factor_from: Literal["file", "settings", "other_domain", "former", "unknown", "unsampled"]
    multiplies: bool
    source: Source

    def fits(self, mark: _Mark, file_rate: _FileRate, known: Known) -> bool:
        """Whether it is for this evidence: the factor that it takes must be known."""
        is_configured = known.configured is not None
        if mark not in self.marks or file_rate not in self.file_rates:
            return False
        if self.is_configured not in (None, is_configured):
            return False
        return self.factor_from not in DOUBTFUL_SOURCES or getattr(known, self.factor_from) is not None


# The rows of docs/concepts/pipeline.md, "Sampling", in that order; the first that fits decides.
_TABLE = (
    _Case(("multiplied",), _NAMED, None, "file", False, "collector"),
    _Case(("multiplied",), ("not_named",), True, "settings", False, "collector"),
    _Case(("multiplied",), ("not_named",), False, "unknown", False, "collector_rate_unknown"),
    # The collector knew the rate, so it multiplied.
    _Case(("lost",), _SAMPLED, None, "file", False, "collector_mark_lost"),
    _Case(("none", "lost"), _ANY, True, "settings", True, "settings"),
    # The record came before the announcement.
    _Case(("none", "lost"), ("all_traffic",), False, "file", True, "announced"),
    # The announcement is of another observation domain, or was lost.
    _Case(("none",), ("not_named",), False, "other_domain", True, "other_domain"),
    _Case(("none",), ("not_named",), False, "former", True, "former"),
    _Case(("none", "lost"), _ANY, False, "unsampled", False, "assumed_unsampled"),
)


def resolve_factor(
    exporter: Exporter | None, marked_as_multiplied: bool, known: Known, marks_are_lost: bool = False
) -> tuple[Factor, str | None]:
    """The factor of an exporter's records that are (or are not) marked as multiplied by the collector, and a warning.

    `exporter` is what the file says of it (None if nothing), `marks_are_lost` whether the marks of this file are lost.
    Where the settings multiply by another factor than the file names there is a warning; where the collector did, the
    records are doubted (etl/ingest/trust.py).
    """
    announced = exporter.factor if exporter else None
    mark: _Mark = "multiplied" if marked_as_multiplied else "lost" if marks_are_lost else "none"
    file_rate = _file_rate(exporter)
    case = next(case for case in _TABLE if case.fits(mark, file_rate, known))
    found = {
        "file": announced, "settings": known.configured, "other_domain": known.other_domain, "former": known.former,
        "unknown": 0, "unsampled": 1,
    }  # fmt: skip
    factor = found[case.factor_from] or 0
    warning = _contradiction(case, announced, known.configured, is_general=exporter is not None and exporter.general)
    return Factor(factor if case.multiplies else 1, factor, case.source), warning


def _file_rate(exporter: Exporter | None) -> _FileRate:
    if exporter is None or not exporter.factor:
        return "not_named"
    if exporter.factor == 1:
        return "one_in_one"
    return "all_traffic" if exporter.general else "one_sampler"


def _contradiction(case: _Case, announced: int | None, configured: int | None, *, is_general: bool) -> str | None:
    if not announced or not configured or announced == configured:
        return None
    if case.source == "settings" and is_general:
        return f"the file announces sampling 1:{announced}, the settings 1:{configured}; the settings were used"
    return None
