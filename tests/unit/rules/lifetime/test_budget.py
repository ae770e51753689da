"""The rules that get a filter term when there is no space for all."""

from dataclasses import replace
from datetime import date

import pytest

from hntes.rules.lifetime.evenings import Policy
from hntes.rules.lifetime.rule import Rule
from hntes.rules.pairs import PrefixPair
from tests.support.rule_sets import LENGTHS, within_budget

DAY = date(2026, 3, 1)
GB = 10**9
RULES = tuple(
    Rule(PrefixPair.parse(f"198.18.{n}.0/24>203.0.113.0/24"), DAY, DAY, DAY, 1, 1, 1, recent, 1, 0, 0, "", pinned=False)
    for n, recent in enumerate([10 * GB, 30 * GB, 20 * GB, 30 * GB])
)


def test_all_rules_fit() -> None:
    selection = within_budget(reversed(RULES), 4)
    assert (selection.kept, selection.left_out, selection.report) == (RULES, (), "")


def test_those_that_caught_most_are_kept_in_filter_order() -> None:
    selection = within_budget(RULES, 2)
    assert selection.kept == (RULES[1], RULES[3])
    assert selection.left_out == (RULES[2], RULES[0])
    assert selection.left_out_bytes == 30 * GB
    assert selection.report == (
        "4 pairs qualify for a term, the budget is 2: 2 left out, with 30 GB of alpha traffic in the ageing interval"
    )


def test_ties_go_by_filter_order() -> None:
    assert within_budget(RULES, 1).kept == (RULES[1],)


def test_protected_rules_come_first_then_pinned_ones() -> None:
    """On a night with incomplete data a pin that comes into effect pushes nothing in force out."""
    pinned, protected = replace(RULES[0], pinned=True), replace(RULES[2], protected=True)
    rules = [pinned, RULES[1], protected, RULES[3]]
    assert within_budget(rules, 1).kept == (protected,)
    assert within_budget(rules, 2).kept == (pinned, protected)
    assert within_budget(rules, 3).kept == (pinned, RULES[1], protected)


def test_a_pair_in_force_is_not_pushed_out_by_one_seen_on_a_single_day() -> None:
    small, huge = replace(RULES[0], recent_bytes=1), replace(RULES[1], recent_bytes=10**15)
    assert within_budget([small, huge], 1, {small.pair}).kept == (small,)
    assert within_budget([small, huge], 1).kept == (huge,)
    assert within_budget([small, replace(huge, days_seen=2)], 1, {small.pair}).kept[0].pair == huge.pair


def test_a_pair_seen_on_two_days_comes_before_those_seen_on_one() -> None:
    regular, huge = replace(RULES[0], recent_bytes=1, days_seen=2), replace(RULES[1], recent_bytes=10**15)
    assert within_budget([regular, huge], 1).kept == (regular,)


def test_pairs_of_about_equal_size_do_not_take_turns_at_the_budgets_edge() -> None:
    """Each night another of the two has carried a little more: the one in force stays."""
    one, two = (replace(rule, days_seen=5) for rule in RULES[:2])
    in_force = {one.pair}
    for night in range(6):
        tonight = [replace(one, recent_bytes=100 + 9 * (night % 2)), replace(two, recent_bytes=105)]
        kept = within_budget(tonight, 1, in_force).kept
        assert [rule.pair for rule in kept] == [one.pair]
        in_force = {rule.pair for rule in kept}
    assert (
        within_budget([replace(one, recent_bytes=100), replace(two, recent_bytes=201)], 1, in_force).kept[0].pair
        == two.pair
    )


def test_pinned_rules_left_out_are_reported_with_the_remedy() -> None:
    selection = within_budget([replace(rule, pinned=True) for rule in RULES], 1)
    assert selection.report.endswith("3 of them pinned: raise term_budget or withdraw pins")


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        Policy(LENGTHS, 30, "accept", -1)
