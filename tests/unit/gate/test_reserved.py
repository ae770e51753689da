"""The pairs of a text with reservations are judged as they were, and reservations by their own criterion."""

from dataclasses import replace
from ipaddress import ip_network

import pytest

from hntes.gate import Judgement, Subject, judge
from hntes.platforms.expected import effective_of
from hntes.platforms.render import render
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.rules.qos.reserved import Reserved
from hntes.settings.model import Gate
from hntes.simulator import MemoryRuns
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, RESERVED, router
from tests.unit.gate.test_lab import lab_on

# One of a whole pair, one of a host of another, one around a third.
OVER_PAIRS = (
    Reserved("whole", ip_network("198.18.20.0/24"), ip_network("203.0.113.0/24"), 50_000_000, 100_000),
    Reserved("host", ip_network("198.18.1.9/32"), ip_network("198.51.100.9/32"), 50_000_000, 100_000),
    Reserved("around", ip_network("2001:db8:3::/48"), ip_network("2001:db8:4::/48"), 50_000_000, 100_000),
)


def model(platform: str, reserved: tuple[Reserved, ...], plan: str = "premium") -> RouterModel:
    return build_model(router(platform), PLANS[plan], PAIRS, reserved)


def subject(made: RouterModel, text: str | None = None, pairs: tuple[PrefixPair, ...] = PAIRS) -> Subject:
    return Subject(
        platform=made.platform,
        text=text or render(made),
        interfaces=made.interfaces,
        pairs=pairs,
        alpha_queue=4,
        is_redirected=False,
        port_buffer_ms=made.port_buffer_ms,
        expected=effective_of(made),
        premium_queue=made.queue_for("premium"),
    )


def judged(asked: Subject) -> Judgement:
    # Below what settings may say: the made runs carry little.
    return judge(asked, Gate(jain_index=0.5).model_copy(update={"throughput_pct": 0.0}), lab_on(MemoryRuns()))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_reservations_change_nothing_for_alpha_and_beta(platform: str) -> None:
    found, plain = (judged(subject(model(platform, reserved))) for reserved in (OVER_PAIRS, ()))
    assert plain.is_passing
    of_others = [[each for each in one.verdicts if each.criterion != "premium"] for one in (found, plain)]
    assert of_others[0] == of_others[1]


def test_each_reservation_is_asked_of_by_the_criterion_premium() -> None:
    found = judged(subject(model("junos", OVER_PAIRS)))
    measures = [each.measure for each in found.verdicts if each.criterion == "premium"]
    assert measures == ["rate_paced", "rate_unpaced", "rate_in_bursts", "delay_increase", "kept_if_unused"]
    (plan,) = found.plans
    assert [words for _, words in plan.port.reserved_words] == [
        "198.18.1.9/32 > 198.51.100.9/32",
        "198.18.20.0/24 > 203.0.113.0/24",
        "2001:db8:3::/48 > 2001:db8:4::/48",
    ]


def test_what_the_text_no_longer_has_is_asked_of_all_the_same() -> None:
    made = model("junos", OVER_PAIRS[:2])
    found = judged(subject(made, render(model("junos", ()))))
    assert found.verdicts[0].outcome == "failed"
    (plan,) = found.plans
    assert plan.port.premium is not None
    assert [(each.queue, each.policer) for each in plan.port.premium.reserved] == [("alpha", None), ("alpha", None)]


def test_a_text_of_unknown_origin_promises_what_it_says() -> None:
    made = model("junos", OVER_PAIRS)
    found = judged(replace(subject(made, render(made)), expected=None))
    (plan,) = found.plans
    assert plan.port.premium is not None
    assert {each.rate_bps for each in plan.port.premium.reserved} == {500_000_000}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_text_with_another_rate_than_was_reserved_fails(platform: str) -> None:
    made = model(platform, RESERVED)
    other = tuple(replace(each, rate_bps=each.rate_bps - 8_000) for each in RESERVED)
    found = judged(subject(made, render(model(platform, other))))
    assert found.verdicts[0].outcome == "failed"
    assert "committed_rate_bps" in found.verdicts[0].sentence


def test_a_plan_without_a_premium_queue_has_nothing_to_ask() -> None:
    found = judged(subject(model("junos", (), "two_queue")))
    assert found.is_passing
    (premium,) = (each for each in found.verdicts if each.criterion == "premium")
    assert (premium.outcome, premium.sentence) == ("reported", "the text has no reservations")
