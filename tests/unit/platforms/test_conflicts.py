"""Statements of an operator's own that collide with a plan, each with its line; and those that do not."""

from importlib import import_module

import pytest

from hntes.platforms.conflict import CollisionError
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.render import render
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from tests.contract.platform.case import case_of
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, model, redirect_of, router

# Without what the suite's plans need besides: tests put it there.
RUNNING = {platform: import_module(f"tests.contract.platform.cases.{platform}").RUNNING for platform in PLATFORMS}
JUNOS, XR = RUNNING["junos"], RUNNING["iosxr"]
EDGE = {"iosxr": "interface TenGigE0/0/0/0.100\n", "iosxe": "interface TenGigabitEthernet0/0/0.100\n"}
CORE = {"iosxr": "interface TenGigE0/0/0/1\n", "iosxe": "interface TenGigabitEthernet0/0/1\n"}


def refused(made: RouterModel, running: str) -> list[tuple[str, str]]:
    """The lines that are refused, and the words of the refusals."""
    with pytest.raises(CollisionError) as caught:
        check_conflicts(made, running)
    lines = ["", *running.splitlines()]
    assert all(str(each) in str(caught.value) for each in caught.value.collisions)
    return [(lines[each.line].strip(), str(each)) for each in caught.value.collisions]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_was_delivered_before_is_no_collision(platform: str) -> None:
    made = model(platform, redirect="next_hop")
    check_conflicts(made, case_of(platform).delivered(RUNNING[platform], render(made)))


COS = "    forwarding-classes"
V6 = "family inet6; } }\n    xe-0/0/1"
LISTED = "family inet6 {\nfilter { input-list [ A B ]; } } } }\n    xe-0/0/1"
JUNOS_CASES = [
    ("none", "family inet { address 192.0.2.9/30; }", "family inet {\nfilter { input CUSTOMERS; } }", "place"),
    ("none", V6, LISTED, "place"),
    ("none", V6, "} }\n    xe-0/0/1", "would enable the family"),
    ("none", COS, "interfaces { xe-0/0/1 {\nscheduler-map core; } }\n" + COS, "map hntes"),
    ("none", COS, "interfaces { xe-* {\nscheduler-map core; } }\n" + COS, "map hntes"),
    ("none", COS, "interfaces { xe-0/0/1 { unit 0 {\nscheduler-map c; } } }\n" + COS, "separately"),
    ("none", "class network-control queue-num 3;", "\nclass network-control queue-num 2;", "on queue 3"),
    ("none", "class network-control queue-num 3;", "\nclass voice queue-num 4;", "used by the plan"),
    ("none", "class network-control queue-num 3;", "\nclass voice queue-num 6;", "no bandwidth"),
    ("none", "class network-control queue-num 3;", "\nqueue 3 network-control;", "maps by `queue`"),
    ("none", "default; }", "\nforwarding-class best-effort { loss-priority low code-points be; } }", "is replaced by"),
    ("none", "apply-groups re0;", "\napply-groups [ re0 cos ];", "group cos is not in the text"),
    ("none", "filter PROTECT {", "\nfilter hntes-alpha-v4 {", "but not to the group"),
    ("next_hop", "routing-options {", "routing-options {\ninterface-routes { rib-group inet own; }", "have one"),
    ("next_hop", "address 192.0.2.9/30;", "\naddress 192.0.2.2/30;", "would loop back"),
    ("lsp", "load-balance per-packet;", "load-balance per-packet;\naccept;", "ends the export"),
    ("lsp", "export balance;", "\nexport [ balance other ];", "is not in the file"),
]  # fmt: skip


@pytest.mark.parametrize(("redirect", "old", "new", "words"), JUNOS_CASES)
def test_junos_a_statement_in_the_way_is_refused_with_its_line(redirect: str, old: str, new: str, words: str) -> None:
    assert old in JUNOS
    running = JUNOS.replace(old, new, 1)
    found = refused(model("junos", redirect=redirect), running)
    assert any(words in text for _, text in found), found
    if "\n" in new and "enable" not in words:
        line = next(part for part in new.split("\n")[1:] if part).strip()
        assert any(shown.startswith(line[:12]) for shown, _ in found), found


