"""Statements of the vendors' languages, composed at random: each is refused in a candidate, with its line.

One that the grammar knows is read as what it says instead, so that the text no longer says what the model does.
"""

from itertools import cycle
from random import Random

import pytest

from hntes.platforms.compare import differences
from hntes.platforms.expected import effective_of
from hntes.platforms.parse import ParseError, parse_config
from hntes.platforms.render import render
from tests.contract.platform.models import supports, taking
from tests.support.qos_models import PLATFORMS, model
from tests.support.vendor_statements import ROWS, Statement, drawn, statements

# What candidates say besides, where a platform takes it: nothing, marks, colours, reservations.
PLANS = ("two_queue", "two_queue_ecn", "three_color_marker", "premium")
COUNT = 300
LONG_COUNT = 5_000


def unrefused(platform: str, chosen: list[Statement]) -> list[str]:
    """What of these statements is neither refused with its line nor read as another model."""
    candidates = [
        (made, render(made)) for made in (model(platform, plan) for plan in PLANS if supports(platform, plan))
    ]
    left = []
    for (made, candidate), statement in zip(cycle(candidates), chosen, strict=False):
        text, line = statement.put_into(candidate)
        try:
            if not differences(parse_config(made.platform, text, made.interfaces), effective_of(made)):
                left.append(f"{statement.text}: passed")
        except ParseError as refusal:
            # Where two values contradict each other, the refusal names both lines; of two alike, the later.
            lines = {line, *_alike(text, line)}
            if not any(f"line {each}" in str(refusal) for each in lines):
                left.append(f"{statement.text}: stands in line {line}, but: {refusal}")
    return left


def _alike(text: str, line: int) -> list[int]:
    """Later lines that say the same as this one."""
    said = [each.strip() for each in text.splitlines()]
    return [number for number, each in enumerate(said, 1) if number > line and each == said[line - 1]]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_three_hundred_statements_are_refused(platform: str) -> None:
    assert unrefused(platform, statements(platform, COUNT, seed=1)) == []


@pytest.mark.parametrize("platform", PLATFORMS)
def test_statements_of_the_vendors_own_models_are_refused(platform: str) -> None:
    chosen = drawn(platform)
    assert len(chosen) >= COUNT
    assert unrefused(platform, chosen) == []


@pytest.mark.parametrize("platform", sorted(set(taking("three_color_marker")) & set(ROWS)))
def test_marks_that_the_model_does_not_have_are_read(platform: str) -> None:
    made = model(platform, "three_color_marker")
    text, _ = Statement("  random-detect ecn", " class hntes-queue-alpha").put_into(render(made))
    found = differences(parse_config(made.platform, text, made.interfaces), effective_of(made))
    assert {each.partition("]")[2] for each in found} == {".queues[0].ecn: True, expected False"}


@pytest.mark.long
@pytest.mark.parametrize("platform", PLATFORMS)
def test_thousands_of_statements_are_refused(platform: str, chance: Random) -> None:
    seed = chance.randrange(2**32)
    print(f"seed {seed}")
    assert unrefused(platform, statements(platform, LONG_COUNT, seed)) == []
