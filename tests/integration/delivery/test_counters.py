"""Counters of emulated routers, read by the drivers that deliver, stored, and shown beside what NetFlow says."""

from pathlib import Path

import pytest

from hntes import clock
from hntes.platforms.counters import Counter
from hntes.platforms.registry import platform_of
from tests.contract.platform.case import case_of
from tests.support.benches import DELIVERED_TO, bench_of
from tests.support.delivery import Site
from tests.support.devices.farm import Farm
from tests.support.pushes import Bench
from tests.support.qos_models import PAIRS, model

HOUR_MS = 3_600_000
OF_PAIRS = [each for each in DELIVERED_TO if platform_of(each).capabilities.counters == "pair"]
OF_CLASSES = [each for each in DELIVERED_TO if each not in OF_PAIRS]


def read(routed: Bench, interfaces: tuple[str, ...]) -> tuple[Counter, ...]:
    device = routed.opened()
    try:
        return device.counters(interfaces)
    finally:
        device.close()


@pytest.mark.parametrize("platform", OF_PAIRS)
def test_each_pair_has_a_counter_of_its_own(farm: Farm, tmp_path: Path, platform: str) -> None:
    """The benches hold the first four pairs, which are of one family."""
    counted = case_of(platform).counted
    assert counted is not None
    routed = bench_of(platform, tmp_path, farm)
    name, _ = counted(routed)
    terms = [term for each in model(platform, pairs=PAIRS[:4]).filters for term in each.terms]
    expected = {term.counter: (0, 0) for term in terms} | {name: (3, 4500)}
    assert len(expected) == 4
    assert {each.name: (each.packets, each.bytes) for each in read(routed, ())} == expected


@pytest.mark.parametrize("platform", OF_CLASSES)
def test_all_pairs_are_counted_together_by_interface(farm: Farm, tmp_path: Path, platform: str) -> None:
    routed = bench_of(platform, tmp_path, farm)
    edge, _, both = case_of(platform).ports
    first, second = f"{edge}.100", both
    routed.router.counted[first, "hntes-alpha"] = (3, 4500)
    routed.router.counted[first, "class-default"] = (8, 800)
    found = read(routed, (first, second, "TenGigE0/0/0/9"))
    assert found == (Counter("hntes-alpha", first, 3, 4500), Counter("hntes-alpha", second, 0, 0))


def test_what_was_counted_since_the_last_reading_is_shown_and_what_cannot_be_is_refused(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.approve()
    site.installation.run("router", "deliver", "--router", "r1", "--commit")
    counters = ("router", "counters", "--router", "r1")
    now_ms = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now_ms)
    first = site.installation.json(*counters, "--record")[0]["counters"]
    names = [each["counter"] for each in first]
    assert len(names) > 4
    assert {each["counted_bytes"] for each in first} == {None}
    assert not any(each["has_matched"] for each in first)

    site.router.counted = {names[0]: (1_000, 1_500_000), names[1]: (2, 3_000)}
    now_ms += HOUR_MS
    said = site.installation.run(*counters, "--record").stdout
    assert said.count("no packet has ever matched") == len(names) - 2

    site.router.counted = {names[0]: (1_001, 1_501_500), names[2]: (10**12, 10**15)}
    now_ms += HOUR_MS
    done = site.installation.run(*counters, "--json", "--record", expect=3)
    assert f"counter {names[2]}" in done.stderr
    assert "more than its interfaces carry" in done.stderr
    now_ms += HOUR_MS
    found = {each["counter"]: each for each in site.installation.json(*counters, expect=3)[0]["counters"]}
    assert found[names[0]]["since_ms"] == now_ms - HOUR_MS
    assert found[names[1]]["counted_bytes"] == 0
    assert found[names[2]]["since_ms"] == now_ms - 2 * HOUR_MS


def test_a_counter_that_began_anew_says_nothing_of_that_time(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.approve()
    site.installation.run("router", "deliver", "--router", "r1", "--commit")
    counters = ("router", "counters", "--router", "r1")
    now_ms = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now_ms)
    name = site.installation.json(*counters)[0]["counters"][0]["counter"]
    site.router.counted = {name: (10, 15_000)}
    site.installation.run(*counters, "--record")
    site.router.counted = {name: (1, 1_500)}
    now_ms += HOUR_MS
    (found,) = [one for one in site.installation.json(*counters)[0]["counters"] if one["counter"] == name]
    assert (found["counted_bytes"], found["total_bytes"], found["has_matched"]) == (None, 1_500, True)
    assert "reset since the last reading" in found["problem"]
