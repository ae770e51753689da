"""Reservations in the model: terms before the pairs', a policer each, and what is refused."""

from dataclasses import replace
from ipaddress import ip_network

import pytest

from hntes.platforms.render import render
from hntes.platforms.validate import problems
from hntes.rules.qos.build import build_model
from hntes.rules.qos.json_form import from_json, model_hash, to_json
from hntes.rules.qos.model import ModelError, RouterModel, TwoColorPolicer
from hntes.rules.qos.reserved import Reserved, reserved_of, with_reserved, without_reserved
from hntes.settings.plans import TwoQueue
from tests.contract.platform.models import redirects_of
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, RESERVED, router

# The slowest core port has 1 Gb/s: 33% of it are 330 Mb/s.
CAP_BPS = 330_000_000
FLOWSPEC = {"speaker": "127.0.0.1:50051", "neighbor": "192.0.2.1", "dscp": 10, "community": "64512:17"}


def one(name: str = "reservation-1", **changes: object) -> Reserved:
    return replace(RESERVED[0], name=name, **changes)


def made(platform: str, *reserved: Reserved, plan: str = "premium", **changes: object) -> RouterModel:
    return build_model(router(platform, **changes), PLANS[plan], PAIRS, reserved)


def hosts(count: int) -> list[Reserved]:
    """As many reservations of different pairs of hosts, 8 kb/s each."""
    return [
        Reserved(f"r-{each}", ip_network(f"198.18.40.{each}/32"), ip_network("203.0.113.9/32"), 8_000, 3_000)
        for each in range(count)
    ]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_terms_stand_before_the_pairs_most_specific_first(platform: str) -> None:
    built = made(platform, *RESERVED)
    names = [term.name for term in built.filter_of(4).all_terms]
    assert names[:2] == ["premium-reservation-2", "premium-reservation-1"]
    assert all(name.startswith("alpha-") for name in names[2:])
    assert [term.name for term in built.filter_of(6).reserved] == ["premium-reservation-12"]
    assert built == made(platform, *reversed(RESERVED))
    assert problems(built) == []


@pytest.mark.parametrize(
    ("plan", "excess", "is_lost"), [("premium", None, True), ("premium_best_effort", "beta", False)]
)
def test_each_has_a_policer_of_its_own(plan: str, excess: str | None, is_lost: bool) -> None:
    built = made("junos", one(), plan=plan)
    policer = "hntes-premium-reservation-1"
    assert built.policers == (TwoColorPolicer(policer, 150_000_000, 500_000, excess, None, is_lost),)
    (term,) = built.filter_of(4).reserved
    assert (term.policer, term.forwarding_class, term.redirect) == (policer, "premium", False)


def test_queue_and_class_are_those_of_the_settings() -> None:
    built = made("junos", one(), queues={"premium": 2}, class_names={"premium": "circuits", "beta": "rest"})
    assert built.queue_of("circuits") == 2
    assert built.filter_of(4).reserved[0].forwarding_class == "circuits"
    excess = made("junos", one(), plan="premium_best_effort", class_names={"beta": "rest"})
    assert excess.policers[0].out_forwarding_class == "rest"


def test_buffer_that_premium_does_not_take_is_left_to_best_effort() -> None:
    built = made("junos", one(), plan="premium_best_effort")
    shares = {each.forwarding_class: (each.transmit_share_pct, each.buffer_share_pct) for each in built.schedulers}
    assert shares == {"beta": (20, 50), "network-control": (5, 5), "alpha": (35, 35), "premium": (40, 10)}


def test_a_plan_without_the_keys_has_no_class_for_them() -> None:
    plain = build_model(router("junos"), PLANS["two_queue"], PAIRS)
    assert "premium" not in to_json(plain)
    assert "reserved" not in to_json(plain)
    # as it was before there were reservations
    assert model_hash(plain) == "2b9642a4f63afcc963c285eeb7c2ab5ff1b7cbb998551a8b2520c6615d277462"
    with pytest.raises(ModelError, match="router 'wr': 1 reservations, but its plan has no premium_share_pct"):
        made("junos", one(), plan="two_queue")


def test_a_model_with_reservations_comes_back_from_its_json() -> None:
    built = made("iosxe", *RESERVED)
    assert from_json(to_json(built)) == built


@pytest.mark.parametrize("platform", PLATFORMS)
def test_rates_may_add_up_to_the_cap_of_the_slowest_core_port(platform: str) -> None:
    other = one("other", source=ip_network("198.18.31.0/24"), rate_bps=CAP_BPS - 150_000_000)
    assert problems(made(platform, one(), other)) == []
    over = problems(made(platform, one(), replace(other, rate_bps=other.rate_bps + 1)))
    (problem,) = (each for each in over if "add up" in each)
    third = router(platform).interfaces[2].name
    assert problem == (
        f"router 'wr': reservations add up to 330.000001 Mb/s, above premium_cap_pct 33 of {third}, the slowest "
        "core port (1 Gb/s); cancel one or raise the cap"
    )


