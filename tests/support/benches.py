"""Emulated routers for pushes, of each platform to which HNTES delivers."""

from collections.abc import Callable
from pathlib import Path

from hntes.platforms.registry import platform_of
from tests.support.devices.farm import Farm
from tests.support.pushes import Bench, bench
from tests.support.pushes_eos import eos_bench
from tests.support.pushes_iosxe import xe_bench
from tests.support.pushes_iosxr import xr_bench
from tests.support.pushes_sros import sros_bench
from tests.support.qos_models import PLATFORMS

# For a parameter of tests: a platform without an emulated router below fails in each of them.
DELIVERED_TO = tuple(name for name in PLATFORMS if platform_of(name).capabilities.delivers)
_NETCONF: dict[str, Callable[[Farm, Path], Bench]] = {"junos": bench, "sros": sros_bench}
_LINES: dict[str, Callable[[Path, Farm | None], Bench]] = {"iosxe": xe_bench, "iosxr": xr_bench, "eos": eos_bench}
# Those with a command line, whose listings a banner is in as somebody typed it.
WITH_LINES = tuple(name for name in DELIVERED_TO if name not in _NETCONF)


def bench_of(platform: str, folder: Path, farm: Farm, *, over_ssh: bool = False) -> Bench:
    """A router that holds the text before. One with a command line is asked in the test's own thread or, which takes
    longer, over SSH; those with NETCONF always through the farm."""
    if platform in _NETCONF:
        return _NETCONF[platform](farm, folder)
    return _LINES[platform](folder, farm if over_ssh else None)
