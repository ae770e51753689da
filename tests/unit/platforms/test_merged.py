"""A candidate and what a router has, read as one text."""

import pytest

from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.expected import effective_of
from hntes.platforms.merged import read_merged
from hntes.platforms.parse import ParseError
from hntes.platforms.render import render
from hntes.platforms.transition import transition
from hntes.rules.qos.model import RouterModel
from tests.support.qos_models import PAIRS, PLATFORMS, model
from tests.unit.platforms.test_conflicts import RUNNING


def merged_with(made: RouterModel, running: str) -> object:
    return read_merged(made.platform, render(made), running, made.interfaces)


def delivered(made: RouterModel) -> str:
    """The running configuration after a delivery of this model."""
    running, text = RUNNING[made.platform], render(made)
    if made.platform == "junos":
        return running + "".join(
            line + "\n"
            for line in transition("junos", None, text).replace("    replace: hntes {", "    hntes {").splitlines()
        )
    return running + "".join(line + "\n" for line in text.splitlines() if not line.startswith("no "))


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("redirect", ["none", "next_hop", "lsp"])
@pytest.mark.parametrize("plan", ["two_queue", "scavenger_policer"])
def test_beside_what_does_not_collide_a_candidate_does_what_it_does_alone(
    platform: str, redirect: str, plan: str
) -> None:
    made = model(platform, plan, redirect)
    check_conflicts(made, RUNNING[platform])
    assert merged_with(made, RUNNING[platform]) == effective_of(made)


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("redirect", ["none", "next_hop", "lsp"])
def test_what_was_delivered_before_gives_way(platform: str, redirect: str) -> None:
    before, made = model(platform, "wred_policer", redirect), model(platform, "two_queue", redirect, PAIRS[:3])
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
NAMED_SO = """hostname hntes-r1
snmp-server community hntes ro
logging source-interface Loopback0 vrf hntes-alpha
router static vrf hntes
"""


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_what_only_bears_the_name_is_the_operators_and_stays(platform: str) -> None:
    made = model(platform)
    running = delivered(made)
    assert _passed_over(made, NAMED_SO + running) == _passed_over(made, running) + len(NAMED_SO.splitlines())
    described = running.replace(" description core\n", " description core\n description hntes-alpha\n")
    assert described != running
    assert _passed_over(made, described) == _passed_over(made, running) + described.count(" description hntes-alpha")


def _passed_over(made: RouterModel, running: str) -> int:
    found = read_merged(made.platform, render(made), running, made.interfaces)
    return sum(each.statements for each in found.unparsed)


REFUSED = {
    "junos": ("lo0 {", "xe-0/0/1 { unit 0 { family inet { filter { output VOICE; } } } }\nlo0 {", "running"),
    "iosxr": (" description core\n", " description core\n traffic-shape 5\n", "running"),
    "iosxe": (" description core\n", " description core\n traffic-shape 5\n", "running"),
}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_is_not_understood_on_a_judged_port_is_refused_with_its_line(platform: str) -> None:
    old, new, word = REFUSED[platform]
    running = RUNNING[platform].replace(old, new, 1)
    with pytest.raises(ParseError, match=word) as caught:
        merged_with(model(platform), running)
    shown = running.split("\n")[caught.value.line - 1]
    assert shown.strip().split()[0] in new


def test_a_group_that_shares_its_lines_gives_way_too() -> None:
    made = model("junos")
    running = RUNNING["junos"].replace("groups { re0", "groups { hntes { class-of-service; } re0")
    assert merged_with(made, running) == effective_of(made)
