"""What IOS-XR and IOS-XE routers list beside a plan: the text around the listing, what is harmless, and what is not."""

import pytest

from hntes.gate.criteria.structure import STRUCTURE
from hntes.gate.verdict import Verdict
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.expected import effective_of
from hntes.platforms.merged import read_merged
from hntes.platforms.parse import ParseError
from hntes.platforms.render import render
from hntes.rules.qos.model import RouterModel
from tests.support.qos_models import PAIRS, model
from tests.unit.platforms.test_conflicts import CORE, EDGE, RUNNING

CISCO = ("iosxr", "iosxe")
IN = {"iosxr": "ipv4 access-group customers ingress", "iosxe": "ip access-group customers in"}
OUT = {"iosxr": "ipv4 access-group customers egress", "iosxe": "ip access-group customers out"}
LIST = {"iosxr": "ipv4 access-list customers\n", "iosxe": "ip access-list extended customers\n"}
PROTOCOL = {"iosxr": "ipv4", "iosxe": "ip"}


def verdict(made: RouterModel, running: str) -> Verdict:
    """The gate's verdict on the structure of a plan beside a running configuration."""
    check_conflicts(made, running)
    merged = read_merged(made.platform, render(made), running, made.interfaces)
    return STRUCTURE.verdict(
        merged,
        PAIRS,
        alpha_queue=4,
        is_redirected=made.redirect is not None,
        port_buffer_ms=100,
        expected=effective_of(made),
    )


