"""Claims of docs/reference/rendering-findings.md that no other test covers."""

import re

import pytest

from hntes.platforms.render import render
from hntes.rules.qos.build import build_model
from hntes.settings.plans import TwoQueue
from tests.contract.platform.models import all_plans
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, model, own_values, router


def test_junos_an_lsp_serves_its_routes_and_redirected_classes_alone() -> None:
    text = render(model("junos", redirect="lsp"))
    policy = text[text.index("policy-statement hntes-alpha-lsp") :]
    assert policy.count("then cos-next-hop-map hntes-alpha;") == policy.count("from {") == 2
    assert re.findall(r"forwarding-class (\S+) \{\n +lsp-next-hop to-ER;", text) == ["alpha"]
    assert re.search(r"forwarding-class-default \{\n +non-lsp-next-hop;", text)


def test_junos_a_fallback_is_a_worse_next_hop_of_each_family() -> None:
    text = render(own_values("junos"))
    for address in ("192.0.2.2", "2001:db8:ffff::2"):
        assert re.search(rf"qualified-next-hop {address} \{{\n +preference 200;", text)


@pytest.mark.parametrize("plan", PLANS)
def test_junos_terms_leave_the_loss_priority_to_policer_and_classifier(plan: str) -> None:
    for then in re.findall(r"then \{\n(.*?)\}", render(model("junos", plan)).split("class-of-service")[0], re.DOTALL):
        assert "count " not in then or "loss-priority" not in then


def test_iosxr_says_what_depends_on_hardware_and_release() -> None:
    text = render(model("iosxr", redirect="lsp"))
    assert "matches an IPv6 access list depends on release and line card" in text
    assert "may take it out of force for a moment, and resets counters" in text
    assert "forward-class 1 takes tunnel-te5 out of the default class: other traffic needs another tunnel" in text


def test_junos_other_words_than_two_that_rank_alike_can_be_set() -> None:
    plan = TwoQueue(kind="two_queue", alpha_priority="high", beta_priority="low")
    text = render(build_model(router("junos"), plan, PAIRS))
    assert "medium" not in text


def test_iosxe_the_buffer_of_the_settings_bounds_a_queue() -> None:
    limits = [int(each) for each in re.findall(r"queue-limit (\d+) packets", render(own_values("iosxe")))]
    longest = [int(each) for each in re.findall(r"queue-limit (\d+) packets", render(model("iosxe")))]
    assert max(limits) * 1_500 <= 10_000_000_000 * 0.02 / 8
    assert max(longest) == 45_833


@pytest.mark.parametrize("platform", PLATFORMS)
def test_no_text_changes_a_packets_code_point(platform: str) -> None:
    marking = r"set (ip )?dscp|rewrite-rules|set mpls|then dscp|set precedence|remark|qos rewrite|set (cos|exp)|dscp \d"
    for _, made in all_plans(platform):
        assert not re.search(marking, render(made))
