"""Statements of the vendors' languages, composed at random: each is refused in a candidate, with its line."""

from random import Random

import pytest

from rules.readback import ReadBackError, read_back
from rules.render.text import render
from tests.support.qos_models import PLATFORMS, model
from tests.support.vendor_statements import statements

COUNT = 300
LONG_COUNT = 5_000


def unrefused(platform: str, count: int, seed: int) -> list[str]:
    """What is not refused with its line, of that many statements."""
    print(f"seed {seed}")
    made = model(platform)
    candidate = render(made)
    left = []
    for statement in statements(platform, count, seed):
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
    assert unrefused(platform, COUNT, seed=1) == []


@pytest.mark.long
@pytest.mark.parametrize("platform", PLATFORMS)
def test_thousands_of_statements_are_refused(platform: str, chance: Random) -> None:
    assert unrefused(platform, LONG_COUNT, seed=chance.randrange(2**32)) == []
