"""Counts, rates and moments in words."""

import doctest

import pytest

from hntes import format


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (format.counted(1, "pair"), "1 pair"),
        (format.counted(0, "pair"), "0 pairs"),
        (format.counted(2, "complete day"), "2 complete days"),
        (format.counted(1, "entry", "entries"), "1 entry"),
        (format.counted(3, "entry", "entries"), "3 entries"),
        (format.gbps(999_000_000), "999 Mb/s"),
        (format.gbps(999_400_000), "999 Mb/s"),
        (format.gbps(999_500_000), "1 Gb/s"),
        (format.gbps(999_999_999), "1 Gb/s"),
        (format.gbps(999_499), "999 kb/s"),
        (format.gbps(999_500), "1 Mb/s"),
        (format.gbps(1_000), "1 kb/s"),
        (format.gbps(999.5), "1 kb/s"),
        (format.gbps(999), "999 bit/s"),
        (format.gbps(50), "50 bit/s"),
        (format.gbps(0.00005), "<1 bit/s"),
        (format.gbps(999_499_999_999), "999 Gb/s"),
        (format.gbps(999_500_000_000), "1000 Gb/s"),
        (format.gbps(100_000_000_000), "100 Gb/s"),
        (format.gbps(1_200_000_000_000), "1200 Gb/s"),
        (format.gigabytes(9_999_400_000_000), "9,999 GB"),
        (format.gigabytes(9_999_500_000_000), "10 TB"),
        (format.gigabytes(456 * 10**12), "456 TB"),
        (format.gigabytes(9_223_372_036_854_775_807), "9,223,372 TB"),
        (format.data_size(999), "999 B"),
        (format.data_size(1_000), "1 kB"),
        (format.data_size(999_499), "999 kB"),
        (format.data_size(999_500), "1 MB"),
        (format.data_size(999_499_999), "999 MB"),
        (format.data_size(999_500_000), "1 GB"),
        (format.data_size(9_999_500_000_000), "10 TB"),
    ],
)
def test_wording(said: str, expected: str) -> None:
    assert said == expected


def test_the_examples_hold() -> None:
    results = doctest.testmod(format)
    assert results.attempted >= 3
    assert results.failed == 0
