"""Statements of the vendors' languages, composed at random: each is refused in a candidate, with its line."""

from random import Random

import pytest

from rules.readback import ReadBackError, read_back
from rules.render.text import render
from tests.support.qos_models import PLATFORMS, model
from tests.support.vendor_statements import Statement, drawn, statements

COUNT = 300
LONG_COUNT = 5_000


def unrefused(platform: str, chosen: list[Statement]) -> list[str]:
    """What of these statements is not refused with its line."""
    made = model(platform)
    candidate = render(made)
    left = []
    for statement in chosen:
        text, line = statement.put_into(candidate)
        try:
            read_back(made.platform, text, made.interfaces)
            left.append(f"{statement.text}: passed")
        except ReadBackError as refusal:
            # Where two values contradict each other, the refusal names both lines.
            if f"line {line}" not in str(refusal):
                left.append(f"{statement.text}: stands in line {line}, but: {refusal}")
    return left


@pytest.mark.parametrize("platform", PLATFORMS)
def test_three_hundred_statements_are_refused(platform: str) -> None:
    assert unrefused(platform, statements(platform, COUNT, seed=1)) == []


@pytest.mark.parametrize("platform", PLATFORMS)
def test_statements_of_the_vendors_own_models_are_refused(platform: str) -> None:
    chosen = drawn(platform)
    assert len(chosen) >= COUNT
    assert unrefused(platform, chosen) == []


@pytest.mark.long
@pytest.mark.parametrize("platform", PLATFORMS)
def test_thousands_of_statements_are_refused(platform: str, chance: Random) -> None:
    seed = chance.randrange(2**32)
    print(f"seed {seed}")
    assert unrefused(platform, statements(platform, LONG_COUNT, seed)) == []