CISCO_CASES = [
    ("none", "edge", " service-policy input customers", "one of this kind"),
    ("none", "core", " service-policy output core", "one output policy"),
    ("lsp", "xr edge", " service-policy type pbr input customers", "one of this kind"),
    ("next_hop", "xr edge", " ipv4 access-group customers ingress", "one of this kind"),
    ("next_hop", "xr edge", " ipv6 access-group customers ingress", "one of this kind"),
    ("next_hop", "xe edge", " ip policy route-map leave", "one of this kind"),
    ("lsp", "xe edge", " ipv6 policy route-map leave", "one of this kind"),
    ("next_hop", "xr edge", " ipv4 address 192.0.2.2 255.255.255.252", "would loop back"),
    ("next_hop", "edge", " ipv6 address 2001:db8:ffff::2/64", "would loop back"),
]


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
@pytest.mark.parametrize(("redirect", "place", "line", "words"), CISCO_CASES)
def test_cisco_a_statement_in_the_way_is_refused_with_its_line(
    platform: str, redirect: str, place: str, line: str, words: str
) -> None:
    if place[:2] in ("xr", "xe") and not platform.endswith(place[:2]):
        return
    head = (CORE if place == "core" else EDGE)[platform]
    running = RUNNING[platform].replace(head, f"{head}{line}\n")
    ((shown, text),) = refused(model(platform, redirect=redirect), running)
    assert shown == line.strip()
    assert words in text


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_a_group_of_the_plan_that_a_policy_of_the_operators_sets_is_refused(platform: str) -> None:
    running = RUNNING[platform].replace("set qos-group 7", "set qos-group 4")
    assert [shown for shown, _ in refused(model(platform), running)] == ["set qos-group 4"]
    other = build_model(router(platform, queues={"alpha": 6}), PLANS["two_queue"], PAIRS)
    check_conflicts(other, running)


MARKING = {
    "before": (
        "policy-map customers\n class voice\n  set dscp ef\n class class-default\n  set dscp default\n",
        "`class voice` (line {2}) would match a pair's packets",
    ),
    "default": (
        "policy-map customers\n class class-default\n  set qos-group 6\n  set dscp default\n",
        "lose `set qos-group 6` (line {3})",
    ),
    "policed": ("policy-map customers\n class voice\n  set dscp ef\n  police cir 10000000\n", ""),
    "empty": ("policy-map customers\n class class-default\n", ""),
    "another": ("policy-map others\n class class-default\n  set dscp default\n", ""),
}


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
@pytest.mark.parametrize("kind", MARKING)
def test_of_an_input_policy_that_only_marks_is_said_what_would_be_lost(platform: str, kind: str) -> None:
    policy, words = MARKING[kind]
    if platform == "iosxr":
        policy += " end-policy-map\n"
    running = RUNNING[platform].replace(EDGE[platform], f"{EDGE[platform]} service-policy input customers\n") + policy
    ((shown, told),) = refused(model(platform), running)
    assert shown == "service-policy input customers"
    before = running.count("\n", 0, running.index(policy))
    for number in (2, 3):
        words = words.replace(f"{{{number}}}", str(before + number))
    assert words in told
    assert ("only marks" in told) is bool(words)
    assert ("Mark these packets on the neighbour" in told) is bool(words)


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_policies_of_the_port_and_of_units_beside_the_judged_ones_are_refused(platform: str) -> None:
    edge, core = EDGE[platform].replace(".100", ""), CORE[platform].replace("\n", ".7\n")
    running = (
        RUNNING[platform].replace(edge, f"{edge} service-policy input all\n") + f"{core} service-policy output x\n"
    )
    assert [shown for shown, _ in refused(model(platform), running)] == [
        "service-policy input all", "service-policy output x",
    ]  # fmt: skip


def test_xr_the_forward_class_of_a_redirect_is_one_tunnels_alone() -> None:
    made = model("iosxr", redirect="lsp")
    assert refused(made, XR + "interface tunnel-te6\n forward-class 1\n")[0][0] == "forward-class 1"
    assert refused(made, XR.replace(" destination", " forward-class 2\n destination"))[0][0] == "forward-class 2"
    assert "is missing" in refused(made, XR.replace("tunnel-te5", "tunnel-te6"))[0][1]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_file_without_the_judged_interfaces_is_not_believed(platform: str) -> None:
    """EOS has classes for marks by default, some of which may be in the way as well."""
    found = [text for _, text in refused(model(platform), "")]
    assert sum("whole configuration" in text for text in found) >= len(model(platform).interfaces)
    assert all("whole configuration" in text or "(by default)" in text for text in found)


def test_what_is_no_configuration_is_refused() -> None:
    assert "not closed" in refused(model("junos"), JUNOS[:-3])[0][1]


def test_names_and_numbers_of_the_settings_let_a_plan_stand_beside_other_classes() -> None:
    running = JUNOS.replace(
        "class network-control queue-num 3;", "class best-effort queue-num 0; class NC queue-num 7;"
    )
    assert len(refused(model("junos"), running)) == 2
    names = {"beta": "best-effort", "network_control": "NC"}
    made = router("junos", queues={"network_control": 7}, class_names=names)
    check_conflicts(build_model(made, PLANS["two_queue"], PAIRS), running)


def test_a_family_that_an_interface_does_not_carry_is_not_asked_for() -> None:
    running = JUNOS.replace("family inet6; } }\n    xe-0/0/1", "} }\n    xe-0/0/1")
    interfaces = [each.model_dump() for each in router("junos").interfaces]
    interfaces[0]["ip_versions"] = [4]
    made = router("junos", interfaces=interfaces, redirect=redirect_of("junos", None))
    check_conflicts(build_model(made, PLANS["two_queue"], PAIRS), running)
