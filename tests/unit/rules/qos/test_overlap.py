"""Crossing pairs, against the definition."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.overlap import crossing_pairs
from tests.support.qos_models import PAIRS, many_pairs
from tests.support.qos_strategies import prefixes


@given(st.lists(st.builds(PrefixPair, prefixes(4), prefixes(4)), max_size=12, unique=True))
def test_found_are_those_that_overlap_with_neither_inside_the_other(pairs: list[PrefixPair]) -> None:
    expected = {frozenset(both) for both in combinations(pairs, 2) if _cross(*both)}
    found = list(crossing_pairs(pairs))
    assert {frozenset(both) for both in found} == expected
    assert len(found) == len(expected)
    assert all(wide.source.prefixlen < narrow.source.prefixlen for wide, narrow in found)


def _cross(left: PrefixPair, right: PrefixPair) -> bool:
    overlap = left.source.overlaps(right.source) and left.destination.overlaps(right.destination)
    return overlap and not _inside(left, right) and not _inside(right, left)


def _inside(inner: PrefixPair, outer: PrefixPair) -> bool:
    sources = set(inner.source) <= set(outer.source)
    return sources and set(inner.destination) <= set(outer.destination)


def test_nested_and_disjoint_pairs_do_not_cross() -> None:
    assert list(crossing_pairs(PAIRS)) == []
    assert list(crossing_pairs(many_pairs())) == []
