"""An operator's banner may say anything, also what looks like statements, prompts and ends; it is left as it is."""

from pathlib import Path

import pytest

from tests.support.benches import WITH_LINES, bench_of
from tests.support.devices.cisco.section import Section
from tests.support.devices.farm import Farm

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
# EOS User Manual, "banner motd": a line EOF ends it.
BANNER_EOS = """banner motd
2026 ACME Corp: authorized users only
permit nobody else
r1#
r1(config)#
traffic-policies
   traffic-policy hntes-alpha-v4
interface Ethernet1/1
   traffic-policy input hntes-alpha-v4
qos profile hntes-out-10000000k
end
EOF"""
BANNERS = {"iosxe": BANNER, "iosxr": BANNER, "eos": BANNER_EOS}


@pytest.mark.parametrize("platform", WITH_LINES)
def test_a_router_with_a_banner_is_delivered_to(tmp_path: Path, farm: Farm, platform: str) -> None:
    routed, banner = bench_of(platform, tmp_path, farm), BANNERS[platform]
    routed.router.running.below["banner"] = Section(banner)
    if hasattr(routed.router, "save"):
        routed.router.save()
    assert routed.push().outcome == "done"
    assert routed.push().outcome == "held"
    assert routed.push(before="after", after="before").outcome == "done"
    assert banner in routed.shown()
