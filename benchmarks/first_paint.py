"""First paint and weight of the review page's views in Chromium, on a morning of forty routers.

python -m benchmarks.first_paint [--loads 7] [--keep FOLDER]

First paint is `first-contentful-paint` of the browser's Paint Timing, from the start of the navigation on: the server's
time is in it, and the plots, which are part of the page. Bytes are those of the page and all that it loads, with an
empty cache. Chromium runs without a window; the machine's other load counts.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

from selenium.webdriver.support.wait import WebDriverWait

from tests.support.chromium import Page, chromium_at
from tests.support.full_morning import DAY, WIDE, copied, full_morning, installed
from tests.support.full_state import source_of

LIMIT_MS, LIMIT_BYTES = 1000.0, 300_000
VIEWS = {
    "overview": "/",
    "routers": "/routers",
    "router": f"/router/{WIDE}",
    "change of 1,600 pairs": f"/change/{WIDE}/{DAY}",
    "its 1,640 rows": f"/change/{WIDE}/{DAY}?show=all",
    "its texts": f"/change/{WIDE}/{DAY}/difference",
    "pair": f"/pair?router={WIDE}&q={source_of(1720)}",
    "explore": "/explore",
    "explore by site": f"/explore?router={WIDE}&by=site",
    "deliveries": "/deliveries",
    "log": "/log",
}
PAINT = "return performance.getEntriesByName('first-contentful-paint').map(each => each.startTime)[0]"
BYTES = """
return ['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))
  .reduce((sum, each) => sum + each.transferSize, 0)
"""


def main() -> None:
    """Builds the morning, or takes it from --keep, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loads", type=int, default=7, help="of each view (default: 7)")
    parser.add_argument("--keep", type=Path, help="folder for the morning; used again if it is there")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.keep or Path(scratch) / "kept"
        site = installed(folder) if (folder / "built").exists() else full_morning(folder)
        (folder / "built").touch()
        with chromium_at(copied(site, Path(scratch) / "site"), {"anna": "operator"}) as page:
            page.log_in()
            page.show(1280, "light")
            print(
                f"{'view':24}{'first':>8}{'median':>8}{'most':>8}{'kB':>8}   ms to the first paint, {asked.loads} loads"
            )
            for name, address in VIEWS.items():
                print_view(page, name, address, asked.loads)


def print_view(page: Page, name: str, address: str, loads: int) -> None:
    """Loads a view again and again with an empty cache."""
    page.chrome.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
    paints_ms, taken = [], 0
    for _ in range(loads):
        page.open(address)
        # known once the picture was shown, which may be after the page was loaded
        paints_ms.append(float(WebDriverWait(page.chrome, 30).until(lambda chrome: chrome.execute_script(PAINT))))
        taken = int(page.chrome.execute_script(BYTES))
    median_ms = statistics.median(paints_ms)
    mark = f"  above {LIMIT_MS:g} ms" if median_ms > LIMIT_MS else ""
    mark += f"  above {LIMIT_BYTES / 1000:g} kB" if taken > LIMIT_BYTES else ""
    row = f"{name:24}{paints_ms[0]:8.0f}{median_ms:8.0f}{max(paints_ms):8.0f}{taken / 1000:8.1f}"
    print(f"{row}{mark}", flush=True)


if __name__ == "__main__":
    main()
