"""The sampling factors that a folder's files had, in order of time: the baseline of each file.

The baseline of a file follows from the files of earlier times alone, so that a run that was killed and repeated,
or one with more workers, believes the same records.
"""

from collections.abc import Iterable

from hntes.etl.ingest.exporter_baseline import ExporterBaseline
from hntes.etl.ingest.router_exporters import Evidence
from hntes.sql.entries import FactorSeen

# Sources with a known factor; "assumed_unsampled" means that none was announced.
_NAMED = frozenset({"collector", "collector_mark_lost", "announced", "settings"})


class FactorHistory:
    """When each factor of each exporter of a folder was first seen: kept up to date file by file, in order of time."""

    def __init__(self, seen: Iterable[FactorSeen]) -> None:
        self._first_ms: dict[tuple[str, int, str], int] = {}
        for one in seen:
            self.add(one)

    def add(self, one: FactorSeen) -> None:
        """Takes note of a factor that records of a file had."""
        key = (one.exporter, one.factor, one.source)
        self._first_ms[key] = min(one.file_start_ms, self._first_ms.get(key, one.file_start_ms))

    def before(self, file_start_ms: int) -> ExporterBaseline:
        """The baseline of a file that starts at that moment."""
        named: dict[str, set[int]] = {}
        doubted: dict[str, set[int]] = {}
        unnamed = set()
        for (exporter, factor, source), first_ms in self._first_ms.items():
            if first_ms >= file_start_ms:
                continue
            if source in _NAMED:
                named.setdefault(exporter, set()).add(factor)
            elif source == "doubted":
                doubted.setdefault(exporter, set()).add(factor)
            elif source == "assumed_unsampled":
                unnamed.add(exporter)
        return ExporterBaseline(_frozen(named), frozenset(unnamed), _frozen(doubted))


def _frozen(factors: dict[str, set[int]]) -> dict[str, frozenset[int]]:
    return {exporter: frozenset(found) for exporter, found in factors.items()}


def holds(result: Iterable[Evidence], doubted: bool, then: ExporterBaseline, now: ExporterBaseline) -> bool:
    """Whether a file that was read by the baseline `then` would be judged the same by the baseline `now`.

    `doubted`: a factor of it was not believed.
    """
    if then == now:
        return True
    used = list(result)
    if doubted or any(one.source == "collector_rate_unknown" for one in used):
        return False
    return all(
        one.source == "assumed_unsampled" or one.factor in (now.factors(one.exporter) or {one.factor}) for one in used
    )
