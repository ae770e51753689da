"""Each thing that must not be rendered is refused, by name, all at once, before any text is written."""

import dataclasses
from collections.abc import Callable
from ipaddress import IPv6Address
from typing import Any

import pytest

from hntes.platforms.render import render
from hntes.platforms.validate import problems, validate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import (
    DropBinding,
    DropPoint,
    DropProfile,
    ForwardingClass,
    ModelError,
    Redirect,
    RouterModel,
)
from hntes.settings.plans import TwoQueue, WredPolicer
from tests.support.qos_models import PLATFORMS, REDIRECTS, model, router

Change = Callable[[RouterModel], RouterModel]


def replace_in(field: str, index: int, **changes: Any) -> Change:
    """A change of some values of one item of a list of the model."""

    def change(old: RouterModel) -> RouterModel:
        items = list(getattr(old, field))
        items[index] = dataclasses.replace(items[index], **changes)
        return dataclasses.replace(old, **{field: tuple(items)})

    return change


def put(**changes: Any) -> Change:
    return lambda old: dataclasses.replace(old, **changes)


def in_term(**changes: Any) -> Change:
    def change(old: RouterModel) -> RouterModel:
        first, *others = old.filters[0].terms
        return replace_in("filters", 0, terms=(dataclasses.replace(first, **changes), *others))(old)

    return change


def points(*values: tuple[int, int]) -> tuple[DropPoint, ...]:
    return tuple(DropPoint(*value) for value in values)


V4 = PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")
V6 = PrefixPair.parse("2001:db8:1::/64>2001:db8:2::/64")

GENERAL: list[tuple[str, Change, str]] = [
    ("two_queue", replace_in("schedulers", 0, transmit_share_pct=0), "scheduler hntes-beta: transmit share 0% is out"),
    ("two_queue", replace_in("schedulers", 0, buffer_share_pct=101), "buffer share 101% is out of 1..100"),
    ("two_queue", replace_in("schedulers", 0, transmit_share_pct=41), "transmit shares add up to 101%"),
    ("two_queue", replace_in("schedulers", 0, buffer_share_pct=41), "buffer shares add up to 101%"),
    ("two_queue", replace_in("schedulers", 0, priority="urgent"), "priority 'urgent' is none of low"),
    ("two_queue", replace_in("forwarding_classes", 2, queue=8), "class alpha: queue 8 is out of 0..7"),
    ("two_queue", replace_in("forwarding_classes", 2, queue=3), "network-control, alpha share queue 3"),
    ("two_queue", replace_in("forwarding_classes", 0, queue=6), "no forwarding class has queue 0"),
    ("two_queue", replace_in("schedulers", 2, forwarding_class="gold"), "class gold, which is not defined"),
    ("two_queue", replace_in("schedulers", 2, forwarding_class="beta"), "class alpha has 0 schedulers"),
    ("two_queue", replace_in("schedulers", 2, name="hntes-beta"), "scheduler hntes-beta is defined 2 times"),
    ("two_queue", replace_in("schedulers", 2, ecn=True), "hntes-alpha: marks packets (ECN), but no drop profile"),
    ("two_queue_ecn", replace_in("schedulers", 2, priority="strict-high"), "strict-high queue does not mark"),
    ("wred_policer", put(drop_profiles=()), "drop profile hntes-occupancy is not defined"),
    ("wred_policer", replace_in("drop_profiles", 0, points=points((0, 0), (0, 100))), "fill levels [0, 0] do not"),
    ("wred_policer", replace_in("drop_profiles", 0, points=points((0, 0), (101, 100))), "out of 0..100"),
    ("wred_policer", replace_in("drop_profiles", 0, points=points((0, 5), (100, 1))), "fall as the queue fills"),
    ("wred_policer", replace_in("drop_profiles", 0, points=points((100, 100))), "has 1 points"),
    ("wred_policer", replace_in("policers", 0, burst_bytes=2_999), "hntes-wred: burst 2999 bytes is below 3000"),
    ("wred_policer", replace_in("policers", 0, rate_bps=1), "hntes-wred: rate 1 bit/s is below 8000"),
    ("wred_policer", replace_in("policers", 0, out_loss_priority=None), "either discard, or change class"),
    ("wred_policer", replace_in("policers", 0, out_loss_priority="red"), "loss priority 'red' is none of"),
    ("wred_policer", replace_in("policers", 0, out_discard=True), "either discard, or change class"),
    ("scavenger_policer", replace_in("policers", 0, out_forwarding_class="x"), "class x is not defined"),
    ("three_color_marker", replace_in("three_color_policers", 0, peak_rate_bps=None), "belongs to a two_rate marker"),
    ("three_color_marker", replace_in("three_color_policers", 0, peak_rate_bps=9_000), "is below the committed rate"),
    ("three_color_marker", replace_in("three_color_policers", 0, excess_burst_bytes=1), "burst 1 bytes is below 3000"),
    ("two_queue", in_term(forwarding_class="gold"), "forwarding class gold is not defined"),
    ("two_queue", in_term(policer="gone"), "policer gone is not defined"),
    ("two_queue", in_term(destination=V6.destination), "are not both IPv4"),
    ("two_queue", in_term(source=V6.source, destination=V6.destination), "are not both IPv4"),
    ("two_queue", in_term(redirect=True), "terms redirect, but the router has no redirect"),
    ("two_queue", replace_in("filters", 0, final_action="discard"), "beta traffic would be lost"),
    ("two_queue", put(filters=()), "needs one filter for IPv4 and then one for IPv6"),
    ("two_queue", put(interfaces=()), "no interface has role edge"),
    ("two_queue", put(interfaces=()), "no interface has role core"),
    ("two_queue", replace_in("interfaces", 1, rate_bps=0), "is too small"),
]


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize(("plan", "change", "message"), GENERAL, ids=[message for _, _, message in GENERAL])
def test_is_refused_on_each_platform(platform: str, plan: str, change: Change, message: str) -> None:
    broken = change(model(platform, plan))
    assert any(message in line for line in problems(broken)), problems(broken)
    with pytest.raises(ModelError):
        render(broken)


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
    "two words", "line\nend", "semi;colon", "brace{", "}", "bang!", "#hash", 'quo"te', "", "9lives", "ümlaut", "$x",
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


