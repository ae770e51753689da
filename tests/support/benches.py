"""Emulated routers of all platforms for pushes."""

from pathlib import Path

from tests.support.devices.farm import Farm
from tests.support.pushes import Bench, bench
from tests.support.pushes_eos import eos_bench
from tests.support.pushes_iosxe import xe_bench
from tests.support.pushes_iosxr import xr_bench
from tests.support.pushes_sros import sros_bench


def bench_of(platform: str, folder: Path, farm: Farm, *, over_ssh: bool = False) -> Bench:
    """A router that holds the text before. One with a command line is asked in the test's own thread or, which takes
    longer, over SSH; those with NETCONF always through the farm."""
    if platform in ("junos", "sros"):
        return (bench if platform == "junos" else sros_bench)(farm, folder)
    made = {"iosxe": xe_bench, "iosxr": xr_bench, "eos": eos_bench}[platform]
    return made(folder, farm if over_ssh else None)
