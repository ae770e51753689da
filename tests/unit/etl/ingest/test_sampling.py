"""The whole decision table of sampling: what the file says, what the record says, what the settings say."""

import itertools
from pathlib import Path

import pytest

from hntes.etl.ingest.sampling import _TABLE, Factor, resolve_factor
from hntes.etl.sources.nfcapd.nfdump import Nfdump
from hntes.etl.sources.source import Exporter

ALL_TRAFFIC, ONE_SAMPLER, NO_SAMPLER, UNKNOWN = "all traffic", "one sampler", "no sampler", "unknown"
KINDS = (ALL_TRAFFIC, ONE_SAMPLER, NO_SAMPLER, UNKNOWN)
DOCUMENT = Path(__file__).parents[4] / "docs" / "concepts" / "pipeline.md"


def exporter(kind: str, rate: int = 100) -> Exporter | None:
    known = {
        ALL_TRAFFIC: Exporter(1, "192.0.2.1", rate, True),
        ONE_SAMPLER: Exporter(1, "192.0.2.1", rate, False),
        NO_SAMPLER: Exporter(1, "192.0.2.1", None, False),
    }
    return known.get(kind)


# what the file names, marked as multiplied, the settings' factor -> multiply by, factor stored, source
TABLE = [
    (ALL_TRAFFIC, True, None, 1, 100, "collector"),
    (ALL_TRAFFIC, True, 100, 1, 100, "collector"),
    (ALL_TRAFFIC, True, 1, 1, 100, "collector"),
    (ALL_TRAFFIC, True, 7, 1, 100, "collector"),
    (ONE_SAMPLER, True, None, 1, 100, "collector"),
    (ONE_SAMPLER, True, 7, 1, 100, "collector"),
    (NO_SAMPLER, True, None, 1, 0, "collector_rate_unknown"),
    (NO_SAMPLER, True, 7, 1, 7, "collector"),
    (UNKNOWN, True, None, 1, 0, "collector_rate_unknown"),
    (UNKNOWN, True, 7, 1, 7, "collector"),
    (ALL_TRAFFIC, False, None, 100, 100, "announced"),
    (ALL_TRAFFIC, False, 7, 7, 7, "settings"),
    (ALL_TRAFFIC, False, 1, 1, 1, "settings"),
    (ONE_SAMPLER, False, None, 1, 1, "assumed_unsampled"),
    (ONE_SAMPLER, False, 7, 7, 7, "settings"),
    (NO_SAMPLER, False, None, 1, 1, "assumed_unsampled"),
    (NO_SAMPLER, False, 7, 7, 7, "settings"),
    (NO_SAMPLER, False, 1, 1, 1, "settings"),
    (UNKNOWN, False, None, 1, 1, "assumed_unsampled"),
    (UNKNOWN, False, 7, 7, 7, "settings"),
]


@pytest.mark.parametrize(("kind", "marked", "configured", "multiply", "factor", "source"), TABLE)
def test_the_table(kind: str, marked: bool, configured: int | None, multiply: int, factor: int, source: str) -> None:
    assert resolve_factor(exporter(kind), marked, configured)[0] == Factor(multiply, factor, source)


def test_each_row_of_the_documented_table_decides_some_case() -> None:
    documented = [line for line in DOCUMENT.read_text().partition("## Sampling")[2].splitlines() if line[:2] == "| "]
    assert len(_TABLE) == len(documented) - 1, "one row per line of the documented table, under its heading"
    decided = {
        (factor.source, factor.factor)
        for kind, mark, configured in itertools.product(
            KINDS, ((True, False), (False, True), (False, False)), (None, 7)
        )
        for factor, _ in [resolve_factor(exporter(kind), mark[0], configured, marks_are_lost=mark[1])]
    }
    assert decided == {
        ("collector", 100), ("collector", 7), ("collector_rate_unknown", 0), ("collector_mark_lost", 100),
        ("settings", 7), ("announced", 100), ("assumed_unsampled", 1),
    }  # fmt: skip


def test_every_evidence_has_a_row() -> None:
    rates = (None, 0, 1, 2, 3000)
    for rate, general, marked, lost, configured in itertools.product(rates, *[(True, False)] * 3, (None, 1, 2, 7)):
        said = Exporter(1, "192.0.2.1", rate, general)
        factor, _ = resolve_factor(said, marked, configured, marks_are_lost=lost)
        assert factor.multiply in (1, factor.factor)


def test_the_table_is_whole() -> None:
    cases = {(kind, marked, configured is None) for kind, marked, configured, *_ in TABLE}
    assert cases == set(itertools.product(KINDS, (True, False), (True, False)))


def test_what_the_collector_multiplied_is_never_multiplied_again() -> None:
    for kind, configured in itertools.product(KINDS, (None, 1, 7, 100, 1_000_000)):
        assert resolve_factor(exporter(kind), True, configured)[0].multiply == 1


def test_a_rate_of_one_is_no_sampling() -> None:
    assert resolve_factor(exporter(ALL_TRAFFIC, rate=1), True, None)[0] == Factor(1, 1, "collector")
    assert resolve_factor(exporter(ALL_TRAFFIC, rate=1), False, None)[0] == Factor(1, 1, "assumed_unsampled")


def test_a_counter_whose_mark_nfdump_lost_is_not_multiplied_again() -> None:
    announcing = Exporter(1, "192.0.2.1", 3000, True)
    lost, _ = resolve_factor(announcing, False, 500, marks_are_lost=True)
    assert (lost.multiply, lost.factor, lost.source) == (1, 3000, "collector_mark_lost")
    without_rate, _ = resolve_factor(Exporter(1, "192.0.2.1", None, False), False, None, marks_are_lost=True)
    assert without_rate.source == "assumed_unsampled"


def test_only_later_versions_lose_the_marks_of_the_old_layout() -> None:
    assert [Nfdump("nfdump", (1, 7, patch), "json").loses_marks_of(1) for patch in (1, 5, 10)] == [False, True, True]
    assert not Nfdump("nfdump", (1, 7, 10), "json").loses_marks_of(2)


def test_settings_that_contradict_the_file_are_told() -> None:
    factor, warning = resolve_factor(exporter(ALL_TRAFFIC), False, 7)
    assert factor.factor == 7
    assert warning is not None
    assert "1:100" in warning
    assert resolve_factor(exporter(ALL_TRAFFIC), False, 100)[1] is None
