"""From settings, plan and pairs to the model."""

import re

import pytest

from hntes.platforms.validate import problems
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model, term_name
from hntes.rules.qos.model import DropBinding, RouterModel
from hntes.settings.plans import Plan, ThreeColorMarker, TwoQueue
from tests.contract.platform.models import redirects_of, supports
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, REDIRECTS, many_pairs, model, router


@pytest.mark.parametrize("redirect", sorted(REDIRECTS))
@pytest.mark.parametrize("plan", sorted(PLANS))
@pytest.mark.parametrize("platform", PLATFORMS)
def test_all_plans_and_redirects_give_a_valid_model_or_are_known_to_be_refused(
    platform: str, plan: str, redirect: str
) -> None:
    is_taken = supports(platform, plan, redirect) and redirect in redirects_of(platform)
    assert (problems(model(platform, plan, redirect)) == []) == is_taken


@pytest.mark.parametrize("plan", sorted(PLANS))
def test_each_class_has_a_scheduler_and_network_control_is_one_of_them(plan: str) -> None:
    built = model(plan=plan)
    classes = {each.name for each in built.forwarding_classes}
    assert {each.forwarding_class for each in built.schedulers} == classes
    assert "network-control" in classes
    assert built.queue_of("beta") == 0
    assert built.queue_of("network-control") == 3


def test_single_queue_puts_alpha_traffic_into_the_beta_class() -> None:
    built = model(plan="single_queue")
    assert {term.forwarding_class for each in built.filters for term in each.terms} == {"beta"}
    assert [each.name for each in built.forwarding_classes] == ["beta", "network-control"]


def test_two_queue_has_no_policer() -> None:
    built = model(plan="two_queue")
    assert (built.policers, built.three_color_policers, built.drop_profiles) == ((), (), ())


def test_scavenger_policer_sends_the_excess_to_the_scavenger_class() -> None:
    built = model(plan="scavenger_policer")
    (policer,) = built.policers
    assert (policer.rate_bps, policer.burst_bytes) == (1_000_000_000, 31_000)
    assert (policer.out_forwarding_class, policer.out_loss_priority, policer.out_discard) == ("scavenger", None, False)
    assert all(term.policer == policer.name for each in built.filters for term in each.terms)


def test_wred_policer_drops_out_of_profile_packets_by_occupancy() -> None:
    built = model(plan="wred_policer")
    assert built.policers[0].out_loss_priority == "high"
    (profile,) = built.drop_profiles
    assert [(point.fill_pct, point.drop_pct) for point in profile.points] == [(0, 0), (100, 100)]
    assert built.scheduler_of("alpha").drops == (DropBinding("high", profile.name),)
    assert built.scheduler_of("beta").drops == ()


def test_a_marking_plan_marks_in_the_alpha_queue_alone_from_the_level_that_it_names() -> None:
    built = build_model(router("junos"), TwoQueue(kind="two_queue", alpha_ecn=True, alpha_ecn_from_pct=70), PAIRS)
    (profile,) = built.drop_profiles
    assert [(point.fill_pct, point.drop_pct) for point in profile.points] == [(0, 0), (70, 0), (100, 100)]
    assert {each.name: (each.ecn, each.drops) for each in built.schedulers} == {
        "hntes-alpha": (True, (DropBinding("low", profile.name),)),
        "hntes-beta": (False, ()),
        "hntes-network-control": (False, ()),
    }


@pytest.mark.parametrize(("marker", "peak"), [("single_rate", None), ("two_rate", 2_000_000_000)])
def test_three_color_marker_binds_yellow_and_red(marker: str, peak: int | None) -> None:
    built = _three_color(ThreeColorMarker.model_validate({"kind": "three_color_marker", "marker": marker}))
    assert built.three_color_policers[0].peak_rate_bps == peak
    assert [drop.loss_priority for drop in built.scheduler_of("alpha").drops] == ["medium-high", "high"]
    assert built.three_color_policers[0].discard_red is False


def test_three_color_marker_can_discard_red() -> None:
    plan = ThreeColorMarker(kind="three_color_marker", red_action="discard")
    assert _three_color(plan).three_color_policers[0].discard_red is True


def _three_color(plan: Plan) -> RouterModel:
    return build_model(router("junos"), plan, PAIRS)


def test_terms_are_sorted_most_specific_first_whatever_the_input_order() -> None:
    assert model(pairs=PAIRS) == model(pairs=reversed(PAIRS))
    lengths = [term.source.prefixlen + term.destination.prefixlen for term in model().filter_of(4).terms]
    assert lengths == sorted(lengths, reverse=True)


def test_term_names_follow_from_the_pair_alone() -> None:
    names = [term_name(pair) for pair in many_pairs()]
    assert len(set(names)) == 2000
    assert all(re.fullmatch(r"alpha-[0-9a-f]{12}", name) for name in names)
    assert term_name(PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")) == "alpha-67f57fd0b6e2"


def test_unknown_names_are_key_errors() -> None:
    built = model()
    for look_up in (built.queue_of, built.scheduler_of):
        with pytest.raises(KeyError, match="gold"):
            look_up("gold")
    with pytest.raises(KeyError):
        built.filter_of(5)