REFUSED = [
    ((one(), one("other")), "filter hntes-alpha-v4: pair .* is defined 2 times"),
    ((one(), one("other", source=ip_network("198.18.30.0/25"), destination=ip_network("203.0.112.0/23"))), "cross"),
    ((one(), one(source=ip_network("198.18.31.0/24"))), "term premium-reservation-1 is defined 2 times"),
    ((one(rate_bps=7_999),), "rate 7999 bit/s is below 8000"),
    ((one(burst_bytes=2_999),), "burst 2999 bytes is below 3000"),
    ((one("a b"),), "term 'premium-a b'"),
    ((one("a;\n"),), "term 'premium-a;"),
    ((one("a" * 60),), "has 68 characters; use at most 64"),
]


@pytest.mark.parametrize(("reserved", "problem"), REFUSED)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_cannot_be_written_is_refused(platform: str, reserved: tuple[Reserved, ...], problem: str) -> None:
    with pytest.raises(ModelError, match=problem):
        render(made(platform, *reserved))


def test_two_families_are_no_pair() -> None:
    with pytest.raises(ModelError, match=r"reservation reservation-1: .* are of two families"):
        made("junos", one(destination=ip_network("2001:db8::/64")))


@pytest.mark.parametrize(
    ("platform", "redirect"), [(name, way) for name in PLATFORMS for way in redirects_of(name) if way != "none"]
)
def test_a_redirect_and_reservations_are_refused_together(platform: str, redirect: str) -> None:
    built = build_model(router(platform, redirect), PLANS["premium"], PAIRS, RESERVED)
    assert [line for line in problems(built) if "reservations on a router with a redirect" in line]
    assert problems(build_model(router(platform, redirect), PLANS["premium"], PAIRS)) == []


def test_flowspec_and_reservations_are_refused_together() -> None:
    built = made("junos", one(), redirect=None, flowspec=FLOWSPEC)
    assert [line for line in problems(built) if "with FlowSpec" in line]


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_a_cisco_policy_takes_253_of_them(platform: str) -> None:
    assert problems(made(platform, *hosts(253))) == []
    (problem,) = problems(made(platform, *hosts(254)))
    assert (
        problem == f"router 'wr': 254 reservations: a policy on {platform} supports 253 besides the pairs; cancel some"
    )
    assert problems(made("junos", *hosts(254))) == []


@pytest.mark.parametrize(("platform", "longest"), [("junos", 50), ("iosxr", 43), ("iosxe", 26)])
def test_a_name_has_a_longest(platform: str, longest: int) -> None:
    assert problems(made(platform, one("r" * longest))) == []
    (problem,) = problems(made(platform, one("r" * (longest + 1))))
    assert ("use at most 64" if platform == "junos" else "shorten its name") in problem


def test_a_fast_lookup_filter_counts_them() -> None:
    plan = TwoQueue.model_validate({**PLANS["premium"].model_dump(), "premium_cap_pct": 39})
    built = build_model(router("junos", fast_lookup_filter=True), plan, [], hosts(200))
    long = replace(built.filters[0], reserved=built.filters[0].reserved * 40)
    assert [line for line in problems(replace(built, filters=(long, built.filters[1]))) if "has 8001 terms" in line]


def test_damaged_models_are_refused() -> None:
    built = made("junos", *RESERVED)
    first, second = built.filters[0].reserved
    for terms, problem in (
        ((replace(first, policer=None), second), "a reservation without a policer"),
        ((first, replace(second, policer=first.policer)), "shares policer hntes-premium-reservation-2"),
        ((second, first), "most specific first"),
    ):
        other = replace(built, filters=(replace(built.filters[0], reserved=terms), built.filters[1]))
        assert [line for line in problems(other) if problem in line], problem
    assert [line for line in problems(replace(built, premium_cap_pct=None)) if "without a premium class" in line]


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("plan", ["premium", "premium_best_effort"])
def test_exchanging_reservations_gives_what_is_built_with_them(platform: str, plan: str) -> None:
    excess = "beta" if plan == "premium_best_effort" else None
    before, after = made(platform, *RESERVED[:2], plan=plan), made(platform, RESERVED[2], one(), plan=plan)
    assert with_reserved(before, [one(), RESERVED[2]], excess) == after
    assert without_reserved(before) == made(platform, plan=plan)
    assert with_reserved(after, (), excess) == made(platform, plan=plan)
    assert reserved_of(before) == tuple(sorted(RESERVED[:2], key=lambda each: each.name))


def test_a_text_without_a_premium_queue_takes_none() -> None:
    plain = build_model(router("junos"), PLANS["two_queue"], PAIRS)
    assert with_reserved(plain, (), None) == plain
    with pytest.raises(ModelError, match="1 reservations, but its text has no premium queue"):
        with_reserved(plain, [one()], None)
