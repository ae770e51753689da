"""Seeds end when they can no longer change a verdict: the verdict on fewer is that on all."""

import statistics

import hypothesis.strategies as st
import pytest
from hypothesis import given

from hntes.papers.cells import PublishedCell, assess
from hntes.papers.reproduction.settled import is_order_settled, is_settled, majority

KINDS = {"arithmetic": 0.1, "transient": 0.2, "factor": 1.5, "reordering": 4.0, "points": 1.0, "absolute": 0.3,
         "exact": 0.0, "at_most": 3.0}  # fmt: skip


def _cell(kind: str, published: float | None = 5.0, within: float | None = None) -> PublishedCell:
    return PublishedCell("p", "1", "c", "", "m", kind, KINDS.get(kind, 0.0) if within is None else within, published)


def _word(cell: PublishedCell, values: list[float]) -> str:
    return assess(cell, statistics.median(values), min(values), max(values)).word


@given(
    st.sampled_from(sorted(KINDS)),
    st.sampled_from([-5.0, 0.0, 5.0]),
    st.integers(1, 8).flatmap(lambda n: st.lists(st.sampled_from([-9.0, -5.2, 0.0, 2.9, 4.9, 5.0, 5.4, 8.0, 30.0]),
                                                 min_size=n, max_size=n)),
)  # fmt: skip
def test_what_is_settled_stays(kind: str, published: float, values: list[float]) -> None:
    cell = _cell(kind, published)
    for count in range(1, len(values) + 1):
        if is_settled(cell, values[:count], len(values)):
            assert _word(cell, values[:count]) == _word(cell, values)


@pytest.mark.parametrize(
    ("values", "settled"),
    [
        ([5.0, 5.1, 4.9], True),
        ([5.0, 5.1, 9.0], False),
        ([5.0, 5.1, 9.0, 4.9], True),
        ([9.0, 8.0, 7.0], True),
        ([9.0, 8.0, 1.0], False),  # two sides: the median may still lie within
        ([5.0, 5.1], False),
    ],
)
def test_more_than_half_on_one_side_decide(values: list[float], settled: bool) -> None:
    assert is_settled(_cell("arithmetic"), values, 5) is settled


def test_what_is_only_shown_needs_no_further_seed() -> None:
    assert is_settled(_cell("predicted", None), [1.0], 5)
    assert is_settled(_cell("reported"), [1.0, 7.0], 5)


_VALUES = st.lists(st.sampled_from([1.0, 2.0, 3.0, 4.0]), min_size=5, max_size=5)


@given(_VALUES, _VALUES, st.integers(1, 5), st.integers(1, 5))
def test_an_order_that_is_settled_stays(higher: list[float], lower: list[float], run: int, run_below: int) -> None:
    if is_order_settled(higher[:run], lower[:run_below], (5, 5)):
        is_above = statistics.median(higher) > statistics.median(lower)
        assert (statistics.median(higher[:run]) > statistics.median(lower[:run_below])) == is_above


@pytest.mark.parametrize(
    ("higher", "lower", "settled"),
    [
        ([3.0, 4.0, 5.0], [1.0, 2.0, 2.9], True),
        ([3.0, 4.0, 5.0], [1.0, 2.0, 3.0], False),  # two more below 3 above, two more above 3 below
        ([3.0, 4.0, 5.0, 5.0], [1.0, 2.0, 3.0, 2.0], True),
        ([1.0, 2.0, 3.0], [3.0, 4.0, 5.0], True),  # equal medians are no order
        ([3.0, 4.0], [1.0, 2.0], False),
        ([2.0, 9.0, 9.0, 1.0, 3.0], [2.9], False),
    ],
)
def test_an_order_ends_once_the_medians_cannot_meet(higher: list[float], lower: list[float], settled: bool) -> None:
    assert is_order_settled(higher, lower, (5, 5)) is settled


def test_a_single_run_is_its_median() -> None:
    assert is_order_settled([2.0, 9.0, 9.0], [1.9], (5, 1))


@pytest.mark.parametrize(("seeds", "enough"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (10, 6)])
def test_a_majority_is_more_than_half(seeds: int, enough: int) -> None:
    assert majority(seeds) == enough
