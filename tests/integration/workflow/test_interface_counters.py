"""Simulated sites with interface counters: lost exports, wrong sampling and forged flows within the port's rate."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.counted_site import (
    CORE,
    DAY,
    EDGE,
    QUIET_CORE,
    QUIET_EDGE,
    CountedSite,
    Records,
    alpha,
    background,
    prefix_pair,
    sampled,
)

UNSAMPLED = '[[routers.sampling]]\nexporter = "127.0.0.11"\nfactor = 1\n'
BY_100 = '[[routers.sampling]]\nexporter = "127.0.0.11"\nfactor = 100\n'
FORGED = 100
TRUE = frozenset(prefix_pair(pair) for pair in range(6))
NOON_S = 43_200.0


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CountedSite:
    monkeypatch.chdir(tmp_path)
    made = CountedSite(tmp_path)
    made.set_up(more=UNSAMPLED)
    return made


def chance() -> np.random.Generator:
    return np.random.default_rng(20261124)


def carried(mean_bps: float = 2e8) -> Records:
    """A day of true traffic, with an alpha flow of each of six pairs."""
    return background(DAY, mean_bps, chance()) + [alpha(DAY, pair, 3600.0 + 13_000 * pair) for pair in range(6)]


def forged(at_s: float = NOON_S, pair: int = FORGED, **fields: int) -> Records:
    """As `medium_one_pair` of the attacks: one plausible record of 1.1 GB."""
    return [replace(alpha(DAY, pair, at_s, 1_100_000_000, 10.0), **fields)]


def later(records: Records, by_ms: int) -> Records:
    return [
        replace(one, first_ms=one.first_ms + by_ms, last_ms=one.last_ms + by_ms, received_ms=one.received_ms + by_ms)
        for one in records
    ]


def test_a_site_without_faults_has_a_ratio_of_one_and_all_its_pairs(site: CountedSite) -> None:
    records = carried()
    site.put(DAY, records, records)
    found = site.day(DAY)
    assert (found["complete"], found["losses"]) == (True, [])
    assert found["flow_to_counter_ratio"] == pytest.approx(1, abs=0.002)
    metered = {(one["interface_index"], one["direction"]) for one in found["counters"] if one["metered"]}
    assert metered == {(EDGE, "in")}
    assert "flow records have 100.0% of the octets that the interfaces counted" in found["reason"]
    assert site.pairs(DAY) == TRUE
    assert set(site.doubts(DAY).values()) == {"none"}
    assert "1.000" in site.run("data", "days", "--day", str(DAY))
    assert 'hntes_day_flow_to_counter_ratio{router="r1"} ' in site.run("metrics")


def test_the_note_of_a_change_has_the_ratio(site: CountedSite) -> None:
    records = carried()
    site.put(DAY, records, records[::2] + records[-6:])
    site.day(DAY)
    site.run("stage", "propose", "--day", str(DAY))
    shown = site.run("change", "show", "--router", "r1", "--day", str(DAY))
    assert "of the octets that the interfaces counted" in shown
    assert "ageing is paused" in shown


def one_record() -> Records:
    return forged()


def five_minutes() -> Records:
    return [replace(alpha(DAY, FORGED, NOON_S, 6_000_000_000, 300.0))]


def an_hour() -> Records:
    return [replace(alpha(DAY, FORGED, NOON_S, 70_000_000_000, 3600.0))]


def an_early_start() -> Records:
    """Two records of one flow that claim the same start: the second counts from the end of the first."""
    (long,) = forged()
    early = long.first_ms - 3 * 3_600_000
    small = replace(long, first_ms=early, last_ms=long.first_ms, received_ms=long.first_ms, byte_count=1500, packets=1)
    return [small, replace(long, first_ms=early)]


def beside_a_true_flow() -> Records:
    return forged(at_s=3600.0 + 13_000)


def a_quiet_interface() -> Records:
    return forged(input_interface=QUIET_EDGE, output_interface=QUIET_CORE)


def an_unknown_interface() -> Records:
    return forged(input_interface=998, output_interface=999)


def no_interface() -> Records:
    return forged(input_interface=0, output_interface=0)


def many_pairs() -> Records:
    return [flow for pair in range(20) for flow in forged(1000.0 + 4000 * pair, FORGED + pair)]


@pytest.mark.parametrize("poll_ms", [30_000, 60_000, 300_000])
@pytest.mark.parametrize(
    "attack",
    [one_record, five_minutes, an_hour, an_early_start, beside_a_true_flow, a_quiet_interface, an_unknown_interface,
     no_interface, many_pairs],
)  # fmt: skip
def test_forged_flows_within_the_ports_rate_make_no_rule(
    site: CountedSite, attack: Callable[[], Records], poll_ms: int
) -> None:
    records = carried(5e7)
    site.put(DAY, records, records + attack(), poll_ms)
    site.day(DAY)
    missed = {prefix_pair(1)} if attack is beside_a_true_flow else set()
    assert site.pairs(DAY) == TRUE - missed
    doubts = site.doubts(DAY)
    elsewhere = attack in (an_unknown_interface, no_interface)
    assert {doubts[source] for source in doubts if source.startswith("172.0.1") and source != "172.0.1.9"} == {
        "no_counters" if elsewhere else "above_counters"
    }


def test_without_a_source_nothing_changes(site: CountedSite) -> None:
    records = carried(5e7)
    site.set_up(counters_section="", more=UNSAMPLED)
    site.put(DAY, records, records + one_record())
    found = site.day(DAY)
    assert (found["flow_to_counter_ratio"], found["counters"], found["losses"]) == (None, [], [])
    assert site.pairs(DAY) == TRUE | {prefix_pair(FORGED)}
    assert "flows/counters" not in site.run("data", "days", "--day", str(DAY))


def test_a_known_pair_keeps_its_rule_and_a_true_pair_comes_with_its_next_flow(site: CountedSite) -> None:
    records = carried(5e7)
    site.put(DAY, records, records)
    site.day(DAY)
    for back in range(1, 6):
        day, late = DAY + timedelta(days=back), back * 86_400_000
        moved = later(records[:-6], late)
        # the known pair 0 and the new pair 50 at the time of a forged flow; pair 50 once more on the third day
        new = [alpha(day, 0, NOON_S), alpha(day, 50, NOON_S + 15)]
        again = [replace(alpha(day, 50, 80_000.0), source_port=999)] if back == 3 else []
        lie = [alpha(day, FORGED, NOON_S + 5, 1_500_000_000, 10.0)]
        site.put(day, [*moved, *new, *again], [*moved, *new, *again, *lie])
        found = site.day(day)
        assert found["complete"]
        assert "at times when flow records report more than the interface counted" in found["reason"]
        pairs = site.pairs(day)
        assert prefix_pair(0) in pairs
        assert (prefix_pair(50) in pairs) == (back >= 3)
        assert prefix_pair(FORGED) not in pairs
    # ageing went on: of the others nothing was seen for more than three complete days
    assert pairs == {prefix_pair(0), prefix_pair(50)}


@pytest.mark.parametrize(("share", "is_complete"), [(0.5, False), (0.85, False), (0.95, True)])
def test_lost_exports_leave_the_day_incomplete(site: CountedSite, share: float, is_complete: bool) -> None:
    records = carried()
    lost = np.random.default_rng(7).random(len(records) - 6) >= share
    exported = [one for one, gone in zip(records, [*lost, *[False] * 6], strict=True) if not gone]
    site.put(DAY, records, exported)
    found = site.day(DAY)
    assert found["flow_to_counter_ratio"] == pytest.approx(share, abs=0.02)
    assert found["complete"] == is_complete
    assert [loss["cause"] for loss in found["losses"]] == ([] if is_complete else ["below_counters"])
    assert ("flow records lack" in found["reason"]) == (not is_complete)
    assert site.pairs(DAY) == TRUE


def test_lost_exports_of_two_hours_leave_the_day_incomplete(site: CountedSite) -> None:
    records = carried()
    from_ms, to_ms = records[0].first_ms + 36_000_000, records[0].first_ms + 43_200_000
    site.put(DAY, records, [one for one in records if not from_ms <= one.first_ms < to_ms])
    found = site.day(DAY)
    (loss,) = found["losses"]
    assert (found["complete"], loss["cause"], loss["counts"]) == (False, "below_counters", True)
    assert loss["seen_s"] == pytest.approx(86_400 - 7200, abs=120)
    site.set_up(more=f'accepted_losses = ["below_counters"]\n{UNSAMPLED}')
    assert site.day(DAY)["complete"]


def test_an_interface_whose_exports_end_is_missed(site: CountedSite) -> None:
    """A line card of two: the other one's interface goes on."""
    records = background(DAY, 1e8, chance())
    half = [replace(one, input_interface=QUIET_EDGE) if n % 2 else one for n, one in enumerate(records)]
    site.set_up(more=UNSAMPLED)
    for back in range(4):
        late = back * 86_400_000
        day = later(half, late)
        exported = day if back < 3 else [one for one in day if one.input_interface == EDGE]
        site.put(DAY + timedelta(days=back), day, exported)
        assert site.day(DAY + timedelta(days=back))["complete"] == (back < 3)