@pytest.mark.parametrize("platform", PLATFORMS)
def test_next_hop_of_a_family_is_needed_where_pairs_are(platform: str) -> None:
    only_v4 = router(platform, redirect=None).model_copy(
        update={"redirect": router(platform, "next_hop").redirect.model_copy(update={"ipv6": None})}  # type: ignore[union-attr]
    )
    plan = TwoQueue(kind="two_queue")
    assert problems(build_model(only_v4, plan, [V4])) == []
    (line,) = problems(build_model(only_v4, plan, [V4, V6]))
    assert "there are IPv6 pairs but no IPv6 next hop; set ipv6" in line


def test_link_local_next_hop_is_refused() -> None:
    redirect = Redirect("next_hop", None, IPv6Address("fe80::1"), None, None)
    (line,) = problems(put(redirect=redirect)(model(redirect="next_hop", pairs=[V6])))
    assert "fe80::1 is link-local" in line


@pytest.mark.parametrize(("platform", "needed"), [("junos", "name"), ("iosxr", "tunnel"), ("iosxe", "tunnel")])
def test_lsp_redirect_needs_what_the_platform_calls_it(platform: str, needed: str) -> None:
    assert REDIRECTS["lsp"] is not None
    broken = put(redirect=Redirect("lsp", None, None, None, None))(model(platform, redirect="lsp"))
    assert any(line.endswith(f"an lsp on {platform} needs {needed}") for line in problems(broken))


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_what_cisco_cannot_take(platform: str) -> None:
    strict_beta = TwoQueue(kind="two_queue", beta_priority="strict-high")
    strict_wred = WredPolicer(kind="wred_policer", alpha_priority="strict-high")
    bent = DropProfile("hntes-occupancy", points((0, 0), (50, 10), (100, 100)))
    big = replace_in("policers", 0, burst_bytes=600_000_000)
    for broken, message in (
        (build_model(router(platform), strict_beta, [V4]), "class-default cannot be strict-high"),
        (build_model(router(platform), strict_wred, [V4]), "takes no random-detect"),
        (put(drop_profiles=(bent,))(model(platform, "wred_policer")), "one straight line"),
        (big(model(platform, "wred_policer")), "is out of 1000..512000000"),
        (in_term(forwarding_class="beta")(model(platform)), "treats all pairs alike"),
    ):
        assert any(message in line for line in problems(broken)), message


