"""A platform's capabilities: consistent, and each model beyond them is refused by name."""

from dataclasses import replace
from typing import Any

import pytest

from hntes.platforms.platform import Platform
from hntes.platforms.registry import installed_platforms
from hntes.platforms.validate import policer_problems, problems
from hntes.rules.qos.model import Redirect, RouterModel
from hntes.rules.qos.reserved import Reserved
from tests.contract.platform.case import PlatformCase
from tests.contract.platform.models import redirects_of
from tests.support.qos_models import PAIRS, PLANS, RESERVED, model


def changed(made: RouterModel, field: str, index: int, **values: Any) -> RouterModel:
    items = list(getattr(made, field))
    items[index] = replace(items[index], **values)
    return replace(made, **{field: tuple(items)})


def test_a_platform_is_known_by_the_name_of_its_entry_point(platform: str, implementation: Platform) -> None:
    assert platform in installed_platforms()
    assert implementation.name == implementation.dialect.platform == platform


def test_its_dialect_commits_as_its_capabilities_say(implementation: Platform) -> None:
    assert implementation.dialect.commit_model == implementation.capabilities.commit_model


def test_what_an_lsp_needs_and_is_for_some_platforms_only_is_for_this_one(implementation: Platform) -> None:
    known = implementation.capabilities
    assert ("lsp" in known.redirect_kinds) == bool(known.lsp_redirect_keys)
    if "routes" in known.lsp_redirect_keys:
        assert "redirect.routes" in known.router_keys


def test_a_queue_beyond_the_last_is_refused(platform: str, implementation: Platform) -> None:
    beyond = changed(model(platform), "forwarding_classes", 2, queue=implementation.capabilities.queues)
    assert any(f"queue {implementation.capabilities.queues} is out of 0.." in line for line in problems(beyond))


@pytest.mark.parametrize("side", [0, -1])
def test_a_bucket_beyond_the_range_is_refused(platform: str, implementation: Platform, side: int) -> None:
    allowed = implementation.capabilities.burst_bytes
    last = allowed[side]
    made = model(platform, "wred_policer")
    beyond = changed(made, "policers", 0, burst_bytes=last + (1 if side else -1))
    assert any(f"is out of {allowed[0]}..{allowed[-1]} on {platform}" in line for line in problems(beyond))
    assert not list(policer_problems(platform, "p", 1_000_000, last))
    assert list(policer_problems(platform, "p", 1_000_000, last + (1 if side else -1)))


def test_a_rate_that_has_no_number_is_refused(platform: str, implementation: Platform) -> None:
    rates = implementation.capabilities.policer_rates
    if rates.max_number is None:
        assert not list(policer_problems(platform, "p", 400_000_000_001, 1_000_000))
        return
    _, smallest_bps = rates.units_bps[-1]
    beyond_bps = (rates.max_number + 1) * smallest_bps
    for rate_bps in (beyond_bps, beyond_bps + smallest_bps):
        if rates.expressed(rate_bps) is None:
            made = changed(model(platform, "wred_policer"), "policers", 0, rate_bps=rate_bps)
            assert any(f"policer hntes-wred: rate {rate_bps} bit/s" in line for line in problems(made))
            break
    else:
        pytest.fail("every rate has a number")


@pytest.mark.parametrize("what", ["forwarding_class", "filter", "reservation"])
def test_a_name_longer_than_the_longest_is_refused(platform: str, implementation: Platform, what: str) -> None:
    longest = getattr(implementation.capabilities.name_lengths, what)
    for length, is_refused in ((longest, False), (longest + 1, True)):
        found = problems(_named(platform, what, "c" * length))
        assert any(f"has {length} characters" in line for line in found) is is_refused, found


def _named(platform: str, what: str, name: str) -> RouterModel:
    made = model(platform, "premium")
    if what == "forwarding_class":
        return changed(changed(made, "forwarding_classes", 1, name=name), "schedulers", 1, forwarding_class=name)
    if what == "filter":
        return changed(made, "filters", 0, name=name)
    (first, *others) = made.filters[0].reserved
    return changed(made, "filters", 0, reserved=(replace(first, name=name, counter=name), *others))


def test_more_reservations_than_a_router_polices_are_refused(platform: str, implementation: Platform) -> None:
    most = implementation.capabilities.max_reservations
    if most is None:
        return
    made = model(platform, "premium")
    terms = tuple(replace(made.filters[0].reserved[0], name=f"premium-{n}") for n in range(most + 1))
    many = changed(changed(made, "filters", 0, reserved=terms), "filters", 1, reserved=())
    assert any(f"{most + 1} reservations" in line and f"supports {most}" in line for line in problems(many))


def test_a_redirect_that_the_platform_does_not_have_is_refused(platform: str, implementation: Platform) -> None:
    known = implementation.capabilities
    none = Redirect("lsp", None, None, None, None)
    found = problems(replace(model(platform, pairs=()), redirect=none))
    if "lsp" not in known.redirect_kinds:
        assert any(f"{platform} cannot redirect pairs by lsp" in line for line in found)
    for key in known.lsp_redirect_keys:
        assert any(line.endswith(f"an lsp on {platform} needs {key}") for line in found)


def test_a_list_of_filters_is_refused_where_interfaces_take_none(platform: str, implementation: Platform) -> None:
    from hntes.rules.qos.model import OperatorFilter

    made = changed(model(platform), "interfaces", 0, operator_filters=(OperatorFilter(4, "CUSTOMERS"),))
    is_refused = any("does not support a list of filters" in line for line in problems(made))
    assert is_refused is not implementation.capabilities.filter_lists


def test_what_a_plan_needs_and_the_platform_lacks_is_refused(platform: str, case: PlatformCase) -> None:
    """Exactly the plans that the case names, each by a sentence with its source; all others are within the limits."""
    for plan in PLANS:
        for redirect in redirects_of(platform):
            wanted = case.refused.get(plan) or case.refused.get(f"{plan}-{redirect}")
            found = problems(model(platform, plan, redirect))
            assert bool(found) is (wanted is not None), (plan, redirect, found)
            assert wanted is None or any(wanted in line for line in found), (plan, redirect, found)


def test_models_of_the_suite_are_within_the_capabilities(platform: str) -> None:
    assert problems(model(platform, "premium")) == []
    assert len(PAIRS) == 9
    assert all(isinstance(each, Reserved) for each in RESERVED)