@pytest.mark.parametrize(("taken_for", "ratio"), [(100, 1.0), (50, 0.5), (200, 2.0)])
def test_a_wrong_sampling_factor_shows_in_the_ratio(site: CountedSite, taken_for: int, ratio: float) -> None:
    site.set_up(more=BY_100.replace("100", str(taken_for)))
    records = carried()
    site.put(DAY, records, sampled(records, 100, chance()))
    found = site.day(DAY)
    assert found["flow_to_counter_ratio"] == pytest.approx(ratio, rel=0.02)
    assert found["complete"] == (ratio == 1)
    cause = {0.5: ["below_counters"], 1.0: [], 2.0: ["above_counters"]}[ratio]
    assert [loss["cause"] for loss in found["losses"] if loss["cause"].endswith("counters")] == cause
    if ratio == 1:
        assert site.pairs(DAY) == TRUE


def test_sampled_flows_are_judged_within_their_error(site: CountedSite) -> None:
    site.set_up(more=BY_100)
    records = carried(5e7)
    (lie,) = forged()
    lie = replace(lie, packets=lie.packets // 100, byte_count=lie.byte_count // 100)
    site.put(DAY, records, [*sampled(records, 100, chance()), lie])
    assert site.day(DAY)["complete"]
    assert site.pairs(DAY) == TRUE


def test_gaps_and_a_reset_of_the_counters_are_not_taken_for_octets(site: CountedSite) -> None:
    def spoil(rows: list[Any]) -> list[Any]:
        kept = [list(row) for n, row in enumerate(rows) if not 2000 <= n < 2400]
        restart = len(kept) // 8 * 4
        base = {row[2]: row[3:] for row in kept[restart : restart + 4]}
        for row in kept[restart:]:
            row[3:] = [(value - base[row[2]][n]) % 2**64 for n, value in enumerate(row[3:])]
        return kept

    records = carried()
    site.put(DAY, records, records, spoil=spoil)
    found = site.day(DAY)
    assert (found["complete"], found["losses"]) == (True, [])
    minutes = next(one["minutes"] for one in found["counters"] if one["metered"])
    assert 1330 < minutes < 1345
    assert found["flow_to_counter_ratio"] == pytest.approx(1, abs=0.005)
    assert site.pairs(DAY) == TRUE


def test_an_unreadable_source_is_stated_and_the_day_judged_without_it(site: CountedSite) -> None:
    records = carried(5e7)
    site.put(DAY, records, records)
    (site.folder / f"counters.{DAY}.csv").write_text("time,router\n")
    found = site.day(DAY)
    assert found["complete"]
    assert "not compared with interface counters" in found["reason"]
    assert f"counters.{DAY}.csv" in found["reason"]
    (site.folder / f"counters.{DAY}.csv").unlink()
    assert "the source has none of this router" in site.day(DAY)["reason"]


def test_interfaces_may_be_named(site: CountedSite) -> None:
    records = carried(5e7)
    names = {str(EDGE): "xe-0/0/1", str(CORE): "xe-0/0/2.0"}
    site.put(DAY, records, records + one_record(), spoil=lambda rows: [
        [*row[:2], names.get(row[2], row[2]), *row[3:]] for row in rows
    ])  # fmt: skip
    assert site.day(DAY)["flow_to_counter_ratio"] == pytest.approx(1, abs=0.02)
    assert site.pairs(DAY) == TRUE


def test_check_says_what_the_source_has(site: CountedSite) -> None:
    site.put(DAY, [], carried()[:5])
    assert "counters: router r1: file has none of the last two days\n" in site.run("check")
    last = date(2026, 12, 31)
    site.put(last, [], [alpha(last, 0, 3600.0)])
    assert "counters: router r1: 4 interfaces by file, until 2026-12-31 23:" in site.run("check")
    (site.folder / f"counters.{last}.csv").write_text("time,router\n")
    assert f"counters.{last}.csv: not a table of interface counters" in site.run("check")
