"""The whole decision table of sampling: what the file says, what the record says, what the settings say."""

import itertools
from pathlib import Path

import pytest

from hntes.etl.ingest.sampling import _TABLE, Factor, Known, resolve_factor
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
    assert resolve_factor(exporter(kind), marked, Known(configured))[0] == Factor(multiply, factor, source)


KNOWN = (Known(), Known(7), Known(None, 1000, 500), Known(None, None, 500), Known(7, 1000, 500))


@pytest.mark.parametrize("kind", [NO_SAMPLER, UNKNOWN])
def test_without_an_announcement_the_nearest_other_one_counts(kind: str) -> None:
    found = [resolve_factor(exporter(kind), False, known)[0] for known in KNOWN]
    assert found == [
        Factor(1, 1, "assumed_unsampled"), Factor(7, 7, "settings"), Factor(1000, 1000, "other_domain"),
        Factor(500, 500, "former"), Factor(7, 7, "settings"),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", [ALL_TRAFFIC, ONE_SAMPLER])
def test_an_announcement_of_the_own_domain_goes_before_others(kind: str) -> None:
    assert resolve_factor(exporter(kind), False, KNOWN[2]) == resolve_factor(exporter(kind), False, Known())
    assert resolve_factor(exporter(kind), True, KNOWN[2]) == resolve_factor(exporter(kind), True, Known())


def test_each_row_of_the_documented_table_decides_some_case() -> None:
    documented = [line for line in DOCUMENT.read_text().partition("## Sampling")[2].splitlines() if line[:2] == "| "]
    assert len(_TABLE) == len(documented) - 1, "one row per line of the documented table, under its heading"
    decided = {
        (factor.source, factor.factor)
        for kind, mark, known in itertools.product(KINDS, ((True, False), (False, True), (False, False)), KNOWN)
        for factor, _ in [resolve_factor(exporter(kind), mark[0], known, marks_are_lost=mark[1])]
    }
    assert decided == {
        ("collector", 100), ("collector", 7), ("collector_rate_unknown", 0), ("collector_mark_lost", 100),
        ("settings", 7), ("announced", 100), ("assumed_unsampled", 1),
        ("other_domain", 1000), ("former", 500),
    }  # fmt: skip


def test_every_evidence_has_a_row() -> None:
    rates = (None, 0, 1, 2, 3000)
    for rate, general, marked, lost, configured in itertools.product(rates, *[(True, False)] * 3, (None, 1, 2, 7)):
        said = Exporter(1, "192.0.2.1", rate, general)
        factor, _ = resolve_factor(said, marked, Known(configured), marks_are_lost=lost)
        assert factor.multiply in (1, factor.factor)


def test_the_table_is_whole() -> None:
    cases = {(kind, marked, configured is None) for kind, marked, configured, *_ in TABLE}
    assert cases == set(itertools.product(KINDS, (True, False), (True, False)))


def test_what_the_collector_multiplied_is_never_multiplied_again() -> None:
    for kind, configured in itertools.product(KINDS, (None, 1, 7, 100, 1_000_000)):
        assert resolve_factor(exporter(kind), True, Known(configured))[0].multiply == 1


def test_a_rate_of_one_is_no_sampling() -> None:
    assert resolve_factor(exporter(ALL_TRAFFIC, rate=1), True, Known())[0] == Factor(1, 1, "collector")
    assert resolve_factor(exporter(ALL_TRAFFIC, rate=1), False, Known())[0] == Factor(1, 1, "assumed_unsampled")


def test_a_counter_whose_mark_nfdump_lost_is_not_multiplied_again() -> None:
    announcing = Exporter(1, "192.0.2.1", 3000, True)
    lost, _ = resolve_factor(announcing, False, Known(500), marks_are_lost=True)
    assert (lost.multiply, lost.factor, lost.source) == (1, 3000, "collector_mark_lost")
    without_rate, _ = resolve_factor(Exporter(1, "192.0.2.1", None, False), False, Known(), marks_are_lost=True)
    assert without_rate.source == "assumed_unsampled"


def test_only_later_versions_lose_the_marks_of_the_old_layout() -> None:
    assert [Nfdump("nfdump", (1, 7, patch), "json").loses_marks_of(1) for patch in (1, 5, 10)] == [False, True, True]
    assert not Nfdump("nfdump", (1, 7, 10), "json").loses_marks_of(2)


def test_settings_that_contradict_the_file_are_told() -> None:
    factor, warning = resolve_factor(exporter(ALL_TRAFFIC), False, Known(7))
    assert factor.factor == 7
    assert warning is not None
    assert "1:100" in warning
    assert resolve_factor(exporter(ALL_TRAFFIC), False, Known(100))[1] is None
