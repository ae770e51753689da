"""A candidate says only what the gate judges: whatever else stands in it is refused with its line."""

import re
from typing import Any

import pytest

from hntes.platforms.compare import differences
from hntes.platforms.expected import effective_of
from hntes.platforms.parse import ParseError, parse_config
from hntes.platforms.render import render
from tests.support.harmful_statements import Harmful, harmful_statements
from tests.support.qos_models import PLATFORMS, model

HARMFUL = harmful_statements()


def refusal_of(platform: Any, text: str, redirect: str = "none") -> ParseError:
    with pytest.raises(ParseError) as caught:
        parse_config(platform, text, model(platform, redirect=redirect).interfaces)
    return caught.value


@pytest.mark.parametrize("platform", PLATFORMS)
def test_each_platform_has_some(platform: str) -> None:
    assert len({each.what for each in HARMFUL if each.platform == platform}) > 10


@pytest.mark.parametrize("harmful", HARMFUL, ids=lambda each: f"{each.platform}: {each.what}")
def test_a_harmful_statement_is_refused_with_its_line(harmful: Harmful) -> None:
    text, line = harmful.put_into(render(model(harmful.platform)))
    assert refusal_of(harmful.platform, text).line == line


# What an attacker, or a tired colleague, may try: taken by a reader, but of another effect on a router.
TRICKS = {
    "the filter bears the name of the control plane's": (
        "junos", "next_hop", "hntes-alpha-v4", "PROTECT-RE", "not an object of HNTES",
    ),
    "a list bears the name of the router's own": ("iosxr", "none", "hntes-alpha-v4", "management", "not an object of"),
    "a policy bears the name of the router's own": ("iosxe", "none", "hntes-in", "copp", "not an object of HNTES"),
    "the tag stands before the family": (
        "junos", "none", "    family inet {\n        replace: filter", "    replace: family inet {\n        filter",
        "replaces more than an object",
    ),
    "the tag stands before all filters": (
        "junos", "none", "firewall {\n    family inet {", "firewall {\n    replace: family inet {", "replaces more",
    ),
    "a tag with the family in one statement": (
        "junos", "none", "    family inet {\n        replace: filter hntes-alpha-v4 {",
        "    replace: family inet filter hntes-alpha-v4 {{", "brace|statement",
    ),
    "the interfaces' routes go into a third table": (
        "junos", "next_hop", "[ inet.0 hntes-alpha.inet.0 ]", "[ inet.0 hntes-alpha.inet.0 inet.2 ]", "no meaning",
    ),
    "two exported policies": (
        "junos", "lsp", "export hntes-alpha-lsp;", "export [ hntes-alpha-lsp accept-all ];", "no meaning|not in",
    ),
    "a counter beside nothing": ("junos", "none", "count alpha-", "sample; count alpha-", "no meaning"),
    "a wildcard": ("junos", "none", "        xe-0/0/1 {", "        <*> {", "is not allowed"),
    "a quoted word": ("junos", "none", "term default", 'term "default"', "is not allowed"),
    "an annotation": ("junos", "none", "firewall {", "/* x */ firewall {", "is not allowed"),
    "a pair that is not the term's": (
        "junos", "none", "/* 198.18.10.7/32 > 203.0.113.9/32", "/* 198.18.10.8/32 > 203.0.113.9/32", "is not the pair",
    ),
    "a pair above nothing": (
        "junos", "none", "firewall {", "/* 198.18.10.7/32 > 203.0.113.9/32 */\nfirewall {", "is not the pair",
    ),
    "a pair above the wrong statement of its term": (
        "junos", "none", "                from {\n",
        "                /* 198.18.10.7/32 > 203.0.113.9/32 */\n                from {\n", "is not the pair",
    ),
    "a pair with a word more": (
        "junos", "none", "203.0.113.9/32 */", "203.0.113.9/32 approved */", "is not allowed",
    ),
    "a statement behind a pair": (
        "junos", "none", "203.0.113.9/32 */", "203.0.113.9/32 */ interface-specific;", "is not allowed",
    ),
    "a pair over two lines": ("junos", "none", "203.0.113.9/32 */", "203.0.113.9/32\n*/", "is not allowed"),
    "two pairs above a term": (
        "junos", "none", "            /* 198.18.10.7/32 > 203.0.113.9/32 */\n",
        "            /* 198.18.10.7/32 > 203.0.113.9/32 */\n            /* 198.18.10.7/32 > 203.0.113.9/32 */\n",
        "is not the pair",
    ),
    "a comment below the head": ("junos", "none", "firewall {", "firewall { # x\n", "is not allowed"),
    "a carriage return": ("junos", "none", "firewall {", "firewall {\r", "is not allowed"),
    "a form feed": ("iosxr", "none", " match dscp cs6", " match\fdscp cs6", "is not allowed"),
    "a tab": ("iosxe", "none", " match qos-group 4", "\tmatch qos-group 4", "is not allowed"),
    "a blank that is none": ("iosxe", "none", " match qos-group 4", " match qos-group\u00a04", "is not allowed"),
    "a letter that looks like another": ("iosxr", "none", "qos-group 4", "qos-gr\u043eup 4", "is not allowed"),
    "a comment that speaks for the gate": (
        "iosxr", "none", "policy-map hntes-in", "! gate: passed\npolicy-map hntes-in", "is not allowed",
    ),
    "a statement twice": ("junos", "none", "priority high;", "priority high;\n  priority high;", "is repeated"),
    "the beginning of a statement": ("junos", "none", "firewall {", "firewall;\nfirewall {", "no meaning"),
    "an empty block": (
        "junos", "none", "class-of-service {", "policy-options { }\nclass-of-service {", "is empty",
    ),
    "a margin of its own": ("iosxe", "none", " match qos-group 4", "  match qos-group 4", "is indented by"),
    "no margin": ("iosxr", "none", " match qos-group 4", "match qos-group 4", "its mode is ambiguous"),
    "a section that is entered again": (
        "iosxr", "none", "interface TenGigE0/0/0/1\n", "interface TenGigE0/0/0/1\ninterface TenGigE0/0/0/1\n",
        "no meaning",
    ),
    "the mode ends early": (
        "iosxr", "none", " class class-default\n  set qos-group 0", " end-policy-map\n class class-default\n",
        "outside",
    ),
    "the wrong end": ("iosxr", "none", " end-class-map", " end-policy-map", "ends a policy-map|changes the mode"),
    "root": ("iosxr", "none", "policy-map hntes-in", "root\npolicy-map hntes-in", "changes the mode"),
    "end": ("iosxe", "none", "policy-map hntes-in", "end\npolicy-map hntes-in", "changes the mode"),
    "do": ("iosxe", "none", "policy-map hntes-in", "do reload\npolicy-map hntes-in", "changes the mode"),
    "a line without a number": ("iosxe", "none", " 367894 permit ip", " permit ip", "no meaning"),
    "a logged line": ("iosxr", "none", "host 203.0.113.9", "host 203.0.113.9 log", "no meaning"),
    "a list is removed after it was built": (
        "iosxr", "none", "class-map match-any hntes-alpha\n",
        "no ipv4 access-list hntes-alpha-v4\nclass-map match-any hntes-alpha\n", "removes the object that line",
    ),
    "a list is removed on a platform that must not": (
        "iosxe", "none", "ip access-list extended hntes-alpha-v4\n",
        "no ip access-list extended hntes-alpha-v4\nip access-list extended hntes-alpha-v4\n", "no meaning",
    ),
    "an interface ahead of its hardware": (
        "iosxr", "none", "interface TenGigE0/0/0/1\n", "interface preconfigure TenGigE0/0/0/1\n", "not an interface",
    ),
    "a tunnel gets more than its class": (
        "iosxr", "lsp", "\n forward-class 1", "\n forward-class 1\n shutdown", "no meaning",
    ),
    "a tunnel of two classes": (
        "iosxr", "lsp", "\n forward-class 1", "\n forward-class 1\n forward-class 2", "no meaning",
    ),
    "a filter without a family bears the name of the control plane's": (
        "junos", "none", "    family inet {\n        replace: filter hntes-alpha-v4 {",
        "filter PROTECT-RE { term x { then accept; } }\n    family inet {\n        replace: filter hntes-alpha-v4 {",
        "not an object of HNTES",
    ),
    "a line within the head": ("iosxe", "none", "! generator", "! \u2028generator", "is not allowed"),
}  # fmt: skip


