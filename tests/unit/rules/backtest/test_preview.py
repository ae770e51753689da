"""What becomes of a pair's rule in a preview is told by the rules before and after."""

import pytest

from hntes.rules.backtest.preview import touched_by_pin
from hntes.rules.pairs import PrefixPair

PIN = PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")


@pytest.mark.parametrize(
    ("before", "after", "becomes"),
    [((), (PIN,), "added"), ((PIN,), (PIN,), "kept"), ((PIN,), (), "removed"), ((), (), "not added")],
)
def test_a_pin_that_an_exclusion_keeps_out_does_not_come(
    before: tuple[PrefixPair, ...], after: tuple[PrefixPair, ...], becomes: str
) -> None:
    (touched,) = touched_by_pin(PIN, frozenset(before), frozenset(after), ())
    assert (touched.pair, touched.becomes) == (PIN, becomes)
