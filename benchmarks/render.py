"""How long one router's build, validation and rendering take with 2,000 prefix pairs, by platform.

Run: .venv/bin/python benchmarks/render.py [PAIRS]. The target is below 5 s a router.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hntes.platforms.render import render
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.settings.model import Router
from hntes.settings.plans import WredPolicer

PORTS = {"junos": "xe-0/0/", "iosxr": "TenGigE0/0/0/", "iosxe": "TenGigabitEthernet0/0/"}
REPEATS = 5


def main() -> None:
    """Print one line a platform: the fastest of five runs, in seconds, and the size of the text."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    pairs = [_pair(index) for index in range(count)]
    for platform, port in PORTS.items():
        router = Router.model_validate(
            {
                "name": "wr",
                "platform": platform,
                "flow_folder": "flows",
                "interfaces": [{"name": f"{port}0", "role": "both", "rate_bps": 10_000_000_000}],
                "redirect": {"kind": "next_hop", "ipv4": "192.0.2.1", "ipv6": "2001:db8:ffff::1"},
            }
        )
        seconds, size_bytes = min(_timed(router, pairs) for _ in range(REPEATS))
        print(f"{platform}: {count} pairs, {seconds:.3f} s, {size_bytes} bytes")


def _timed(router: Router, pairs: list[PrefixPair]) -> tuple[float, int]:
    start = time.perf_counter()
    text = render(build_model(router, WredPolicer(kind="wred_policer"), pairs))
    return time.perf_counter() - start, len(text)


def _pair(index: int) -> PrefixPair:
    high, low = divmod(index // 2, 256)
    if index % 2:
        return PrefixPair.parse(f"2001:db8:1:{index:x}::/64>2001:db8:2:{index:x}::/64")
    return PrefixPair.parse(f"198.{18 + high}.{low}.0/24>100.{64 + high}.{low}.0/24")


if __name__ == "__main__":
    main()
