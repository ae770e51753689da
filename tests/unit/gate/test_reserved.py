"""A text with reservations is never passed in silence, and its pairs are judged as they were."""

from dataclasses import replace
from ipaddress import ip_network

import pytest

from gate import Judgement, Subject, judge
from rules.pairs import PrefixPair
from rules.qos.build import build_model
from rules.qos.model import RouterModel
from rules.qos.reserved import Reserved
from rules.readback.expected import effective_of
from rules.render.text import render
from settings.model import Gate
from simulator import MemoryRuns
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
def test_reservations_are_not_judged_and_alpha_and_beta_are(platform: str) -> None:
    found = judged(subject(model(platform, OVER_PAIRS)))
    (structure,) = (each for each in found.verdicts if each.criterion == "structure")
    assert structure.outcome == "not_judged"
    assert "Not judged: packets of reservations (" in structure.sentence
    assert "198.18.20.0/24 > 203.0.113.0/24" in structure.sentence
    assert not found.is_passing
    plain = judged(subject(model(platform, ())))
    assert plain.is_passing
    assert [each for each in found.verdicts if each is not structure] == list(plain.verdicts[1:])


def test_with_excess_to_best_effort_they_are_found_by_what_conforms() -> None:
    found = judged(subject(model("iosxe", RESERVED, "premium_best_effort")))
    assert found.verdicts[0].outcome == "not_judged"
    assert "198.18.30.7/32 > 203.0.113.9/32; 198.18.30.0/24 > 203.0.113.0/24" in found.verdicts[0].sentence


def test_more_than_three_are_counted() -> None:
    less = [replace(each, rate_bps=each.rate_bps // 2) for each in RESERVED]
    found = judged(subject(model("junos", (*OVER_PAIRS, *less))))
    assert "; and 3 more)" in found.verdicts[0].sentence


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_text_with_another_rate_than_was_reserved_fails(platform: str) -> None:
    made = model(platform, RESERVED)
    other = tuple(replace(each, rate_bps=each.rate_bps - 8_000) for each in RESERVED)
    found = judged(subject(made, render(model(platform, other))))
    assert found.verdicts[0].outcome == "failed"
    assert "committed_rate_bps" in found.verdicts[0].sentence


def test_a_plan_without_a_premium_queue_says_nothing_of_it() -> None:
    found = judged(subject(model("junos", (), "two_queue")))
    assert found.is_passing
    assert "reservation" not in found.verdicts[0].sentence
