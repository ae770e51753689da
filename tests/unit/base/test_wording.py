"""Counts, rates and moments in words."""

import doctest

import pytest

from base import wording


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (wording.counted(1, "pair"), "1 pair"),
        (wording.counted(0, "pair"), "0 pairs"),
        (wording.counted(2, "complete day"), "2 complete days"),
        (wording.counted(1, "entry", "entries"), "1 entry"),
        (wording.counted(3, "entry", "entries"), "3 entries"),
        (wording.gbps(999_000_000), "999 Mb/s"),
        (wording.gbps(100_000_000_000), "100 Gb/s"),
        (wording.gbps(1_200_000_000_000), "1200 Gb/s"),
    ],
)
def test_wording(said: str, expected: str) -> None:
    assert said == expected


def test_the_examples_hold() -> None:
    results = doctest.testmod(wording)
    assert results.attempted >= 3
    assert results.failed == 0
