"""Verdicts: what counts as the published number, kind by kind."""

import pytest

from hntes.papers.cells import CellVerdict, PublishedCell, assess
from hntes.papers.hntes.columns import assess_columns


def _word(kind: str, within: float, published: float | None, simulated: float) -> str:
    return assess(
        PublishedCell("hntes", "4", "c", "v", "m", kind, within, published), simulated, simulated, simulated
    ).word


@pytest.mark.parametrize(
    ("kind", "within", "published", "good", "bad"),
    [
        ("arithmetic", 0.02, 6.46, 6.58, 6.60),
        ("transient", 0.15, 60.4, 52.0, 51.0),
        ("factor", 1.5, 5050.0, 3400.0, 3300.0),
        ("reordering", 4.0, 0.33, 1.31, 1.33),
        ("points", 2.0, 39.3, 41.2, 41.4),
        ("absolute", 0.03, 0.95, 0.979, 0.981),
        ("exact", 0.0, 0.0, 0.0, 1.0),
        ("at_most", 2.6, 2.3, 2.6, 2.7),
    ],
)
def test_a_kind_has_its_limit(kind: str, within: float, published: float, good: float, bad: float) -> None:
    assert _word(kind, within, published, good) == "reproduced"
    assert _word(kind, within, published, bad) == "missed"


def test_an_order_is_about_the_same_measure_elsewhere() -> None:
    cell = PublishedCell("hntes", "4", "c", "v", "m", "order", 0.0, above="d")
    assert [assess(cell, 3.0, 3.0, 3.0, other).word for other in (2.9, 3.0, None)] == ["reproduced", "missed", "missed"]


def test_withheld_and_reported_values_are_not_judged() -> None:
    assert _word("predicted", 0.0, None, 3.0) == "predicted"
    assert _word("reported", 0.0, 4076.0, 1e6) == "reported"


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown kind of cell 'guess'"):
        _word("guess", 0.1, 1.0, 1.0)


def _verdict(configuration: str, variant: str, published: float, simulated: float) -> CellVerdict:
    kind = "arithmetic" if configuration == "2-queues" else "reordering"
    cell = PublishedCell("hntes", "3", configuration, variant, "tcp_gbps", kind, 4.0, published)
    return assess(cell, simulated, simulated, simulated)


def test_columns_are_judged_as_a_whole() -> None:
    rates = ("udp-0.5", "udp-2.5", "udp-3")
    plain = [_verdict("2-queues", rate, 7.0, 7.0) for rate in rates]
    falling = [_verdict("policed", rate, 2.0, value) for rate, value in zip(rates, (4.0, 1.0, 1.0), strict=True)]
    found = {v.cell.measure: v for v in assess_columns(plain + falling)}
    assert found["geometric_mean_factor"].simulated == pytest.approx(2.0)
    assert found["geometric_mean_factor"].word == "missed"
    assert found["rises_with_udp"].word == "reproduced"
    assert found["share_of_2_queues_at_2.5"].simulated == pytest.approx(1 / 7)
    rising = [_verdict("policed", rate, 2.0, value) for rate, value in zip(rates, (1.0, 2.0, 3.0), strict=True)]
    words = {v.cell.measure: v.word for v in assess_columns(plain + rising)}
    assert words["rises_with_udp"] == words["share_of_2_queues_at_2.5"] == "missed"
    assert assess_columns(plain) == []
