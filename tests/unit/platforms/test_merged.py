"""A candidate and what a router has, read as one text."""

import pytest

from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.expected import effective_of
from hntes.platforms.merged import read_merged
from hntes.platforms.parse import ParseError
from hntes.platforms.render import render
from hntes.rules.qos.model import RouterModel
from tests.contract.platform.case import case_of
from tests.contract.platform.models import redirects_of, supports
from tests.support.qos_models import PAIRS, PLATFORMS, model
from tests.unit.platforms.test_conflicts import RUNNING


def merged_with(made: RouterModel, running: str) -> object:
    return read_merged(made.platform, render(made), running, made.interfaces)


def delivered(made: RouterModel) -> str:
    """The running configuration after a delivery of this model."""
    return case_of(made.platform).delivered(RUNNING[made.platform], render(made))


BESIDE = [
    (platform, plan, redirect)
    for platform in PLATFORMS
    for redirect in redirects_of(platform)
    for plan in ("two_queue", "scavenger_policer", "premium")
    if supports(platform, plan, redirect)
]


@pytest.mark.parametrize(("platform", "plan", "redirect"), BESIDE)
def test_beside_what_does_not_collide_a_candidate_does_what_it_does_alone(
    platform: str, plan: str, redirect: str
) -> None:
    made = model(platform, plan, redirect)
    check_conflicts(made, RUNNING[platform])
    assert merged_with(made, RUNNING[platform]) == effective_of(made)


@pytest.mark.parametrize(("platform", "plan", "redirect"), BESIDE)
def test_what_was_delivered_before_gives_way(platform: str, plan: str, redirect: str) -> None:
    earlier = "wred_policer" if supports(platform, "wred_policer", redirect) else "recommended"
    before, made = model(platform, earlier, redirect), model(platform, plan, redirect, PAIRS[:3])
    check_conflicts(made, delivered(before))
    assert merged_with(made, delivered(before)) == effective_of(made)


def test_what_the_reader_passes_over_is_named_with_what_it_could_touch() -> None:
    made = model("junos")
    found = read_merged("junos", render(made), RUNNING["junos"], made.interfaces)
    touched = {each.text.split()[0]: each.touches for each in found.unparsed}
    assert touched["class-of-service"] is None
    assert touched["groups"] is None
    assert touched["version"] is None


# Statements of an operator's in which the name of HNTES, or of its objects, means something else.
CISCO = """hostname hntes-r1
snmp-server community hntes ro
logging source-interface Loopback0 vrf hntes-alpha
router static vrf hntes
"""
NAMED_SO = {
    "junos": """system { host-name hntes-r1; }
snmp { community hntes { authorization read-only; } }
routing-options { static { route 198.51.100.0/24 { next-hop 192.0.2.9; tag 5; } } }
policy-options { community hntes-alpha members 64500:1; }
""",
    "iosxr": CISCO,
    "iosxe": CISCO,
    "sros": """/configure system contact hntes
/configure log log-id hntes description hntes-alpha
/configure router Base interface hntes description hntes-alpha-v4
/configure filter match-list ip-prefix-list hntes-alpha-v4 prefix 198.51.100.0/24
""",
    "eos": """snmp-server community hntes ro
logging vrf hntes-alpha source-interface Loopback0
vrf instance hntes
ip access-list hntes-alpha-v4
""",
}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_only_bears_the_name_is_the_operators_and_stays(platform: str) -> None:
    made, named = model(platform), NAMED_SO[platform]
    running = delivered(made)
    assert _passed_over(made, named + running) == _passed_over(made, running) + len(named.splitlines())


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_a_description_that_bears_the_name_is_the_operators(platform: str) -> None:
    made = model(platform)
    running = delivered(made)
    described = running.replace(" description core\n", " description core\n description hntes-alpha\n")
    assert described != running
    assert _passed_over(made, described) == _passed_over(made, running) + described.count(" description hntes-alpha")


def _passed_over(made: RouterModel, running: str) -> int:
    found = read_merged(made.platform, render(made), running, made.interfaces)
    return sum(each.statements for each in found.unparsed)


# What stands in a running configuration, and with what more it cannot be judged.
NOT_UNDERSTOOD = {
    "junos": ("lo0 {", "xe-0/0/1 { unit 0 { family inet { filter { output VOICE; } } } }\nlo0 {"),
    "iosxr": (" description core\n", " description core\n traffic-shape 5\n"),
    "iosxe": (" description core\n", " description core\n traffic-shape 5\n"),
    "sros": ("    port 1/1/c2/1 {\n", "    port 1/1/c2/1 {\n        apply-groups x\n"),
    "eos": ("   mtu 9214\n", "   mtu 9214\n   shape rate 10 percent\n"),
}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_is_not_understood_on_a_judged_port_is_refused_or_not_judged_with_its_line(platform: str) -> None:
    old, new = NOT_UNDERSTOOD[platform]
    running = RUNNING[platform].replace(old, new, 1)
    assert running != RUNNING[platform]
    shown = running.split("\n")[_line_in_the_way(model(platform), running) - 1]
    assert shown.strip().split()[0] in new.replace(old, "")


def _line_in_the_way(made: RouterModel, running: str) -> int:
    try:
        found = read_merged(made.platform, render(made), running, made.interfaces)
    except ParseError as refusal:
        return refusal.line if "(running configuration)" in refusal.reason else 0
    (one,) = (each for each in found.unparsed if each.blocks and each.touches is not None)
    return one.line


def test_a_group_that_shares_its_lines_gives_way_too() -> None:
    made = model("junos")
    running = RUNNING["junos"].replace("groups { re0", "groups { hntes { class-of-service; } re0")
    assert merged_with(made, running) == effective_of(made)
