"""Models that IOS-XE cannot express."""

from hntes.platforms.validate import problems
from tests.support.model_changes import replace_in
from tests.support.qos_models import model


def test_what_iosxe_cannot_take() -> None:
    fast = replace_in("interfaces", 1, rate_bps=3_000_000_000_000)(model("iosxe"))
    for broken, message in (
        (replace_in("policers", 0, rate_bps=64_000_000_001)(model("iosxe", "wred_policer")), "is above 64000000000"),
        (fast, "scheduler hntes-alpha: its queue at 3000000000000 bit/s is 13750000 packets, above 8192000"),
    ):
        assert any(message in line for line in problems(broken)), message
    assert problems(replace_in("policers", 0, rate_bps=64_000_000_000)(model("iosxe", "wred_policer"))) == []
