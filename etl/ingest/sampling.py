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
    "assumed_unsampled",
    "lowered",
]


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
    factor_from: Literal["file", "settings", "unknown", "unsampled"]
    multiplies: bool
    source: Source


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
    _Case(("none", "lost"), _ANY, False, "unsampled", False, "assumed_unsampled"),
)


def resolve_factor(
    exporter: Exporter | None, marked_as_multiplied: bool, configured: int | None, marks_are_lost: bool = False
) -> tuple[Factor, str | None]:
    """The factor of an exporter's records that are (or are not) marked as multiplied by the collector, and a warning.

    `exporter` is what the file says of it (None if nothing), `configured` the settings' factor for it (None if none),
    `marks_are_lost` whether the marks of this file are lost. Where the settings multiply by another factor than the
    file names there is a warning; where the collector did, the records are doubted (etl/ingest/trust.py).
    """
    announced = exporter.factor if exporter else None
    mark: _Mark = "multiplied" if marked_as_multiplied else "lost" if marks_are_lost else "none"
    file_rate = _file_rate(exporter)
    case = next(
        case
        for case in _TABLE
        if mark in case.marks and file_rate in case.file_rates and case.is_configured in (None, configured is not None)
    )
    factor = {"file": announced, "settings": configured, "unknown": 0, "unsampled": 1}[case.factor_from] or 0
    warning = _contradiction(case, announced, configured, is_general=exporter is not None and exporter.general)
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
