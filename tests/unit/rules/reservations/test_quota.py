"""Quotas for a rate over a whole interval, compared with a definition evaluated every second."""

import random

from hntes.rules.reservations.quota import Quota, covering
from hntes.rules.reservations.reservation import Port

P1, P2 = Port("r1", "et-0"), Port("r2", "et-0")


def quota(number: int, rate_bps: int, start_s: int, end_s: int, port: Port = P1) -> Quota:
    return Quota(number, port, rate_bps, start_s, end_s)


def numbers(*quotas: Quota, bps: int = 10, start_s: int = 0, end_s: int = 10) -> list[int] | None:
    found = covering(quotas, P1, bps, start_s, end_s)
    return None if found is None else [each.number for each in found]


def test_one_that_allows_the_rate_all_the_time() -> None:
    assert numbers(quota(1, 10, 0, 10)) == [1]
    assert numbers(quota(1, 9, 0, 10)) is None
    assert numbers(quota(1, 10, 0, 9)) is None
    assert numbers(quota(1, 10, 1, 10)) is None
    assert numbers(quota(1, 10, 0, 10, P2)) is None


def test_one_after_the_other_but_not_added_up() -> None:
    assert numbers(quota(1, 10, 0, 5), quota(2, 12, 5, 10)) == [1, 2]
    assert numbers(quota(1, 10, 0, 5), quota(2, 12, 6, 10)) is None
    assert numbers(quota(1, 5, 0, 10), quota(2, 5, 0, 10)) is None


def test_as_when_each_second_is_asked() -> None:
    chance = random.Random(7)
    found = []
    for _ in range(500):
        quotas = [
            quota(number, chance.randint(1, 20), start_s, start_s + chance.randint(1, 8))
            for number in range(chance.randint(0, 5))
            for start_s in [chance.randint(0, 10)]
        ]
        start_s = chance.randint(0, 8)
        end_s, bps = start_s + chance.randint(1, 6), chance.randint(0, 20)
        wanted = all(
            any(each.rate_bps >= bps and each.start_s <= second < each.end_s for each in quotas)
            for second in range(start_s, end_s)
        )
        chain = covering(quotas, P1, bps, start_s, end_s)
        assert (chain is not None) == wanted
        found.append(wanted)
    assert 50 < sum(found) < 450
