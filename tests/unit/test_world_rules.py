"""What worlds compare of a router's text: its rules, whatever is reserved beside them."""

import pytest

from hntes.platforms.owned_config import OwnedConfig
from hntes.platforms.registry import platform_of
from hntes.platforms.render import render
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.reserved import Reserved
from tests.support.premium_texts import PLAN, reservations
from tests.support.qos_models import PAIRS, interfaces_of, router
from tests.support.world.places import RESERVING
from tests.support.world.rules_alone import rules_alone


def rules(platform: str, pairs: tuple[PrefixPair, ...], reserved: tuple[Reserved, ...] = ()) -> OwnedConfig:
    made = router(platform, interfaces=interfaces_of(platform)[:2])
    return rules_alone(platform_of(platform).dialect.part_of(render(build_model(made, PLAN, pairs, reserved))))


@pytest.mark.parametrize("count", [0, 1, len(PAIRS)])
@pytest.mark.parametrize("platform", RESERVING)
def test_rules_are_the_same_beside_reservations(platform: str, count: int) -> None:
    assert rules(platform, PAIRS[:count], reservations()) == rules(platform, PAIRS[:count])


@pytest.mark.parametrize("platform", RESERVING)
def test_other_pairs_are_other_rules(platform: str) -> None:
    found = [rules(platform, pairs, reservations()) for pairs in ((), PAIRS[:1], PAIRS[1:2], PAIRS)]
    assert all(one != other for one in found for other in found if one is not other)
