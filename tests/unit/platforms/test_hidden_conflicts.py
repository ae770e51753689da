"""Statements that meet a plan from another place than its own: each is refused with its line."""

import pytest

from hntes.platforms.conflicts import check_conflicts
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from tests.support.qos_models import PAIRS, PLANS, model, redirect_of, router
from tests.unit.platforms.test_conflicts import CORE, EDGE, RUNNING, refused

JUNOS = RUNNING["junos"]
CISCO = ("iosxr", "iosxe")


def on_the_port(platform: str) -> RouterModel:
    """A plan whose edge interface is a port, not a unit of one."""
    interfaces = [each.model_dump() for each in router(platform).interfaces]
    interfaces[0]["unit"] = 0
    return build_model(router(platform, interfaces=interfaces), PLANS["two_queue"], PAIRS)


def test_xr_a_bridged_unit_of_a_core_port_that_queues_by_itself() -> None:
    head = CORE["iosxr"].replace("\n", ".200 l2transport\n")
    found = refused(model("iosxr"), RUNNING["iosxr"] + f"{head} service-policy output x\n")
    assert [line for line, _ in found] == ["service-policy output x"]
    assert "queues a unit of TenGigE0/0/0/1 separately" in found[0][1]


@pytest.mark.parametrize("platform", CISCO)
def test_an_edge_unit_that_the_router_does_not_have(platform: str) -> None:
    interfaces = [each.model_dump() for each in router(platform).interfaces]
    interfaces[0]["unit"] = 101
    made = build_model(router(platform, interfaces=interfaces), PLANS["two_queue"], PAIRS)
    ((_, told),) = refused(made, RUNNING[platform])
    assert "0.101: is missing: HNTES would create it" in told
    assert "has units 100" in told


def test_xr_an_edge_unit_that_bridges() -> None:
    running = RUNNING["iosxr"].replace("0/0.100\n", "0/0.100 l2transport\n")
    assert "bridges packets" in refused(model("iosxr"), running)[0][1]


@pytest.mark.parametrize("platform", CISCO)
def test_an_input_policy_of_a_unit_beside_that_of_its_port(platform: str) -> None:
    running = RUNNING[platform].replace(EDGE[platform], f"{EDGE[platform]} service-policy input customers\n")
    ((line, told),) = refused(on_the_port(platform), running)
    assert line == "service-policy input customers"
    assert "excludes an input policy of" in told


@pytest.mark.parametrize(
    ("platform", "text", "line"),
    [
        ("iosxe", "route-map qppb permit 10\n set ip qos-group 4\n", "set ip qos-group 4"),
        (
            "iosxr",
            "route-policy qppb\n  if destination in voice then\n    set qos-group 4\n  endif\nend-policy\n",
            "set",
        ),
        ("iosxr", "policy-map other\n class class-default\n  set qos-group dscp table t\n !\n end-policy-map\n", "set"),
        ("iosxr", "route-policy qppb($group)\n  set qos-group $group\nend-policy\n", "set qos-group $group"),
    ],
)
def test_routes_and_tables_that_put_packets_into_a_group_of_the_plan(platform: str, text: str, line: str) -> None:
    ((shown, told),) = refused(model(platform), RUNNING[platform] + text)
    assert shown.startswith(line)
    assert "QoS group" in told
    check_conflicts(model(platform), RUNNING[platform] + text.replace("4", "6").split("table")[0].replace("dscp", "6")
                    .replace("$group\n", "6\n"))  # fmt: skip


VOICE = """\
firewall { family inet { filter VOICE { term ef { from { dscp ef; } then {
forwarding-class expedited-forwarding; accept; } } } } }
"""
BOUND = "interfaces { xe-1/0/0 { unit 0 { family inet { filter { input VOICE; } } } } }\n"


def test_junos_a_default_class_in_use_that_no_queue_serves() -> None:
    ((line, told),) = refused(model("junos"), JUNOS + VOICE + BOUND)
    assert line.startswith("forwarding-class expedited-forwarding")
    assert "no scheduler in the map hntes" in told
    check_conflicts(model("junos"), JUNOS + VOICE)


@pytest.mark.parametrize(("codes", "passes"), [("[ 010 011 100 101 ]", True), ("[ 010 100 101 ]", False)])
def test_junos_a_classifier_on_top_of_the_default_one(codes: str, passes: bool) -> None:
    classifier = (
        f"exp e {{\nimport default; forwarding-class best-effort {{ loss-priority low code-points {codes}; }} }}"
    )
    bound = "interfaces { xe-1/0/0 { unit 0 { classifiers { exp e; } } } }"
    running = f"{JUNOS}class-of-service {{ classifiers {{ {classifier} }}\n{bound} }}\n"
    names = {"beta": "best-effort"}
    made = build_model(router("junos", class_names=names), PLANS["two_queue"], PAIRS)
    if passes:
        check_conflicts(made, running)
    else:
        assert refused(made, running)[0][0].startswith("import default")


def test_junos_other_packets_in_the_class_of_the_pairs() -> None:
    text = VOICE.replace("expedited-forwarding", "alpha") + BOUND
    assert "in which the plan has the pairs alone" in refused(model("junos"), JUNOS + text)[0][1]


