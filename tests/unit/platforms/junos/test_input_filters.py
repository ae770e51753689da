"""An operator's input filter that stays behind HNTES' own: what is rendered, loaded, read back, and refused."""

import pytest

from hntes.platforms.compare import differences
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.expected import effective_of
from hntes.platforms.merged import read_merged
from hntes.platforms.parse import ParseError, parse_config
from hntes.platforms.render import render
from hntes.platforms.structure import check_structure
from hntes.platforms.transition import removal, transition
from hntes.platforms.validate import validate
from hntes.rules.qos.build import build_model
from hntes.rules.qos.json_form import from_json, to_json
from hntes.rules.qos.model import ModelError, OperatorFilter, RouterModel
from tests.support.devices.junos.checks import check
from tests.support.devices.junos.load import load
from tests.support.devices.junos.text import write_text
from tests.support.devices.junos.tree import Node
from tests.support.filter_lists import decided
from tests.support.qos_models import PAIRS, PLANS, model, router
from tests.support.vendor_grammar import parse
from tests.unit.platforms.test_conflicts import refused

RUNNING = """\
firewall {
    family inet {
        filter CUSTOMERS {
            term spoofed {
                from {
                    source-address {
                        198.18.20.0/24;
                    }
                }
                then {
                    count spoofed;
                    discard;
                }
            }
            term rest {
                then accept;
            }
        }
    }
}
interfaces {
    xe-0/0/0 {
        unit 100 {
            family inet {
                filter {
                    input CUSTOMERS;
                    output CUSTOMERS;
                }
                address 192.0.2.9/30;
            }
            family inet6;
        }
    }
    xe-0/0/1 {
        unit 0 {
            family inet {
                address 192.0.2.13/30;
            }
        }
    }
    xe-0/0/2 {
        unit 0 {
            family inet {
                address 192.0.2.17/30;
            }
            family inet6;
        }
    }
}
"""
SPOOFED, PAIR, OTHER = "198.18.20.9", "198.18.10.7", "100.64.0.1"


def fitted(running: str = RUNNING, redirect: str = "none") -> RouterModel:
    return check_conflicts(model("junos", redirect=redirect), running)


def configured(text: str) -> Node:
    root = Node()
    assert load(root, text, "override") == []
    assert check(root) == []
    return root


def shown(root: Node) -> str:
    return "\n".join(write_text(root))


def loaded(root: Node, before: str | None, after: str | None) -> Node:
    """The configuration after a transition, which the router's commit check takes."""
    found = root.copy()
    assert load(found, transition("junos", before, after), "set" if after is None else "replace") == []
    assert check(found) == []
    return found


@pytest.mark.parametrize("redirect", ["none", "lsp"])
def test_the_filter_of_the_interface_stays_behind_ours(redirect: str) -> None:
    made = fitted(redirect=redirect)
    assert [each.operator_filters for each in made.interfaces] == [(OperatorFilter(4, "CUSTOMERS"),), (), ()]
    text = render(made)
    parse("junos", text)
    assert "input-list [ hntes-alpha-v4-listed CUSTOMERS ];" in text
    assert "input hntes-alpha-v6;" in text
    assert parse_config("junos", text, made.interfaces) == effective_of(made)
    assert from_json(to_json(made)) == made


def test_what_the_operators_filter_decides_stays_and_pairs_get_their_class() -> None:
    """By concatenation of the list's terms on the router's own configuration, not by any reader of ours."""
    start = configured(RUNNING)
    after = loaded(start, None, render(fitted()))
    for source, destination in [(SPOOFED, "203.0.113.1"), (PAIR, "203.0.113.9"), (OTHER, "203.0.113.9")]:
        before, now = (decided(each, "xe-0/0/0", 100, source, destination) for each in (start, after))
        assert now.passes == before.passes
        assert now.forwarding_class == ("alpha" if source != OTHER else None)
        elsewhere = decided(after, "xe-0/0/2", 0, source, destination)
        assert (elsewhere.passes, elsewhere.forwarding_class) == (True, now.forwarding_class)


def test_a_transition_deactivates_the_operators_input_and_a_removal_brings_it_back() -> None:
    start = configured(RUNNING)
    text = render(fitted())
    after = loaded(start, None, text)
    assert "inactive: input CUSTOMERS;" in shown(after)
    assert shown(loaded(after, text, text)) == shown(after)
    back = after.copy()
    assert load(back, removal("junos", text), "set") == []
    assert shown(back) == shown(start)


def test_without_pairs_of_the_family_the_operators_input_is_in_force_again() -> None:
    start = configured(RUNNING)
    with_pairs = render(fitted())
    without = render(check_conflicts(model("junos", pairs=[each for each in PAIRS if each.ip_version == 6]), RUNNING))
    after = loaded(loaded(start, None, with_pairs), with_pairs, without)
    assert shown(after).count("input CUSTOMERS;") == 1
    assert "inactive" not in shown(after)


def test_what_a_router_lists_after_a_delivery_gives_the_same_text() -> None:
    made = fitted()
    running = shown(loaded(configured(RUNNING), None, render(made)))
    assert check_conflicts(model("junos"), running) == made
    freed = running.replace("inactive: input CUSTOMERS;", "")
    assert check_conflicts(model("junos"), freed).interfaces == model("junos").interfaces


@pytest.mark.parametrize("is_delivered", [False, True])
def test_the_gate_reads_both_as_one(is_delivered: bool) -> None:
    made = fitted()
    running = shown(loaded(configured(RUNNING), None, render(made))) if is_delivered else RUNNING
    found = read_merged("junos", render(made), running, made.interfaces)
    assert differences(found, effective_of(made)) == []
    assert check_structure(found, PAIRS, alpha_queue=4) == []


