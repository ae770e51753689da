"""Instants of whole seconds: an offset is needed, nothing is guessed."""

import pytest

from hntes.timestamps import TimestampError, parse_timestamp


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-11-24T10:00Z", 1_795_514_400),
        ("2026-11-24T11:30:05+01:30", 1_795_514_405),
        ("2026-11-24 10:00:00+00:00", 1_795_514_400),
    ],
)
def test_instants(text: str, second: int) -> None:
    assert parse_timestamp(text) == second


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-11-24T10:00", "with UTC offset"),
        ("tomorrow", "is not a timestamp"),
        ("", "is not a timestamp"),
        ("2026-02-30T00:00Z", "is not a timestamp"),
        ("2026-11-24T10:00:00.5Z", "whole seconds"),
        ("1969-12-31T23:59:59Z", "before 1970"),
    ],
)
def test_what_is_none(text: str, said: str) -> None:
    with pytest.raises(TimestampError, match=said):
        parse_timestamp(text)
