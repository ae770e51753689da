"""Criterion 9, reach: what cannot be meant is refused, by the traffic that was measured or by the address space."""

from collections.abc import Iterable
from datetime import date
from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.gate import MeasuredTraffic, Verdict
from hntes.gate.address_space import area, taken_share
from hntes.gate.criteria import REACH
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Gate
from tests.support.qos_models import PAIRS, PLATFORMS, model

DAY = date(2026, 11, 20)
# All of IPv4 but one /6, as six pins.
NEARLY_ALL = [f"{prefix}>0.0.0.0/0" for prefix in ("0.0.0.0/1", "128.0.0.0/2", "192.0.0.0/3")]
NEARLY_ALL += [f"{prefix}>0.0.0.0/0" for prefix in ("224.0.0.0/4", "240.0.0.0/5", "248.0.0.0/6")]
# What nobody can mean, by the share of all pairs of addresses that it takes.
TOO_WIDE = {
    "all of IPv4 but one /6": NEARLY_ALL,
    "one /8 towards everywhere": ["198.0.0.0/8>0.0.0.0/0"],
    "everything": ["0.0.0.0/0>0.0.0.0/0"],
    "half towards a quarter": ["0.0.0.0/1>64.0.0.0/2"],
    "everywhere towards one /16": ["0.0.0.0/0>203.0.0.0/16"],
    "many narrower ones": [f"{first}.0.0.0/8>{second}.0.0.0/8" for first in range(1, 9) for second in range(11, 99)],
    "all of IPv6": ["::/0>::/0"],
    "all of global unicast": ["2000::/3>2000::/3"],
    "one IPv6 /16 towards everywhere": ["2001::/16>::/0"],
    "the two halves of IPv6": ["::/1>::/0", "8000::/1>::/0"],
}


def verdicts(platform: str, pairs: Iterable[str], traffic: MeasuredTraffic | None = None) -> list[Verdict]:
    made = model(platform, pairs=[PrefixPair.parse(pair) for pair in pairs])
    return list(REACH.verdicts(parse_config(made.platform, render(made), made.interfaces), traffic, Gate()))


@pytest.mark.parametrize("name", TOO_WIDE)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_nobody_can_mean_fails_by_its_address_space(platform: str, name: str) -> None:
    unknown, space = verdicts(platform, TOO_WIDE[name])
    assert (unknown.outcome, space.measure, space.outcome) == ("reported", "address_space", "failed")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_pairs_as_they_are_learned_pass(platform: str) -> None:
    for verdict in verdicts(platform, [str(pair) for pair in PAIRS]):
        assert verdict.is_passing, verdict.sentence


@pytest.mark.parametrize(
    ("taken", "learned", "outcome", "value"),
    [(95, 94, "passed", 1.0), (95, 44, "failed", 51.0), (60, 10, "passed", 50.0), (3, 9, "passed", 0.0)],
)
def test_traffic_that_is_no_alpha_flow_is_limited(taken: int, learned: int, outcome: str, value: float) -> None:
    found, _ = verdicts("junos", [str(PAIRS[0])], MeasuredTraffic(DAY, 1_000, taken * 10, learned * 10))
    assert (found.outcome, found.value, found.limit) == (outcome, value, 50.0)
    assert f"take {taken}% of the traffic of 2026-11-20" in found.sentence


def test_a_day_without_traffic_says_nothing() -> None:
    found, _ = verdicts("junos", [str(PAIRS[0])], MeasuredTraffic(DAY, 0, 0, 0))
    assert (found.outcome, found.value) == ("reported", None)


def test_a_redirected_single_queue_reaches_as_far() -> None:
    """Without an alpha queue, the redirect alone makes the difference."""
    pairs = [PrefixPair.parse(pair) for pair in NEARLY_ALL]
    for redirect, expected in (("none", 0.0), ("next_hop", 1 - 2**-6)):
        made = model("iosxe", "single_queue", redirect, pairs)
        assert taken_share(parse_config("iosxe", render(made), made.interfaces)) == pytest.approx(expected)


intervals = st.tuples(st.integers(0, 12), st.integers(1, 6)).map(lambda each: (each[0], each[0] + each[1]))


@given(st.lists(st.tuples(intervals, intervals), max_size=8))
def test_the_area_is_that_of_the_cells(pairs: list[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    cells = {
        (x, y) for (left, right), (low, high) in pairs for x in range(left, right) for y in range(low, high)
    }  # fmt: skip
    assert area((*across, *up) for across, up in pairs) == len(cells)


def test_nearly_all_is_all_but_a_sixty_fourth() -> None:
    covered = sum(ip_network(pair.partition(">")[0]).num_addresses for pair in NEARLY_ALL)
    assert covered == 2**32 - 2**26
