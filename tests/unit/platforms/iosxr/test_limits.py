"""Models that IOS-XR cannot express, and the length of its queues."""

from dataclasses import replace

import pytest

from hntes.platforms.effective import Buffer
from hntes.platforms.expected import effective_of
from hntes.platforms.render import render
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


@pytest.mark.parametrize(
    ("port_buffer_ms", "buffer_pct", "transmit_pct", "limit_ms"),
    [(315, 3, 6, 158), (313, 3, 6, 156), (0.7, 30, 6, 4), (100, 30, 6, 500), (0.1, 1, 50, 1)],
)
def test_halves_of_a_millisecond_are_rounded_to_the_even_one(
    port_buffer_ms: float, buffer_pct: int, transmit_pct: int, limit_ms: int
) -> None:
    """157.5, 156.5 and 3.5 ms: one number in the text and in what is expected of it."""
    made = replace(model("iosxr"), port_buffer_ms=port_buffer_ms)
    made = replace_in("schedulers", 2, buffer_share_pct=buffer_pct, transmit_share_pct=transmit_pct)(made)
    assert f" bandwidth percent {transmit_pct}\n  queue-limit {limit_ms} ms\n" in render(made)
    (buffer,) = (queue.buffer for queue in effective_of(made).ports[0].queues if queue.share_pct == transmit_pct)
    assert buffer == Buffer(limit_ms, "ms")