@pytest.mark.parametrize("name", TRICKS)
def test_a_trick_is_refused(name: str) -> None:
    platform, redirect, old, new, reason = TRICKS[name]
    text = render(model(platform, redirect=redirect))
    assert old in text
    count = -1 if "name of" in name and "family" not in name else 1
    refusal = refusal_of(platform, text.replace(old, new, count), redirect)
    assert refusal.line > 0
    assert re.search(reason, refusal.reason), refusal


# The same, put into a candidate that marks packets.
ECN_TRICKS = {
    "the beta queue marks, too": (
        "junos", "priority medium-low;", "priority medium-low;\n explicit-congestion-notification;",
        "needs a drop profile",
    ),
    "marks without a drop profile": (
        "junos", "            drop-profile-map loss-priority low protocol any drop-profile hntes-ecn;\n", "",
        "needs a drop profile",
    ),
    "the drop profile of somebody else": ("junos", "drop-profile hntes-ecn;", "drop-profile aggressive;", "not in the"),
    "marks by time in the queue": (
        "junos", "explicit-congestion-notification;", "latency-ecn { threshold 1000; }", "not understood",
    ),
    "marks twice": (
        "junos", "explicit-congestion-notification;",
        "explicit-congestion-notification;\n explicit-congestion-notification;", "is repeated",
    ),
    "two profiles for one loss priority": (
        "junos", "explicit-congestion-notification;",
        "explicit-congestion-notification;\n drop-profile-map loss-priority any protocol any drop-profile hntes-ecn;",
        "has two drop profiles",
    ),
    "class-default marks, too": (
        "iosxe", "  bandwidth percent 40\n", "  bandwidth percent 40\n  random-detect ecn\n", "defines when",
    ),
    "marks without thresholds": ("iosxr", "  random-detect discard-class 0 50 ms 100 ms\n", "", "defines when"),
    "marks said twice": ("iosxr", "  random-detect ecn\n", "  random-detect ecn\n  random-detect ecn\n", "no meaning"),
    "marks and thresholds of their own": (
        "iosxr", "  random-detect ecn\n", "  random-detect ecn 1 ms 2 ms\n", "only `random-detect ecn`",
    ),
    "marks are taken back": (
        "iosxe", "  random-detect ecn\n", "  no random-detect ecn\n", "negates a statement",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ECN_TRICKS)
def test_a_trick_with_marks_is_refused(name: str) -> None:
    platform, old, new, reason = ECN_TRICKS[name]
    made = model(platform, "two_queue_ecn")
    text = render(made)
    assert parse_config(made.platform, text, made.interfaces)
    assert old in text
    assert re.search(reason, refusal_of(platform, text.replace(old, new, 1)).reason)


@pytest.mark.parametrize(
    ("platform", "old", "new"),
    [
        ("junos", "            explicit-congestion-notification;\n", ""),
        ("junos", "fill-level [ 0 50 100 ]", "fill-level [ 0 1 100 ]"),
        ("iosxr", "  random-detect ecn\n", ""),
        ("iosxr", "discard-class 0 50 ms", "discard-class 0 5 ms"),
        ("iosxe", "  random-detect ecn\n", ""),
        ("iosxe", "discard-class 0 2291 4583", "discard-class 0 2291 2300"),
    ],
)
def test_marks_that_are_not_those_of_the_plan_are_a_difference(platform: str, old: str, new: str) -> None:
    made = model(platform, "two_queue_ecn")
    text = render(made)
    assert old in text
    found = parse_config(made.platform, text.replace(old, new, 1), made.interfaces)
    assert differences(parse_config(made.platform, text, made.interfaces), effective_of(made)) == []
    assert differences(found, effective_of(made))
