"""The sentence of effect on ten constructed changes, each figure worked out beside it by hand."""

from datetime import date, timedelta

import pytest

from hntes.platforms.render import render
from hntes.platforms.text_pairs import queued_pairs
from hntes.rules.backtest.effect import effect
from hntes.rules.backtest.effect_words import Effect, Seen, effect_sentence, share_text
from hntes.rules.backtest.observed import HostBeta, Observed
from hntes.rules.backtest.traffic import traffic_of
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.reserved import Reserved
from hntes.settings.plans import Plan
from hntes.sql.observations import HostFlows, SeenFlow
from tests.contract.platform.models import supports
from tests.support.qos_models import PLANS, PLATFORMS, PREMIUM_PLANS, RESERVED, router

LAST = date(2026, 3, 30)
GB = 10**9
# Six flows, 100 GB: A1 40 (two days of 20), A2 20, B 25, C 10, and one of IPv6, 5.
FLOWS = (
    ("A1", 0, "198.18.10.7", "203.0.113.9", 20),
    ("A1", 5, "198.18.10.7", "203.0.113.9", 20),
    ("A2", 3, "198.18.10.8", "203.0.113.9", 20),
    ("B", 9, "198.18.20.1", "203.0.113.9", 25),
    ("C", 20, "198.18.30.1", "192.0.2.5", 10),
    ("6", 0, "2001:db8:1::5", "2001:db8:2::9", 5),
)
A, B, C = "198.18.10.0/24>203.0.113.0/24", "198.18.20.0/24>203.0.113.0/24", "198.18.30.0/24>192.0.2.0/24"
SIX = "2001:db8:1::/64>2001:db8:2::/64"
A1 = "198.18.10.7/32>203.0.113.9/32"
# Beta of the last day: 2 GB beside A's hosts, 0.5 GB beside B's.
BETA = (HostBeta(LAST, "198.18.10.200", "203.0.113.80", 2 * GB), HostBeta(LAST, "198.18.20.9", "203.0.113.9", GB // 2))


def pairs(*texts: str) -> frozenset[PrefixPair]:
    return frozenset(PrefixPair.parse(text) for text in texts)


def seen_flows() -> list[SeenFlow]:
    return [
        SeenFlow(
            LAST - timedelta(days=back), name, source, destination, size * GB, size * GB, size * GB, 0, False, False
        )
        for name, back, source, destination, size in FLOWS
    ]


def effect_of(
    before: frozenset[PrefixPair] | None, after: frozenset[PrefixPair], flows: list[SeenFlow] | None = None
) -> Effect:
    seen = Observed.of(seen_flows() if flows is None else flows, BETA, [LAST])
    traffic = seen.traffic(LAST - timedelta(days=29), LAST)
    return effect(traffic, before, after, Seen(30, beta_day=LAST))


def test_forged_bytes_that_64_bits_do_not_hold_are_added_up() -> None:
    ends = [("198.18.10.7", "203.0.113.9"), ("198.18.20.1", "203.0.113.9")]
    traffic = traffic_of([HostFlows(*hosts, 2, 2**64) for hosts in ends])
    of_days = Observed.of([flow._replace(flow_bytes=2**63 - 1) for flow in seen_flows()]).traffic(date.min, LAST)
    for each in (traffic, of_days):
        found = effect(each, None, pairs(A, B), Seen(1))
        assert 2**61 < found.queued_bytes_after <= found.alpha_bytes < 2**63


START = "of 100 GB of alpha traffic in the last 30 days "
BETA_DAY = f"of the beta traffic of {LAST} is dragged along"
CASES = {
    # A carried 60 of 100 GB in two flows; B adds 25 in one
    "new pair": (
        pairs(A), pairs(A, B),
        ("the approved rules would have queued 60 GB (60%), these 85 GB (85%); no flow loses its queue, 1 gains it; "
        f"2.5 GB {BETA_DAY}, 2 GB before"),
    ),
    "aged pair": (
        pairs(A, C), pairs(A),
        f"the approved rules would have queued 70 GB (70%), these 60 GB (60%); 1 flow loses its queue; 2 GB {BETA_DAY}",
    ),
    "exclusion of a busy pair": (
        pairs(A, B, C, SIX), pairs(B, C, SIX),
        ("the approved rules would have queued 100 GB (100%), these 40 GB (40%); 2 flows lose their queue; "
        f"0.5 GB {BETA_DAY}, 2.5 GB before"),
    ),
    # of four pairs the budget of two keeps the largest: A and B, 85 GB; C and IPv6 lose their one flow each
    "budget overflow": (
        pairs(A, B, C, SIX), pairs(A, B),
        ("the approved rules would have queued 100 GB (100%), these 85 GB (85%); 2 flows lose their queue; "
        f"2.5 GB {BETA_DAY}"),
    ),
    "prefix length change": (
        pairs(A), pairs(A1),
        ("the approved rules would have queued 60 GB (60%), these 40 GB (40%); 1 flow loses its queue; "
        f"0 GB {BETA_DAY}, 2 GB before"),
    ),
    # 198.18.10.0/24 and 198.18.20.0/24 both lie in the pin, and 198.18.30.1 sends elsewhere
    "pin wider": (
        pairs(A), pairs(A, "198.18.0.0/16>203.0.113.0/24"),
        ("the approved rules would have queued 60 GB (60%), these 85 GB (85%); no flow loses its queue, 1 gains it; "
        f"2.5 GB {BETA_DAY}, 2 GB before"),
    ),
    "pin narrower": (
        pairs(B), pairs(B, A1),
        ("the approved rules would have queued 25 GB (25%), these 65 GB (65%); no flow loses its queue, 1 gains it; "
        f"0.5 GB {BETA_DAY}"),
    ),
    "nothing changes": (
        pairs(A, B), pairs(A, B),
        ("the approved rules would have queued 85 GB (85%), these as much; no flow loses its queue; "
        f"2.5 GB {BETA_DAY}"),
    ),
    "first configuration": (
        None, pairs(A),
        f"these rules would have queued 60 GB (60%), and none are approved yet; 2 GB {BETA_DAY}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_sentence_says_what_was_worked_out_by_hand(case: str) -> None:
    before, after, wanted = CASES[case]
    assert effect_sentence(effect_of(before, after)) == START + wanted


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_change_of_plan_is_read_from_the_text_that_is_rendered(platform: str) -> None:
    """One queue for all: the same pairs, and not a byte in an alpha queue."""
    before, after = (_text_pairs(platform, PLANS[name]) for name in ("two_queue", "single_queue"))
    assert before == pairs(A, B, SIX)
    assert effect_sentence(effect_of(before, after)) == (
        f"{START}the approved rules would have queued 90 GB (90%), these 0 GB (0%); 4 flows lose their queue; "
        f"0 GB {BETA_DAY}, 2.5 GB before"
    )


def test_a_flow_under_two_pairs_counts_once_in_bytes_flows_and_beta() -> None:
    found = effect_of(pairs(A), pairs(A, A1, "198.18.0.0/16>203.0.113.0/24"))
    assert (found.queued_bytes_after, found.flows_gained, found.beta_bytes_after) == (85 * GB, 1, 5 * GB // 2)


def test_days_without_complete_data_are_named_and_no_traffic_is_said_to_be_none() -> None:
    seen = Observed.of([], [], [])
    found = effect(seen.traffic(LAST, LAST), pairs(A), pairs(A), Seen(30, incomplete_days=4))
    assert effect_sentence(found) == "no alpha traffic in the last 30 days (4 without complete data)"


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 9, "0%"), (9, 9, "100%"), (1, 10**6, "0.1%"), (10**6 - 1, 10**6, "99.9%"), (941, 1000, "94.1%"), (0, 0, "0%")],
)
def test_nothing_and_all_are_said_of_nothing_and_all_alone(part: int, whole: int, text: str) -> None:
    assert share_text(part, whole) == text


def _text_pairs(platform: str, plan: Plan) -> frozenset[PrefixPair]:
    wanted = sorted(pairs(A, B, SIX), key=lambda pair: pair.sort_key)
    model = build_model(router(platform), plan, wanted)
    return queued_pairs(model, render(model))


@pytest.mark.parametrize(
    ("platform", "plan"), [(name, plan) for name in PLATFORMS for plan in PREMIUM_PLANS if supports(name, plan)]
)
def test_reservations_are_no_pairs_and_take_none_away(platform: str, plan: str) -> None:
    """One reservation is of a pair's own prefixes: while it is there, the pair is still one of the alpha queue."""
    wanted = sorted(pairs(A, B, SIX), key=lambda pair: pair.sort_key)
    same = Reserved("reservation-7", wanted[0].source, wanted[0].destination, 50_000_000, 250_000)
    model = build_model(router(platform), PLANS[plan], wanted, (RESERVED[0], RESERVED[2], same))
    assert queued_pairs(model, render(model)) == pairs(A, B, SIX)
