"""Rendered text: refused when a key is missing, and saying what the plan says on each platform."""

import re

import pytest

from hntes.platforms.render import render
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.settings.plans import ThreeColorMarker, TwoQueue
from tests.contract.platform.models import redirects_of, taking
from tests.support.config_text import cisco_list, junos_filter, lines_of
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, PORTS, REDIRECTS, model, router


@pytest.mark.parametrize("plan", sorted(PLANS))
@pytest.mark.parametrize("redirect", sorted(REDIRECTS))
def test_junos_braces_balance_and_names_are_defined(plan: str, redirect: str) -> None:
    text = render(model("junos", plan, redirect))
    depth = 0
    for line in text.splitlines():
        if not line.startswith("##"):
            depth += line.count("{") - line.count("}")
            assert depth >= 0
    assert depth == 0
    for used, defined in (
        (r"^\s+policer (\S+);", r"replace: policer (\S+) \{"),
        (r"three-color-policer \{ \S+ (\S+); \}", r"replace: three-color-policer (\S+) \{"),
        (r"^\s+forwarding-class (\S+);", r"class (\S+) queue-num"),
        (r"forwarding-class (\S+) scheduler", r"class (\S+) queue-num"),
        (r"forwarding-class \S+ scheduler (\S+);", r"replace: (\S+) \{\n\s+transmit-rate"),
        (r"drop-profile (\S+);", r"replace: (\S+) \{\n\s+interpolate"),
        (r"^\s+input (\S+);", r"replace: filter (\S+) \{"),
        (r"routing-instance (\S+);", r"replace: (\S+) \{\n\s+instance-type forwarding;"),
        (r"cos-next-hop-map (\S+);", r"replace: next-hop-map (\S+) \{"),
    ):
        assert set(re.findall(used, text, re.MULTILINE)) <= set(re.findall(defined, text))


@pytest.mark.parametrize("redirect", sorted(REDIRECTS))
@pytest.mark.parametrize("plan", sorted(PLANS))
@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_cisco_names_are_defined_before_use(platform: str, plan: str, redirect: str) -> None:
    text = render(model(platform, plan, redirect))
    for used, defined in (
        (r"^ class (?:type traffic )?(\S+)$", r"^class-map (?:type traffic )?match-any (\S+)$"),
        (r"service-policy (?:type pbr )?(?:in|out)put (\S+)$", r"^policy-map (?:type pbr )?(\S+)$"),
        (
            r"access-group (?:name|ipv4|ipv6)? ?(\S+)(?: ingress)?$",
            r"^(?:ip|ipv4|ipv6) access-list (?:extended )?(\S+)$",
        ),
        (r"match ip(?:v6)? address (\S+)$", r"^(?:ip|ipv6) access-list (?:extended )?(\S+)$"),
        (r"policy route-map (\S+)$", r"^route-map (\S+) permit"),
    ):
        for found in re.finditer(used, text, re.MULTILINE):
            known = set(re.findall(defined, text[: found.start()], re.MULTILINE)) | {"class-default"}
            assert found[1] in known, (used, found[1])


def test_iosxr_lists_for_classes_have_no_final_permit_and_lists_for_forwarding_have() -> None:
    text = render(model("iosxr", redirect="next_hop"))
    for version, hop in ((4, "nexthop1 ipv4 192.0.2.1"), (6, "nexthop1 ipv6 2001:db8:ffff::1")):
        class_lines = cisco_list(text, "iosxr", version)
        forwarding = cisco_list(text, "iosxr", version, "-abf")
        assert all(line.rest == "" and line.source.prefixlen > 0 for line in class_lines)
        *pairs, final = forwarding
        assert {line.rest for line in pairs} == {hop}
        assert [(line.label, line.source) for line in pairs] == [(line.label, line.source) for line in class_lines]
        assert (final.source.prefixlen, final.destination.prefixlen, final.rest) == (0, 0, "")
        assert f" ipv{version} access-group hntes-alpha-v{version}-abf ingress\n" in text
        assert f" match access-group ipv{version} hntes-alpha-v{version}\n" in text


def test_junos_terms_end_with_one_terminating_action() -> None:
    for redirect, last in (("none", "accept;"), ("lsp", "accept;"), ("next_hop", "routing-instance hntes-alpha;")):
        for line in junos_filter(render(model("junos", redirect=redirect)), 4):
            assert line.rest.endswith(last)
            assert ("accept;" in line.rest) != ("routing-instance" in line.rest)