def test_iosxr_rates_must_have_a_whole_number() -> None:
    broken = replace_in("policers", 0, rate_bps=5_000_000_001)(model("iosxr", "wred_policer"))
    (line,) = problems(broken)
    assert "has no whole number of kbps, mbps or gbps" in line


def test_what_iosxe_cannot_take() -> None:
    fast = replace_in("interfaces", 1, rate_bps=3_000_000_000_000)(model("iosxe"))
    for broken, message in (
        (replace_in("policers", 0, rate_bps=64_000_000_001)(model("iosxe", "wred_policer")), "is above 64000000000"),
        (fast, "scheduler hntes-alpha: its queue at 3000000000000 bit/s is 13750000 packets, above 8192000"),
    ):
        assert any(message in line for line in problems(broken)), message
    assert problems(replace_in("policers", 0, rate_bps=64_000_000_000)(model("iosxe", "wred_policer"))) == []


def test_what_junos_cannot_take() -> None:
    deep = replace_in("policers", 0, burst_bytes=10_000_000_001)(model("junos", "wred_policer"))
    high = replace_in("interfaces", 0, unit=1_073_741_824)(model("junos"))
    assert any("burst 10000000001 bytes is out of 1500..10000000000 on junos" in line for line in problems(deep))
    assert any("unit 1073741824 is above 1073741823" in line for line in problems(high))


@pytest.mark.parametrize(("platform", "longest"), [("iosxr", 51), ("iosxe", 28)])
def test_names_must_fit_a_class_map_and_an_access_list(platform: str, longest: int) -> None:
    def named(name: str) -> RouterModel:
        classes = replace_in("forwarding_classes", 1, name=name)(model(platform))
        return replace_in("schedulers", 1, forwarding_class=name)(classes)

    assert problems(named("c" * longest)) == []
    assert any(
        f"has {longest + 1} characters; {platform} takes {longest} here" in line
        for line in problems(named("c" * (longest + 1)))
    )
    (line,) = problems(replace_in("filters", 0, name="f" * 61)(model(platform)))
    assert f"has 61 characters; {platform} takes 60 here" in line


def test_core_units_of_one_port_share_its_rate() -> None:
    old = model()
    other = dataclasses.replace(old.interfaces[1], unit=9, rate_bps=1_000_000)
    assert any("the queues are the port's" in line for line in problems(put(interfaces=(*old.interfaces, other))(old)))


def test_classes_and_their_duplicates() -> None:
    old = model()
    twice = put(forwarding_classes=(*old.forwarding_classes, ForwardingClass("alpha", 6)))(old)
    assert any("forwarding class alpha is defined 2 times" in line for line in problems(twice))


def test_a_fast_lookup_filter_takes_no_more_terms_than_its_hardware() -> None:
    pairs = [
        PrefixPair.parse(f"198.18.{n // 250}.{n % 250 + 1}/32>203.0.113.{side}/32")
        for n in range(4_000)
        for side in (1, 2)
    ]
    made = build_model(router("junos", fast_lookup_filter=True), TwoQueue(kind="two_queue"), pairs)
    (line,) = problems(made)
    assert "has 8001 terms; a fast-lookup filter takes 8000" in line
    assert problems(build_model(router("junos", fast_lookup_filter=True), TwoQueue(kind="two_queue"), pairs[1:])) == []
    assert problems(build_model(router("junos"), TwoQueue(kind="two_queue"), pairs)) == []


def test_a_class_of_iosxr_takes_two_pairs_of_thresholds() -> None:
    def dropping(platform: str) -> RouterModel:
        made = model(platform, "three_color_marker")
        third = DropBinding("medium-low", "hntes-occupancy")
        return replace_in("schedulers", 2, drops=(third, *made.schedulers[2].drops))(made)

    assert any("has 3 drop profiles; a class on iosxr takes 2" in line for line in problems(dropping("iosxr")))
    for made in (dropping("iosxe"), dropping("junos"), model("iosxr", "three_color_marker")):
        assert problems(made) == []
