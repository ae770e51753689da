"""Random months whose rules overflow the budget, in one pass and evening by evening with the nights' own decisions."""

from datetime import date, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from hntes.rules.backtest.filters import Reading, daily_filters
from hntes.rules.backtest.queued import queued
from hntes.rules.lifetime.evenings import Policy
from hntes.rules.lifetime.history import PrefixLengths
from hntes.sql.entries import ExclusionEntry, PinEntry
from tests.support.backtest_oracle import ROUTER, Flow, World, filters, is_held
from tests.support.examples import examples

FIRST = date(2026, 1, 1)
DAYS = 30
WIDE = PrefixLengths((24, 24), (64, 64))


def month(draw: Random) -> World:
    """Some 250 flows between hosts of 40 pairs, half of which return; sizes that tie; doubtful flows and days."""
    flows = []
    for number in range(DAYS):
        for _ in range(draw.randint(0, 16)):
            side = draw.randint(0, 9) if draw.random() < 0.5 else draw.randint(0, 39)
            host = f"10.0.{side}.{draw.randint(1, 2)}"
            kind = "weak" if side >= 32 else draw.choice(["firm", "firm", "firm", "weak", "implausible"])
            size = draw.choice((1, 2, 2, 4, 4, 8, draw.randint(1, 99)))
            flows.append(Flow(_on(number), host, "10.9.0.1", size, kind == "weak", kind == "implausible"))
    believed = {each.source for each in flows if not each.is_implausible}
    kept = tuple(each for each in flows if each.source in believed)
    complete = frozenset(_on(number) for number in range(DAYS) if draw.random() < 0.85)
    return World(kept, complete, tuple(_pins(draw)), tuple(_exclusions(draw)))


def _on(number: int) -> date:
    return FIRST + timedelta(days=number)


def _pins(draw: Random) -> list[PinEntry]:
    found = {draw.randint(0, 45): draw.randint(0, DAYS - 1) for _ in range(draw.randint(0, 12))}
    return [
        PinEntry(ROUTER, f"10.0.{side}.0/24", "10.9.0.0/24", "anna", "copy", _on(begin), None, None)
        for side, begin in found.items()
    ]


def _exclusions(draw: Random) -> list[ExclusionEntry]:
    begin = draw.randint(0, DAYS - 1)
    prefix = f"10.0.{8 * draw.randint(0, 4)}.0/21"
    return [ExclusionEntry("*", "source", prefix, "ben", "lab", _on(begin), _on(begin + draw.randint(0, 9)))][
        : draw.randint(0, 1)
    ]


@examples(0.3)
@given(
    st.integers(0, 2**32), st.integers(2, 12), st.integers(1, 14),
    st.sampled_from(["second_sighting", "accept", "ignore"]), st.sampled_from(["approved", "never_approved"]),
)  # fmt: skip
def test_random_months_have_the_filters_of_every_evening(
    seed: int, ageing_days: int, term_budget: int, weak_evidence: str, reading: Reading
) -> None:
    world = month(Random(seed))
    policy = Policy(WIDE, ageing_days, weak_evidence, term_budget)
    days = [_on(number) for number in range(DAYS)]
    found = daily_filters(world.inputs(policy.lengths), policy, days[0], days[-1], reading)
    wanted = filters(world, policy, days, every_one_approved=reading == "approved", begins=FIRST)
    assert found.used.tolist() == [len(wanted[day]) for day in days]
    got = queued(world.traffic(), found.pairs, found.spans)
    assert got.alpha.tolist() == [
        is_held(each.source, each.destination, wanted[each.day]) for each in world.flows if not each.is_implausible
    ]
