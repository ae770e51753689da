"""Listings of others' routers (HNTES_REAL_CONFIGURATIONS): what becomes of a plan beside each, and why.

`.venv/bin/python -m pytest --long -s -n 0 tests/long/test_real_configurations.py` prints the table.
"""

import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tests.support.real_configurations import RANKS, Fate, Listing, best_fate, listings

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

FOLDER = Path(os.environ.get("HNTES_REAL_CONFIGURATIONS", "/nonexistent"))
# Of whole devices with a pair of ports and neither QoS nor filters.
LEAST_PASSED_PCT = 95


@pytest.fixture(scope="module")
def fates() -> list[tuple[Listing, Fate]]:
    if not FOLDER.is_dir():
        pytest.skip("HNTES_REAL_CONFIGURATIONS names no folder of listings")
    found = listings(FOLDER)
    with ProcessPoolExecutor(2) as pool:
        return list(zip(found, pool.map(best_fate, found), strict=True))


def test_the_table_by_platform_outcome_and_reason(fates: list[tuple[Listing, Fate]]) -> None:
    for kind, wanted in (("without QoS or filters", False), ("with QoS or filters", True)):
        counts = Counter((each.platform, fate.outcome) for each, fate in fates if each.has_qos is wanted)
        print(f"\n{kind}")
        for platform in sorted({name for name, _ in counts}):
            print(platform, {outcome: counts[platform, outcome] for outcome in RANKS if counts[platform, outcome]})
    for each, fate in fates:
        if fate.outcome not in ("passed", "no pair of ports"):
            kind = "device" if each.is_device else "excerpt"
            name = f"{each.path.parent.name}/{each.path.name}"
            print(f"{name} ({kind}{', qos' if each.has_qos else ''}): {fate.outcome}: {fate.line}: {fate.reason[:150]}")


def test_most_devices_without_qos_or_filters_pass(fates: list[tuple[Listing, Fate]]) -> None:
    outcomes = [
        fate.outcome
        for each, fate in fates
        if each.is_device and not each.has_qos and fate.outcome != "no pair of ports"
    ]
    print(f"\nwhole devices without QoS or filters: {Counter(outcomes)}")
    assert 100 * outcomes.count("passed") >= LEAST_PASSED_PCT * len(outcomes), Counter(outcomes)


def test_whatever_is_refused_names_its_line(fates: list[tuple[Listing, Fate]]) -> None:
    for each, fate in fates:
        if fate.outcome in ("collides", "not judged") and fate.line:
            line = each.text.removeprefix("\ufeff").split("\n")[fate.line - 1]
            assert line.strip(), (each.path, fate)
