"""The usual factor before a file depends on earlier files alone."""

import pytest

from hntes.etl.ingest.exporter_baseline import ExporterBaseline
from hntes.etl.ingest.factor_history import FactorHistory, holds
from hntes.etl.ingest.router_exporters import Evidence
from hntes.sql.entries import FactorSeen

NAMED_100 = ExporterBaseline({"a": frozenset({100})})


def test_a_factor_is_usual_after_the_file_in_which_it_was_first_seen() -> None:
    history = FactorHistory([FactorSeen("a", 100, "collector", 2000), FactorSeen("b", 1, "assumed_unsampled", 1000)])
    assert history.before(1000) == ExporterBaseline()
    assert history.before(2000) == ExporterBaseline({}, frozenset({"b"}))
    assert history.before(2001) == ExporterBaseline({"a": frozenset({100})}, frozenset({"b"}))


def test_an_earlier_file_that_is_read_later_moves_the_first_time() -> None:
    history = FactorHistory([FactorSeen("a", 100, "collector", 2000)])
    history.add(FactorSeen("a", 100, "collector", 500))
    history.add(FactorSeen("a", 100, "collector", 900))
    assert history.before(600) == NAMED_100


def test_a_rate_that_was_never_named_is_no_known_factor() -> None:
    history = FactorHistory([FactorSeen("a", 0, "collector_rate_unknown", 1)])
    assert history.before(5) == ExporterBaseline()


@pytest.mark.parametrize(
    ("seen", "factor"),
    [
        ([("collector", 100, 1000)], 100),
        # of several the smallest: no estimate may become larger by a guess
        ([("collector", 100, 1000), ("settings", 50, 1000)], 50),
        ([("other_domain", 100, 1000)], 100),
        # the first records came before the first announcement
        ([("assumed_unsampled", 1, 500), ("collector", 100, 1000)], 100),
        # unsampled records beside sampled ones: another interface or domain
        ([("assumed_unsampled", 1, 1000), ("collector", 100, 1000)], None),
        ([("assumed_unsampled", 1, 2000), ("collector", 100, 1000)], None),
        ([("collector", 1, 500), ("assumed_unsampled", 1, 600)], None),
        ([("assumed_unsampled", 1, 500)], None),
        ([("collector_rate_unknown", 0, 500)], None),
        ([("doubted", 100, 500)], None),
        ([("former", 100, 500)], None),
    ],
)
def test_the_factor_of_records_whose_announcement_is_lost(seen: list[tuple[str, int, int]], factor: int | None) -> None:
    history = FactorHistory(FactorSeen("a", number, source, first_ms) for source, number, first_ms in seen)
    assert history.before(3000).lost_factor("a") == factor
    assert history.before(3000).lost_factor("b") is None


@pytest.mark.parametrize(
    ("used", "doubted", "then", "now", "expected"),
    [
        ([Evidence("a", 100, "collector", 5)], False, ExporterBaseline(), ExporterBaseline(), True),
        ([Evidence("a", 100, "collector", 5)], False, ExporterBaseline(), NAMED_100, True),
        ([Evidence("a", 1000, "collector", 5)], False, ExporterBaseline(), NAMED_100, False),
        ([Evidence("b", 1000, "collector", 5)], False, ExporterBaseline(), NAMED_100, True),
        # without an announcement, the factor that is known by now counts
        ([Evidence("a", 1, "assumed_unsampled", 5)], False, ExporterBaseline(), NAMED_100, False),
        ([Evidence("a", 100, "former", 5)], False, NAMED_100, ExporterBaseline({"a": frozenset({50, 100})}), False),
        ([Evidence("a", 100, "former", 5)], False, NAMED_100, ExporterBaseline({"a": frozenset({100, 200})}), True),
        ([Evidence("b", 1, "assumed_unsampled", 5)], False, ExporterBaseline(), NAMED_100, True),
        ([Evidence("a", 0, "collector_rate_unknown", 5)], False, ExporterBaseline(), NAMED_100, False),
        ([], True, NAMED_100, ExporterBaseline({"a": frozenset({100, 50})}), False),
        ([], True, NAMED_100, NAMED_100, True),
    ],
)
def test_a_file_is_read_again_only_where_its_judgement_may_change(
    used: list[Evidence], doubted: bool, then: ExporterBaseline, now: ExporterBaseline, expected: bool
) -> None:
    assert holds(used, doubted, then, now) == expected