@pytest.mark.parametrize(
    "text",
    [
        "interfaces { xe-1/0/0 { unit 0 { classifiers { dscp default; } } } }",
        "interfaces { xe-1/0/0 { unit 0 { forwarding-class assured-forwarding; } } }",
        "host-outbound-traffic { forwarding-class expedited-forwarding; }",
        """classifiers { dscp v { forwarding-class expedited-forwarding { loss-priority low code-points ef; } } }
interfaces { xe-1/0/0 { unit 0 { classifiers { dscp v; } } } }""",
    ],
)
def test_junos_each_way_of_using_a_default_class(text: str) -> None:
    assert "no scheduler in the map hntes" in refused(model("junos"), f"{JUNOS}class-of-service {{\n{text} }}\n")[0][1]


RANGE = """\
interfaces { interface-range customers { member "xe-0/0/[0-1]";
unit 100 { family inet { filter { input-list A; } } } } }
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (RANGE, "is a list"),
        (RANGE.replace("input-list A", "input A"), "inherited from customers"),
        (RANGE.replace('member "xe-0/0/[0-1]"', "member-range xe-0/0/0 to xe-0/0/3"), "is a list"),
        ("interfaces { xe-0/0/0 { unit 100 { family inet {\nfilter { input-chain [ A B ]; } } } } }\n", "is a list"),
        ("interfaces { xe-0/0/0 { unit 100 {\nfamily any { filter { input A; } } } } }\n", "filters all families"),
        ("interfaces { xe-0/0/0 { unit 100 {\nfilter { input A; } } } }\n", "filters all families"),
        ("interfaces { xe-0/0/1 {\ngigether-options { 802.3ad ae7; } } }\n", "is a member of ae7"),
        ("logical-systems { L { interfaces { xe-0/0/0 {\nunit 100 { family inet; } } } } }\n", "belongs to L"),
    ],
)
def test_junos_what_lands_on_a_judged_interface_from_elsewhere(text: str, words: str) -> None:
    found = [told for _, told in refused(model("junos"), JUNOS + text)]
    assert any(words in told for told in found), found


def test_junos_an_inactive_unit_is_said_to_be_inactive() -> None:
    running = JUNOS.replace("unit 100 {", "inactive: unit 100 {")
    told = [each for _, each in refused(model("junos"), running)]
    assert any("is inactive" in each for each in told), told
    assert not any("enable the family" in each for each in told)


def test_junos_an_edge_of_a_vpn_is_not_redirected_to_a_next_hop() -> None:
    vpn = "routing-instances { blue { instance-type vrf;\ninterface xe-0/0/0.100; } }\n"
    assert "is in routing instance blue" in refused(model("junos", redirect="next_hop"), JUNOS + vpn)[0][1]
    check_conflicts(model("junos"), JUNOS + vpn)


@pytest.mark.parametrize("platform", CISCO)
def test_cisco_an_edge_of_a_vrf_is_not_redirected(platform: str) -> None:
    line = {"iosxr": " vrf blue\n", "iosxe": " vrf forwarding blue\n"}[platform]
    running = RUNNING[platform].replace(EDGE[platform], EDGE[platform] + line)
    assert [shown for shown, _ in refused(model(platform, redirect="next_hop"), running)] == [line.strip()]
    check_conflicts(model(platform), running)


BUNDLES = {
    "junos": (
        "ae0",
        """interfaces { ae0 { unit 0 { family inet { address 192.0.2.33/30; } } } }
interfaces { xe-1/0/1 { gigether-options { 802.3ad ae0; } } }
class-of-service { interfaces { xe-1/0/1 {
scheduler-map own; } } }
""",
        "scheduler-map own;",
    ),
    "iosxr": (
        "Bundle-Ether5",
        """interface Bundle-Ether5
 ipv4 address 192.0.2.33 255.255.255.252
interface TenGigE0/1/0/1
 bundle id 5 mode active
 service-policy output own
""",
        "service-policy output own",
    ),
    "iosxe": (
        "Port-channel5",
        """platform qos port-channel-aggregate 5
interface Port-channel5
 ip address 192.0.2.33 255.255.255.252
interface TenGigabitEthernet0/1/1
 channel-group 5 mode active
 service-policy output own
""",
        "service-policy output own",
    ),
}


@pytest.mark.parametrize("platform", BUNDLES)
def test_a_member_of_a_judged_bundle_that_queues_by_itself(platform: str) -> None:
    name, text, line = BUNDLES[platform]
    interfaces = [each.model_dump() for each in router(platform).interfaces[:2]]
    interfaces[1]["name"] = name
    redirect = redirect_of(platform, None)
    made = build_model(router(platform, interfaces=interfaces, redirect=redirect), PLANS["two_queue"], PAIRS)
    ((shown, _),) = refused(made, RUNNING[platform] + text)
    assert shown.startswith(line)
    check_conflicts(made, RUNNING[platform] + text.replace(line, ""))


def test_xe_a_port_channel_needs_the_statement_that_lets_it_have_queues() -> None:
    name, text, line = BUNDLES["iosxe"]
    interfaces = [each.model_dump() for each in router("iosxe").interfaces[:2]]
    interfaces[1]["name"] = name
    made = build_model(router("iosxe", interfaces=interfaces), PLANS["two_queue"], PAIRS)
    running = RUNNING["iosxe"] + text.replace(line, "").replace("platform qos port-channel-aggregate 5\n", "")
    assert "port-channel-aggregate 5" in refused(made, running)[0][1]
