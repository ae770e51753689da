"""Differences between rule sets, complete and in an operator's terms."""

import dataclasses

from hntes.rules.changeset.diff import diff_models, diff_text
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.settings.plans import ScavengerPolicer, TwoQueue
from tests.support.qos_models import PAIRS, PLANS, model, router

NEW = PrefixPair.parse("198.18.30.0/24>203.0.113.0/24")


def test_equal_models_differ_in_nothing() -> None:
    diff = diff_models(model(), model())
    assert diff.is_empty
    assert list(diff.lines()) == []
    assert diff.other_changes == ()


def test_the_first_configuration_is_all_new() -> None:
    diff = diff_models(None, model())
    assert diff.pairs_added == tuple(sorted(PAIRS, key=lambda pair: pair.sort_key))
    assert diff.pairs_removed == ()
    assert "plan_kind: (none) -> two_queue" in diff.settings_changes
    assert "forwarding_classes alpha: (none) -> queue 4" in diff.settings_changes


def test_pairs_that_come_and_go() -> None:
    diff = diff_models(model(), model(pairs=[*PAIRS[1:], NEW]))
    assert list(diff.lines()) == [f"+ pair {NEW}", f"- pair {PAIRS[0]}"]


def test_lines_name_old_and_new_values() -> None:
    old = build_model(router("junos"), PLANS["two_queue"], PAIRS)
    plan = TwoQueue(kind="two_queue", alpha_share_pct=50, beta_share_pct=40, alpha_priority="high")
    assert diff_models(old, build_model(router("junos"), plan, PAIRS)).settings_changes == (
        "schedulers hntes-alpha priority: medium-high -> high",
        "schedulers hntes-alpha transmit_share_pct: 55 -> 50",
    )


def test_a_policer_s_rate() -> None:
    def at(rate_bps: int) -> RouterModel:
        plan = ScavengerPolicer(kind="scavenger_policer", policer_rate_bps=rate_bps)
        return build_model(router("junos"), plan, PAIRS)

    diff = diff_models(at(10**9), at(2 * 10**9))
    assert diff.settings_changes == ("policers hntes-scavenger rate_bps: 1000000000 -> 2000000000",)


def test_a_change_that_all_pairs_share_is_one_line() -> None:
    diff = diff_models(model(), model(plan="wred_policer"))
    assert len(diff.term_changes) == len(PAIRS)
    assert "9 pairs: policer: (none) -> hntes-wred" in diff.other_changes


def test_a_change_of_few_pairs_names_them() -> None:
    old = model(pairs=PAIRS[:2])
    diff = diff_models(old, model(plan="wred_policer", pairs=PAIRS[:2]))
    assert f"pair {PAIRS[0]}: policer: (none) -> hntes-wred" in diff.other_changes


def test_redirect_and_interfaces() -> None:
    diff = diff_models(model(redirect="next_hop"), model(redirect="lsp"))
    assert "redirect kind: next_hop -> lsp" in diff.settings_changes
    assert "redirect ipv4: 192.0.2.1 -> (none)" in diff.settings_changes
    assert "redirect kind: lsp -> (none)" in diff_models(model(redirect="lsp"), model()).settings_changes
    old = model()
    fewer = dataclasses.replace(old, interfaces=old.interfaces[1:])
    assert diff_models(old, fewer).settings_changes == (
        "interfaces xe-0/0/0 unit 100: unit 100, role edge, rate_bps 10000000000 -> (none)",
    )


def _with_terms(old: RouterModel, index: int, order: list[int]) -> RouterModel:
    terms = tuple(old.filters[index].terms[place] for place in order)
    filters = list(old.filters)
    filters[index] = dataclasses.replace(filters[index], terms=terms)
    return dataclasses.replace(old, filters=tuple(filters))


def test_order_of_terms_is_seen_and_names_the_fewest_pairs() -> None:
    old = model()
    terms = old.filters[0].terms
    moved = _with_terms(old, 0, [1, 2, 3, 4, 0])
    diff = diff_models(old, moved)
    assert diff.terms_reordered == (terms[0].pair,)
    assert diff.other_changes == (f"order of pair {terms[0].pair} changes",)
    assert len(diff_models(old, _with_terms(old, 0, [4, 3, 2, 1, 0])).terms_reordered) == 4


def test_a_term_twice_or_in_the_other_family_is_seen() -> None:
    old = model()
    assert not diff_models(old, _with_terms(old, 0, [0, 0, 1, 2, 3, 4])).is_empty
    v4, v6 = old.filters
    swapped = dataclasses.replace(
        old, filters=(dataclasses.replace(v4, terms=v6.terms), dataclasses.replace(v6, terms=v4.terms))
    )
    assert not diff_models(old, swapped).is_empty


def test_order_of_named_things_is_seen() -> None:
    old = model()
    swapped = dataclasses.replace(old, schedulers=old.schedulers[::-1])
    assert diff_models(old, swapped).settings_changes == (
        (
            "schedulers order: hntes-beta, hntes-network-control, hntes-alpha -> "
            "hntes-alpha, hntes-network-control, hntes-beta"
        ),
    )


def test_text_diff_has_stable_labels() -> None:
    assert diff_text("a\nb\n", "a\nc\n") == "--- in force\n+++ candidate\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    assert diff_text("a\n", "a\n") == ""
    assert diff_text("", "a\n").startswith("--- in force\n+++ candidate\n")


def test_text_diff_shows_a_missing_last_line_end() -> None:
    assert diff_text("a\n", "a").endswith("-a\n+a\n\\ No newline at end of file\n")
