"""A push onto an emulated IOS-XR router over SSH."""

from pathlib import Path

import pytest

from hntes.platforms.device_errors import NotKeptError
from tests.support.devices.farm import Farm
from tests.support.pushes_iosxr import XrBench, xr_bench


def test_over_ssh_a_trial_without_an_answer_goes_back_and_the_next_call_delivers(tmp_path: Path, farm: Farm) -> None:
    routed: XrBench = xr_bench(tmp_path, farm)
    routed.at["trial starts"] = lambda: setattr(routed.served.faults, "cut_after", routed.served.faults.seen + 1)
    with pytest.raises(NotKeptError, match="has rolled back"):
        routed.push()
    assert routed.holds == "before"
    assert routed.push().outcome == "done"
    routed.router.clock.advance(1e6)
    assert routed.holds == "after"
