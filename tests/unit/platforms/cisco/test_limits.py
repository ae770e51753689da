"""What neither IOS-XR nor IOS-XE can take although the model could say it."""

import pytest

from hntes.platforms.validate import problems
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import DropProfile, RouterModel
from hntes.settings.plans import TwoQueue, WredPolicer
from tests.support.model_changes import V4, in_term, points, put, replace_in
from tests.support.qos_models import model, router


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_what_cisco_cannot_take(platform: str) -> None:
    strict_beta = TwoQueue(kind="two_queue", beta_priority="strict-high")
    strict_wred = WredPolicer(kind="wred_policer", alpha_priority="strict-high")
    bent = DropProfile("hntes-occupancy", points((0, 0), (50, 10), (100, 100)))
    big = replace_in("policers", 0, burst_bytes=600_000_000)
    for broken, message in (
        (build_model(router(platform), strict_beta, [V4]), "class-default cannot be strict-high"),
        (build_model(router(platform), strict_wred, [V4]), "has no random-detect"),
        (put(drop_profiles=(bent,))(model(platform, "wred_policer")), "one straight line"),
        (big(model(platform, "wred_policer")), "is out of 1000..512000000"),
        (in_term(forwarding_class="beta")(model(platform)), "has one class-map for all pairs"),
    ):
        assert any(message in line for line in problems(broken)), message


@pytest.mark.parametrize(("platform", "longest"), [("iosxr", 51), ("iosxe", 28)])
def test_names_must_fit_a_class_map_and_an_access_list(platform: str, longest: int) -> None:
    def named(name: str) -> RouterModel:
        classes = replace_in("forwarding_classes", 1, name=name)(model(platform))
        return replace_in("schedulers", 1, forwarding_class=name)(classes)

    assert problems(named("c" * longest)) == []
    assert any(
        f"has {longest + 1} characters; {platform} allows {longest};" in line
        for line in problems(named("c" * (longest + 1)))
    )
    (line,) = problems(replace_in("filters", 0, name="f" * 61)(model(platform)))
    assert f"has 61 characters; {platform} allows 60;" in line