AROUND = {
    "iosxe": [
        "Building configuration...\n\nCurrent configuration : 1234 bytes\n!\n{0}",
        "wr3#show running-config\n{0}end\n\nwr3#\n", "Using 123 out of 524288 bytes\n{0}",
        "banner motd ^CUnauthorised\nuse is\n prohibited^C\n{0}",
        "aaa authentication banner ^C\npriority users\n^C\n{0}",
        "aaa authentication fail-message #\nclass of users\n#\n{0}", "menu M title ^C\nmatch one\n^C\n{0}", "\ufeff{0}",
    ],
    "iosxr": [
        "Fri Nov 20 10:00:00.123 UTC\nBuilding configuration...\n!! IOS XR Configuration 7.9.2\n{0}",
        "RP/0/RP0/CPU0:wr2#show running-config\n{0}end\n\nRP/0/RP0/CPU0:wr2#\n", "\ufeff{0}",
        "route-policy r\n  if destination in p then\n    drop\n  else\n    pass\n  endif\nend-policy\n!\n{0}",
        "prefix-set p\n  192.0.2.0/24,\n  198.18.0.0/15 le 32\nend-set\n!\n{0}",
        "group g\n interface 'GigE.*'\n  service-policy output x\n !\nend-group\napply-group g\n{0}",
        "interface preconfigure TenGigE0/7/0/0\n shutdown\n!\n{0}",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("platform", "form"), [(name, each) for name, forms in AROUND.items() for each in forms])
def test_what_stands_around_a_listing_does_not_matter(platform: str, form: str) -> None:
    found = verdict(model(platform), form.format(RUNNING[platform]))
    assert found.outcome == "passed", found.sentence


@pytest.mark.parametrize("platform", CISCO)
@pytest.mark.parametrize("redirect", ["none", "lsp"])
@pytest.mark.parametrize("line", ["10 permit {0} 198.18.0.0 0.0.255.255 any", "20 deny tcp any any eq 25 log-input"])
def test_an_operators_list_on_the_edge_drops_what_it_drops_without_hntes(
    platform: str, redirect: str, line: str
) -> None:
    lines = f" {line.format(PROTOCOL[platform])}\n 30 deny {PROTOCOL[platform]} any any\n"
    running = RUNNING[platform].replace(EDGE[platform], f"{EDGE[platform]} {IN[platform]}\n")
    found = verdict(model(platform, redirect=redirect), running + LIST[platform] + lines)
    assert found.outcome == "passed", found.sentence


@pytest.mark.parametrize("platform", CISCO)
@pytest.mark.parametrize("words", ["set qos-group 4", "nexthop1 ipv4 192.0.2.77", "police 5"])
def test_a_list_on_the_edge_that_does_more_is_not_judged(platform: str, words: str) -> None:
    running = RUNNING[platform].replace(EDGE[platform], f"{EDGE[platform]} {IN[platform]}\n")
    text = f"{LIST[platform]} 10 permit {PROTOCOL[platform]} any any {words}\n"
    with pytest.raises(ParseError, match="does more than drop packets"):
        verdict(model(platform), running + text)


@pytest.mark.parametrize("platform", CISCO)
def test_a_list_behind_a_core_port_is_the_operators(platform: str) -> None:
    running = RUNNING[platform].replace(CORE[platform], f"{CORE[platform]} {OUT[platform]}\n")
    assert verdict(model(platform), running + LIST[platform] + " 10 deny tcp any any\n").outcome == "passed"


HARMLESS = {
    "iosxr": ["ipv4 verify unicast source reachable-via rx", "flow ipv4 monitor m sampler s ingress",
              "lacp period short", "carrier-delay up 2000 down 0", "mtu 9216", "load-interval 30"],
    "iosxe": ["ip verify unicast source reachable-via rx", "ip flow monitor m sampler s input", "negotiation auto",
              "no mop enabled", "ip nat inside", "ip tcp adjust-mss 1400", "cdp enable", "bandwidth 10000000"],
}  # fmt: skip


@pytest.mark.parametrize(("platform", "line"), [(name, each) for name, lines in HARMLESS.items() for each in lines])
def test_what_each_port_has_is_no_reason(platform: str, line: str) -> None:
    for head in (EDGE[platform], CORE[platform]):
        found = verdict(model(platform), RUNNING[platform].replace(head, f"{head} {line}\n"))
        assert found.outcome == "passed", found.sentence


@pytest.mark.parametrize("platform", CISCO)
@pytest.mark.parametrize(
    "line", ["speed 100", "bandwidth 5", "traffic-shape rate 5", "xconnect 192.0.2.1 1", "new-word"]
)
def test_what_is_not_known_on_a_judged_port_is_refused(platform: str, line: str) -> None:
    running = RUNNING[platform].replace(CORE[platform], f"{CORE[platform]} {line}\n")
    with pytest.raises(ParseError, match="not understood on an interface in use"):
        verdict(model(platform), running)


@pytest.mark.parametrize("platform", CISCO)
def test_what_is_not_known_elsewhere_is_listed(platform: str) -> None:
    found = verdict(model(platform), RUNNING[platform] + "new-feature\n with things\n")
    assert found.outcome == "passed"
    assert "Not known, and outside of the judged ports: `new-feature`" in found.sentence


ELSEWHERE = {
    "iosxr": ["hw-module profile qos hqos-enable", "group g\n interface 'TenGigE.*'\n  traffic-shape 5\n !\nend-group",
              "group g\n policy-map 'hntes.*'\n  class class-default\n  !\n !\nend-group"],
    "iosxe": ["mls qos", "platform qos something", "no ip cef"],
}  # fmt: skip


@pytest.mark.parametrize(("platform", "text"), [(name, each) for name, texts in ELSEWHERE.items() for each in texts])
def test_what_touches_queues_from_elsewhere_is_a_reason(platform: str, text: str) -> None:
    found = verdict(model(platform), RUNNING[platform] + text + "\n")
    assert found.outcome == "not_judged", found.sentence


GROUP = "group g\n interface 'TenGigE.*'\n  {0}\n !\nend-group\n"


@pytest.mark.parametrize(
    ("line", "outcome"),
    [("mtu 9192", "passed"), ("ipv4 access-group x ingress", "not_judged"), ("service-policy input y", "not_judged")],
)
def test_a_group_that_an_interface_applies_counts_as_its_lines(line: str, outcome: str) -> None:
    running = RUNNING["iosxr"].replace(CORE["iosxr"], f"{CORE['iosxr']} apply-group g\n")
    assert verdict(model("iosxr"), GROUP.format(line) + running).outcome == outcome
    with pytest.raises(ParseError, match="group g is not in the text"):
        verdict(model("iosxr"), running)


@pytest.mark.parametrize(("action", "passes"), [("ip next-hop 192.0.2.77", True), ("ip precedence 5", False)])
def test_an_operators_route_map_on_the_edge_routes_what_it_routes_without_hntes(action: str, passes: bool) -> None:
    running = RUNNING["iosxe"].replace(EDGE["iosxe"], f"{EDGE['iosxe']} ip policy route-map own\n")
    running += f"route-map own permit 10\n match ip address 101\n set {action}\n"
    if passes:
        assert verdict(model("iosxe"), running).outcome == "passed"
    else:
        with pytest.raises(ParseError, match="does more than route packets"):
            verdict(model("iosxe"), running)


def test_translated_addresses_count_where_a_redirect_is_configured() -> None:
    running = RUNNING["iosxe"].replace(EDGE["iosxe"], f"{EDGE['iosxe']} ip nat inside\n")
    assert verdict(model("iosxe", redirect="next_hop"), running).outcome == "not_judged"


def test_ways_count_where_a_redirect_is_configured() -> None:
    running = RUNNING["iosxr"] + "router static\n address-family ipv4 unicast\n  192.0.2.0/24 Null0\n"
    assert verdict(model("iosxr"), running).outcome == "passed"
    assert verdict(model("iosxr", redirect="next_hop"), running).outcome == "not_judged"