def test_the_gate_refuses_a_filter_that_the_router_has_no_more() -> None:
    made = fitted()
    with pytest.raises(ParseError, match="CUSTOMERS of family inet is not in the text"):
        read_merged("junos", render(made), RUNNING.replace("filter CUSTOMERS", "filter OTHERS"), made.interfaces)


REFUSED = [
    ("count spoofed;", "forwarding-class gold;", "only accept, discard"),
    ("count spoofed;", "policer slow;", "policer slow is not in the text"),
    ("count spoofed;", "loss-priority high;", "only accept, discard"),
    ("                    discard;\n", "                    routing-instance other;\n", "only accept, discard"),
    ("source-address {\n", "forwarding-class alpha;\nsource-address {\n", "preceding filter of HNTES sets"),
    ("filter CUSTOMERS {\n", "filter CUSTOMERS {\nphysical-interface-filter;\n", "not understood here"),
    ("input CUSTOMERS;", "input OTHERS;", "not in the file"),
    ("input CUSTOMERS;", "input-list [ CUSTOMERS ];", "is a list"),
]


@pytest.mark.parametrize(("old", "new", "words"), REFUSED)
def test_a_filter_that_cannot_stay_is_refused_with_its_line(old: str, new: str, words: str) -> None:
    ((line, said),) = refused(model("junos"), RUNNING.replace(old, new, 1))
    assert words in said
    assert line.split()[0] in new


SLOW = "if-exceeding { bandwidth-limit 1m; burst-size-limit 15k; }"


def policing(then: str, bound: str = "", specific: str = "") -> str:
    """The listing with a policer in the customers' filter, which `bound` interfaces have, too."""
    text = RUNNING.replace("count spoofed;", "policer slow;").replace("discard;", "accept;")
    text = text.replace("filter CUSTOMERS {\n", f"filter CUSTOMERS {{\n{specific}\n")
    text = text.replace("                    output CUSTOMERS;\n", "")
    return f"{text}firewall {{ policer slow {{ {SLOW} then {then} }} }}\n{bound}"


def test_a_policer_that_discards_stays_as_it_limits_without_hntes() -> None:
    text = policing("discard;")
    made = fitted(text)
    assert "input-list [ hntes-alpha-v4-listed CUSTOMERS ];" in render(made)
    assert differences(read_merged("junos", render(made), text, made.interfaces), effective_of(made)) == []
    ((line, said),) = refused(model("junos"), policing("{ loss-priority high; }"))
    assert "only `discard` keeps their class" in said
    assert "loss-priority" in line


def test_one_policer_of_several_interfaces_would_be_one_per_interface_in_a_list() -> None:
    other = "interfaces { xe-0/0/2 { unit 0 { family inet { filter { input CUSTOMERS; } } } } }\n"
    elsewhere = other.replace("xe-0/0/2", "xe-0/0/9")
    ((line, said),) = refused(model("junos"), policing("discard;", elsewhere))
    assert "one per interface in a list" in said
    assert line == "policer slow;"
    assert fitted(policing("discard;", elsewhere, "interface-specific;")).interfaces[0].operator_filters


@pytest.mark.parametrize(("then", "is_harmless"), [("discard;", True), ("{ forwarding-class alpha; }", False)])
def test_a_policer_of_an_interface(then: str, is_harmless: bool) -> None:
    text = RUNNING.replace("address 192.0.2.9/30;", "policer { input slow; }\naddress 192.0.2.9/30;")
    text += f"firewall {{ policer slow {{ {SLOW} then {then} }} }}\n"
    made = fitted(text) if is_harmless else fitted()
    if is_harmless:
        assert differences(read_merged("junos", render(made), text, made.interfaces), effective_of(made)) == []
    else:
        with pytest.raises(ParseError, match="only `discard` keeps their class"):
            read_merged("junos", render(made), text, made.interfaces)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (model("junos", "scavenger_policer"), "policers are per interface"),
        (model("junos", redirect="next_hop"), "would bypass that filter"),
        (build_model(router("junos", fast_lookup_filter=True), PLANS["two_queue"], PAIRS), "fast_lookup_filter"),
    ],
)
def test_what_a_list_cannot_do_is_refused_at_the_operators_statement(made: RouterModel, words: str) -> None:
    ((line, said),) = refused(made, RUNNING)
    assert line == "input CUSTOMERS;"
    assert words in said


def test_other_platforms_have_no_lists() -> None:
    made = fitted()
    with pytest.raises(ModelError, match="does not support a list of filters"):
        validate(type(made)(**{**model("iosxr").__dict__, "interfaces": made.interfaces}))


DAMAGED = [
    ("next term;", "accept;", "ends the evaluation before the following filters"),
    ("255.255.255.255/32", "255.255.255.0/24", "all ones"),
    ("[ hntes-alpha-v4-listed CUSTOMERS ]", "[ hntes-alpha-v4-listed hntes-alpha-v4 ]", "one filter of the operator"),
    ("[ hntes-alpha-v4-listed CUSTOMERS ]", "[ hntes-alpha-v4-listed A B ]", "one filter of the operator"),
    ("[ hntes-alpha-v4-listed CUSTOMERS ]", "[ CUSTOMERS hntes-alpha-v4-listed ]", "not in the text"),
]


@pytest.mark.parametrize(("old", "new", "words"), DAMAGED)
def test_a_damaged_list_of_a_candidate_is_refused(old: str, new: str, words: str) -> None:
    made = fitted()
    text = render(made)
    assert old in text
    with pytest.raises(ParseError, match=words):
        parse_config("junos", text.replace(old, new, 1), made.interfaces)
