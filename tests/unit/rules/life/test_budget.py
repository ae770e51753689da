"""Which rules get a filter term when not all can."""

from dataclasses import replace
from datetime import date

import pytest

from rules.life.budget import within_budget
from rules.life.rule_set import Rule
from rules.pairs import PrefixPair

DAY = date(2026, 3, 1)
RULES = tuple(
    Rule(PrefixPair.parse(f"198.18.{n}.0/24>203.0.113.0/24"), DAY, DAY, DAY, 1, 1, 1, recent, 1, 0, 0, "", pinned=False)
    for n, recent in enumerate([10, 30, 20, 30])
)


def test_all_rules_fit() -> None:
    selection = within_budget(reversed(RULES), 4)
    assert (selection.kept, selection.left_out, selection.report) == (RULES, (), "")


def test_those_that_caught_most_are_kept_in_filter_order() -> None:
    selection = within_budget(RULES, 2)
    assert selection.kept == (RULES[1], RULES[3])
    assert selection.left_out == (RULES[2], RULES[0])
    assert selection.left_out_bytes == 30
    assert selection.report == (
        "4 pairs want a filter term, the budget is 2: 2 left out, with 30 alpha bytes in the ageing interval"
    )


def test_ties_go_by_filter_order() -> None:
    assert within_budget(RULES, 1).kept == (RULES[1],)


def test_pinned_rules_come_first_then_protected_ones() -> None:
    pinned, protected = replace(RULES[0], pinned=True), replace(RULES[2], protected=True)
    rules = [pinned, RULES[1], protected, RULES[3]]
    assert within_budget(rules, 1).kept == (pinned,)
    assert within_budget(rules, 2).kept == (pinned, protected)
    assert within_budget(rules, 3).kept == (pinned, RULES[1], protected)


def test_pinned_rules_left_out_are_reported_with_the_remedy() -> None:
    selection = within_budget([replace(rule, pinned=True) for rule in RULES], 1)
    assert selection.report.endswith("3 of them pinned: raise term_budget or withdraw pins")


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        within_budget(RULES, -1)
