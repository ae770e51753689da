"""FlowSpec rules as values, their canonical text, and the bounds of an announcement."""

import pytest

from hntes.delivery.flowspec.rule import (
    Bounds,
    FlowSpecRule,
    RouteTarget,
    RuleError,
    parse_rules,
    rules_hash,
    rules_of,
    rules_text,
)
from hntes.rules.pairs import PrefixPair

FOUR, SIX = (PrefixPair.parse(text) for text in ("198.18.10.0/24>203.0.113.0/24", "2001:db8:1::/64>2001:db8:2::/64"))
BOUNDS = Bounds(2, 24, 64)


def test_the_text_has_one_rule_a_line_whatever_their_order_was() -> None:
    target = RouteTarget.parse("64512:100")
    rules = [FlowSpecRule(SIX.source, SIX.destination, 10), FlowSpecRule(FOUR.source, FOUR.destination, 10, target)]
    text = "198.18.10.0/24 > 203.0.113.0/24 dscp 10 redirect 64512:100\n2001:db8:1::/64 > 2001:db8:2::/64 dscp 10\n"
    assert rules_text(rules) == rules_text(reversed(rules)) == text
    assert set(parse_rules(text)) == set(rules)
    assert rules_hash(rules) != rules_hash(rules[:1])


@pytest.mark.parametrize(
    "text",
    [
        "198.18.10.0/24 dscp 10\n",
        "198.18.10.0/24 > 203.0.113.0/24\n",
        "198.18.10.1/24 > 203.0.113.0/24 dscp 10\n",
        "198.18.10.0/24 > 203.0.113.0/24 dscp 64\n",
        "198.18.10.0/24 > 2001:db8::/64 dscp 10\n",
        "198.18.10.0/24 > 203.0.113.0/24 dscp 010\n",
        "198.18.10.0/24 > 203.0.113.0/24 dscp 10",
        "198.18.10.0/24 > 203.0.113.0/24 dscp 10 redirect 4200000000:65536\n",
        "2001:db8:1::/64 > 2001:db8:2::/64 dscp 10\n198.18.10.0/24 > 203.0.113.0/24 dscp 10\n",
        "198.18.10.0/24 > 203.0.113.0/24 dscp 10\n198.18.10.0/24 > 203.0.113.0/24 dscp 10\n",
    ],
)
def test_what_is_not_written_as_it_would_be_is_refused(text: str) -> None:
    with pytest.raises(RuleError):
        parse_rules(text)


def test_pairs_become_rules_within_the_bounds() -> None:
    assert {rule.pair for rule in rules_of([FOUR, SIX], 10, None, BOUNDS)} == {FOUR, SIX}
    with pytest.raises(RuleError, match="2 rules exceed the router's limit of 1"):
        rules_of([FOUR, SIX], 10, None, Bounds(1, 24, 64))
    with pytest.raises(RuleError, match=r"198\.18\.10\.0/24 is shorter than /25"):
        rules_of([FOUR], 10, None, Bounds(2, 25, 64))
    with pytest.raises(RuleError, match="2001:db8:1::/64 is shorter than /65"):
        rules_of([SIX], 10, None, Bounds(2, 24, 65))


@pytest.mark.parametrize("text", ["0.0.0.0/0>203.0.113.0/24", "2001:db8::/32>::/0"])
def test_no_rule_goes_without_both_prefixes_even_where_the_settings_allow_any(text: str) -> None:
    with pytest.raises(RuleError, match="/0 is shorter than /1"):
        rules_of([PrefixPair.parse(text)], 10, None, Bounds(2, 0, 0))


@pytest.mark.parametrize("text", ["64512", "0:1", "64512:4294967296", "65536:65536", "4294967296:1", "a:b", "-1:2"])
def test_no_route_target(text: str) -> None:
    with pytest.raises(RuleError):
        RouteTarget.parse(text)
