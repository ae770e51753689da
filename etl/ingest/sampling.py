"""Which factor stands between a record's stored counters and the traffic: decided once, from evidence, and said.

nfcapd multiplies counters by the sampling rate when it stores them, where it knows the rate, and marks such records.
Multiplying those again would be wrong; not multiplying the others of a sampling exporter would be wrong too.
"""

from dataclasses import dataclass
from typing import Literal

from etl.nfcapd.nfdump import Exporter

Source = Literal[
    "collector", "collector_rate_unknown", "collector_mark_lost", "announced", "settings", "assumed_unsampled"
]


@dataclass(frozen=True)
class Factor:
    """How one exporter's records, of one mark, become estimates.

    multiply: what HNTES multiplies the stored counters by.
    factor: 1 packet in `factor` was sampled, as stored with every row; 0 where the collector multiplied by a rate that
        the file does not name, so that there are estimates but no error bar.
    """

    multiply: int
    factor: int
    source: Source


def resolve_factor(
    exporter: Exporter | None, marked_as_multiplied: bool, configured: int | None, marks_are_lost: bool = False
) -> tuple[Factor, str | None]:
    """The factor of an exporter's records that are (or are not) marked as multiplied by the collector, and a warning.

    `exporter` is what the file says of it (None if nothing), `configured` the settings' factor for it (None if none).

    - Marked: never multiplied again. The rate is the file's, else the settings'; they must not differ in silence.
    - Unmarked, the file names a rate for all the exporter's traffic: the record came before the announcement.
    - Unmarked because nfdump lost the marks (`marks_are_lost`), but the file names a rate: the collector knew it, so
      it multiplied.
    - Unmarked, configured: the settings' factor.
    - Unmarked, nothing known: taken as unsampled, and said so.
    """
    announced = exporter.factor if exporter else None
    if marked_as_multiplied:
        rate = announced or configured or 0
        warning = None
        if announced and configured and announced != configured:
            warning = (
                f"the collector multiplied by {announced}, the settings say {configured}; the collector's was used"
            )
        return Factor(1, rate, "collector" if rate else "collector_rate_unknown"), warning
    if marks_are_lost and announced and announced > 1:
        return Factor(1, announced, "collector_mark_lost"), None
    if configured is not None:
        warning = None
        if announced and exporter is not None and exporter.general and announced != configured:
            warning = f"the file names sampling 1:{announced}, the settings say 1:{configured}; the settings' was used"
        return Factor(configured, configured, "settings"), warning
    if announced and announced > 1 and exporter is not None and exporter.general:
        return Factor(announced, announced, "announced"), None
    return Factor(1, 1, "assumed_unsampled"), None
