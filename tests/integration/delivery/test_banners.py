"""An operator's banner may say anything, also what looks like statements, prompts and ends; it is left as it is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.devices.cisco.section import Section
from tests.support.pushes_iosxe import xe_bench
from tests.support.pushes_iosxr import xr_bench
from tests.support.pushes_lines import LinesBench

BANNER = """banner motd ^C
2026 ACME Corp: authorized users only
permit nobody else
r1#
r1(config)#
policy-map hntes-in
 class hntes-alpha
interface TenGigabitEthernet0/0/0
 service-policy input hntes-in
end-policy-map
end
^C"""


@pytest.mark.parametrize("made", [xe_bench, xr_bench])
def test_a_router_with_a_banner_is_delivered_to(tmp_path: Path, made: Callable[[Path], LinesBench]) -> None:
    routed = made(tmp_path)
    routed.router.running.below["banner"] = Section(BANNER)
    if made is xe_bench:
        routed.router.save()
    assert routed.push().outcome == "done"
    assert routed.push().outcome == "held"
    assert routed.push(before="after", after="before").outcome == "done"
    assert BANNER in routed.shown()
