"""Listings of others' routers (HNTES_REAL_CONFIGURATIONS): what becomes of a plan beside each, and why.

`.venv/bin/python -m pytest --long -s -n 0 tests/long/test_real_configurations.py` prints the table.
"""

import os
import re
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tests.support.real_configurations import RANKS, Fate, Listing, best_fate, listings

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

FOLDER = Path(os.environ.get("HNTES_REAL_CONFIGURATIONS", "/nonexistent"))
# Of whole devices with a pair of ports: without QoS or filters these pass, with them these pass or are adopted.
LEAST_PASSED_PCT = 95
LEAST_KEPT_PCT = 80
# A setting, or what to do on the router.
HELP = re.compile(r"\[routers|class_names|ip_versions|leave |name |write |set |give |remove |move |statements stay: ")
KEPT = ("passed", "adopted")


@pytest.fixture(scope="module")
def fates() -> list[tuple[Listing, Fate]]:
    if not FOLDER.is_dir():
        pytest.skip("HNTES_REAL_CONFIGURATIONS names no folder of listings")
    found = listings(FOLDER)
    with ProcessPoolExecutor(2) as pool:
        return list(zip(found, pool.map(best_fate, found), strict=True))


def test_the_table_by_platform_outcome_and_reason(fates: list[tuple[Listing, Fate]]) -> None:
    counts = Counter((each.is_device, each.has_qos, each.platform, fate.outcome) for each, fate in fates)
    print()
    for is_device, has_qos, platform in sorted({key[:3] for key in counts}, key=lambda key: (not key[0], *key[1:])):
        found = {outcome: counts[is_device, has_qos, platform, outcome] for outcome in RANKS}
        kind = f"{'whole devices' if is_device else 'excerpts'} {'with' if has_qos else 'without'} QoS or filters"
        print(f"{kind:38} {platform:6}", {outcome: count for outcome, count in found.items() if count})
    for each, fate in sorted(fates, key=lambda found: not found[0].is_device):
        if fate.outcome not in (*KEPT, "no pair of ports"):
            kind = f"{'whole device' if each.is_device else 'excerpt'}{', QoS or filters' if each.has_qos else ''}"
            print(f"{_name(each)} ({kind}): {fate.outcome}: line {fate.line}: {fate.reason}")
            print(*(f"    tried: {way}\n" for way in fate.ways), sep="", end="")


def _name(listing: Listing) -> str:
    return f"{listing.path.parent.name}/{listing.path.name}"


def _outcomes(fates: list[tuple[Listing, Fate]], *, has_qos: bool) -> list[str]:
    """Those of whole devices with a usable pair of ports."""
    found = [(each, fate.outcome) for each, fate in fates if each.is_device and each.has_qos is has_qos]
    return [outcome for _, outcome in found if outcome != "no pair of ports"]


def test_most_devices_without_qos_or_filters_pass(fates: list[tuple[Listing, Fate]]) -> None:
    outcomes = _outcomes(fates, has_qos=False)
    print(f"\nwhole devices without QoS or filters: {Counter(outcomes)}")
    assert 100 * outcomes.count("passed") >= LEAST_PASSED_PCT * len(outcomes), Counter(outcomes)


def test_most_devices_with_qos_or_filters_pass_or_are_adopted(fates: list[tuple[Listing, Fate]]) -> None:
    outcomes = _outcomes(fates, has_qos=True)
    print(f"\nwhole devices with QoS or filters: {Counter(outcomes)}")
    kept = sum(outcome in KEPT for outcome in outcomes)
    assert 100 * kept >= LEAST_KEPT_PCT * len(outcomes), Counter(outcomes)


def test_whatever_of_a_device_is_refused_names_what_helps(fates: list[tuple[Listing, Fate]]) -> None:
    refused = [(each, fate) for each, fate in fates if each.is_device and fate.outcome in ("collides", "not judged")]
    assert [_name(each) for each, fate in refused if not HELP.search(fate.reason) and not fate.ways] == []


def test_whatever_is_refused_names_its_line(fates: list[tuple[Listing, Fate]]) -> None:
    for each, fate in fates:
        if fate.outcome in ("collides", "not judged") and fate.line:
            line = each.text.removeprefix("\ufeff").split("\n")[fate.line - 1]
            assert line.strip(), (each.path, fate)
