"""Each thing that must not be rendered is refused, by name, all at once, before any text is written."""

import dataclasses
from collections.abc import Callable
from ipaddress import IPv6Address

import pytest

from hntes.platforms.validate import validate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import (
    ForwardingClass,
    ModelError,
    Redirect,
    RouterModel,
)
from hntes.rules.qos.validate import problems
from hntes.settings.plans import TwoQueue
from tests.support.broken_models import GENERAL
from tests.support.model_changes import V4, V6, Change, in_term, put, replace_in
from tests.support.qos_models import model, router


@pytest.mark.parametrize(("plan", "change", "message"), GENERAL, ids=[message for _, _, message in GENERAL])
def test_is_refused_whatever_the_platform(plan: str, change: Change, message: str) -> None:
    broken = change(model(plan=plan))
    assert any(message in line for line in problems(broken)), problems(broken)


def test_all_problems_are_named_at_once() -> None:
    broken = replace_in("schedulers", 0, transmit_share_pct=0, priority="urgent")(model())
    with pytest.raises(ModelError) as caught:
        validate(broken)
    assert len(caught.value.problems) == 2
    assert all(line.startswith("router 'wr': scheduler hntes-beta: ") for line in caught.value.problems)
    assert str(caught.value).count("\n") == 1


def test_only_one_queue_may_be_strict_high() -> None:
    plan = TwoQueue(kind="two_queue", alpha_priority="strict-high", beta_priority="strict-high")
    (line,) = problems(build_model(router("junos"), plan, [V4]))
    assert "hntes-beta, hntes-alpha are all strict-high" in line


def _two_terms(first: str, second: str) -> RouterModel:
    return model(pairs=[PrefixPair.parse(first), PrefixPair.parse(second)])


def test_a_pair_twice_is_refused() -> None:
    text = "198.18.10.0/24>203.0.113.0/24"
    assert any(f"pair {V4} is defined 2 times" in line for line in problems(_two_terms(text, text)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("198.18.0.0/16>203.0.113.0/24", "198.18.10.0/24>203.0.0.0/16"),
        ("0.0.0.0/0>203.0.113.9/32", "198.18.10.7/32>203.0.113.0/24"),
        ("2001:db8::/48>2001:db8:2::9/128", "2001:db8:0:1::/64>2001:db8:2::/64"),
    ],
)
def test_crossing_pairs_are_refused_by_name(first: str, second: str) -> None:
    (line,) = problems(_two_terms(first, second))
    assert f"{PrefixPair.parse(first)} and {PrefixPair.parse(second)} cross" in line


def test_terms_out_of_order_are_refused() -> None:
    ordered = model()
    terms = ordered.filters[0].terms
    broken = replace_in("filters", 0, terms=(*terms[1:], terms[0]))(ordered)
    assert any("against the order of most specific first" in line for line in problems(broken))


NAMES = [
    "two words", "line\nend", "semi;colon", "brace{", "}", "bang!", "#hash", 'quo"te', "", "-lives", "ümlaut", "$x",
    "end\n", "a" * 65, "under__", "/*", "tab\t",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "change",
    [
        lambda name: put(router=name),
        lambda name: replace_in("forwarding_classes", 0, name=name),
        lambda name: replace_in("schedulers", 0, name=name),
        lambda name: replace_in("policers", 0, name=name),
        lambda name: replace_in("drop_profiles", 0, name=name),
        lambda name: replace_in("filters", 0, name=name),
        lambda name: replace_in("interfaces", 0, name=name),
        lambda name: in_term(name=name),
        lambda name: in_term(counter=name),
        lambda name: put(redirect=Redirect("lsp", None, None, name, 1)),
    ],
)
def test_no_name_can_end_a_line_a_word_or_a_block(name: str, change: Callable[[str], Change]) -> None:
    broken = change(name)(model(plan="wred_policer"))
    assert any(repr(name) in line for line in problems(broken))


def test_link_local_next_hop_is_refused() -> None:
    redirect = Redirect("next_hop", None, IPv6Address("fe80::1"), None, None)
    (line,) = problems(put(redirect=redirect)(model(redirect="next_hop", pairs=[V6])))
    assert "fe80::1 is link-local" in line


def test_core_units_of_one_port_share_its_rate() -> None:
    old = model()
    other = dataclasses.replace(old.interfaces[1], unit=9, rate_bps=1_000_000)
    assert any("the queues are the port's" in line for line in problems(put(interfaces=(*old.interfaces, other))(old)))


def test_classes_and_their_duplicates() -> None:
    old = model()
    twice = put(forwarding_classes=(*old.forwarding_classes, ForwardingClass("alpha", 6)))(old)
    assert any("forwarding class alpha is defined 2 times" in line for line in problems(twice))
