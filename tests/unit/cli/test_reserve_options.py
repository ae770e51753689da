"""Rates and lengths as they are written."""

import click
import pytest

from hntes.cli.reserve_options import LENGTH, MOMENT, RATE


@pytest.mark.parametrize(
    ("text", "bps"),
    [("3G", 3 * 10**9), ("2.5G", 25 * 10**8), ("0.001k", 1), ("800", 800), ("1.20M", 1_200_000), ("0", 0)],
)
def test_rates_are_whole_bits_per_second(text: str, bps: int) -> None:
    assert RATE.convert(text, None, None) == bps


@pytest.mark.parametrize("text", ["", "3g", "3 G", "-1G", "1e9", "3Gb/s", "0.0001k", ".5G", "1.G", "9" * 21])
def test_what_is_no_rate(text: str) -> None:
    with pytest.raises(click.BadParameter):
        RATE.convert(text, None, None)


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("30min", 1800), ("2h", 7200), ("7d", 604_800)])
def test_lengths(text: str, seconds: int) -> None:
    assert LENGTH.convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "0s", "2", "2m", "-1h", "1h30min", "123456789s"])
def test_what_is_no_length(text: str) -> None:
    with pytest.raises(click.BadParameter):
        LENGTH.convert(text, None, None)


def test_a_moment_needs_its_offset() -> None:
    assert MOMENT.convert("1970-01-01T00:01Z", None, None) == 60
    with pytest.raises(click.BadParameter, match="offset"):
        MOMENT.convert("1970-01-01T00:01", None, None)
