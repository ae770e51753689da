"""What IOS-XR cannot take although the model could say it."""

from hntes.platforms.validate import problems
from hntes.rules.qos.model import DropBinding, RouterModel
from tests.support.model_changes import replace_in
from tests.support.qos_models import model


def test_iosxr_rates_must_have_a_whole_number() -> None:
    broken = replace_in("policers", 0, rate_bps=5_000_000_001)(model("iosxr", "wred_policer"))
    (line,) = problems(broken)
    assert "is not a whole number of kbps, mbps or gbps" in line


def test_a_class_of_iosxr_takes_two_pairs_of_thresholds() -> None:
    def dropping(platform: str) -> RouterModel:
        made = model(platform, "three_color_marker")
        third = DropBinding("medium-low", "hntes-occupancy")
        return replace_in("schedulers", 2, drops=(third, *made.schedulers[2].drops))(made)

    assert any("has 3 drop profiles; the maximum on iosxr is 2" in line for line in problems(dropping("iosxr")))
    for made in (dropping("iosxe"), dropping("junos"), model("iosxr", "three_color_marker")):
        assert problems(made) == []