def test_junos_single_queue_by_lsp_keeps_other_traffic_off_the_lsp() -> None:
    text = render(model("junos", "single_queue", "lsp"))
    assert "class alpha-lsp queue-num 0;" in text
    assert "forwarding-class alpha-lsp scheduler hntes-beta;" in text
    beta = re.search(r"forwarding-class beta \{\s+(\S+)", text)
    assert beta is not None
    assert beta[1] == "non-lsp-next-hop;"


def test_junos_scavenger_packets_stay_on_the_lsp() -> None:
    text = render(model("junos", "scavenger_policer", "lsp"))
    assert len(re.findall(r"lsp-next-hop to-ER;", text)) == 2


@pytest.mark.parametrize("platform", PLATFORMS)
def test_without_pairs_nothing_is_classified_and_the_queues_stay(platform: str) -> None:
    for redirect in redirects_of(platform):
        text = render(model(platform, redirect=redirect, pairs=[]))
        assert "input hntes-alpha-v4;" not in text
        assert "access-group" not in text
        if platform == "junos":
            assert text.count("term default") == 2
            assert "inet6 {\n                filter" not in text
        else:
            assert "hntes-alpha-v4" not in text
            assert lines_of(text, platform, 4) == lines_of(text, platform, 6) == []
        if platform in ("iosxr", "iosxe"):
            assert " class class-default\n  set qos-group 0\n" in text
        assert PORTS[platform][1] in text


def test_a_family_without_pairs_is_not_switched_on() -> None:
    text = render(model("junos", pairs=[PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")]))
    assert "input hntes-alpha-v4;" in text
    assert "input hntes-alpha-v6;" not in text
    assert "replace: filter hntes-alpha-v6 {" in text


@pytest.mark.parametrize(
    ("platform", "lines"),
    [
        ("iosxr", ["  priority level 1\n  police rate percent 30\n  !\n"]),
        ("iosxe", ["  priority percent 30\n"]),
        ("junos", ["            priority strict-high;\n"]),
        ("sros", ["                    level 8\n", "                    cir-level 8\n"]),
    ],
)
def test_strict_high(platform: str, lines: list[str]) -> None:
    plan = TwoQueue(kind="two_queue", alpha_priority="strict-high")
    text = render(build_model(router(platform), plan, PAIRS))
    assert all(line in text for line in lines)
    assert "bandwidth percent 30" not in text


def test_iosxe_never_has_priority_and_bandwidth_or_early_drops_in_one_class() -> None:
    for plan in [*PLANS.values(), TwoQueue(kind="two_queue", alpha_priority="strict-high")]:
        text = render(build_model(router("iosxe"), plan, PAIRS))
        for body in re.split(r"^ class |^!", text, flags=re.MULTILINE):
            if "  priority" in body:
                assert "bandwidth" not in body
                assert "random-detect" not in body
        assert "remaining" not in text


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_cisco_says_what_it_cannot_do(platform: str) -> None:
    text = render(model(platform, "wred_policer"))
    assert "note: One policer meters all pairs together" in text
    assert "not available here" in text
    assert "average queue length" in text


@pytest.mark.parametrize("marker", ["single_rate", "two_rate"])
def test_three_color_rates(marker: str) -> None:
    plan = ThreeColorMarker.model_validate({"kind": "three_color_marker", "marker": marker, "red_action": "discard"})
    texts = {platform: render(build_model(router(platform), plan, PAIRS)) for platform in taking("three_color_marker")}
    peak = marker == "two_rate"
    assert ("peak-information-rate 2000000000;" in texts["junos"]) is peak
    assert ("excess-burst-size 62000;" in texts["junos"]) is not peak
    assert "loss-priority high then discard;" in texts["junos"]
    xr = "  police rate 1 gbps burst 31000 bytes" + (" peak-rate 2 gbps" if peak else "") + " peak-burst 62000 bytes\n"
    assert xr in texts["iosxr"]
    xe = "  police cir 1000000000 bc 31000" + (" pir 2000000000" if peak else "") + " be 62000\n"
    assert xe in texts["iosxe"]
    assert all("violate-action drop" in texts[platform] for platform in ("iosxr", "iosxe"))
