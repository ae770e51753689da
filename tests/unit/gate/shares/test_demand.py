"""The demand of a measured load, whether a split meets it, and the advised split."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest

from hntes.gate.shares.advice import advise
from hntes.gate.shares.bursts import BurstOutcome
from hntes.gate.shares.demand import Split, candidate_splits, demand, fit, needed_share_pct
from hntes.gate.shares.port_load import LoadedDay, PortLoad, router_load
from hntes.gate.shares.sweep import SplitOutcome
from hntes.settings.model import Router
from hntes.settings.shares import Shares
from hntes.sql.entries import DayEntry, InterfaceLoadEntry, LoadDayEntry
from tests.support.entries import interface_load

DAY = date(2026, 11, 20)
GBPS = 10**9
PRESENT = Split(55, 40, 5)
QUIET = LoadedDay(DAY, True, "", GBPS, GBPS, 1_795_185_120_000, 0, 0)
SHARES = Shares(days=7, margin_pct=20)
ROUTER = Router.model_validate(
    {
        "name": "r1", "platform": "junos", "flow_folder": "/flows",
        "interfaces": [
            {"name": "xe-0/0/0", "role": "edge", "rate_bps": 10 * GBPS},
            {"name": "xe-0/1/0", "role": "core", "rate_bps": 10 * GBPS, "snmp_index": 7},
        ],
    }
)  # fmt: skip


def port(*days: LoadedDay, notes: tuple[str, ...] = (), unmeasured: tuple[date, ...] = ()) -> PortLoad:
    return PortLoad("r1", "xe-0/1/0", (7,), 10 * GBPS, days, unmeasured, notes)


def week(bps: int, **changed: object) -> list[LoadedDay]:
    days = [replace(QUIET, day=DAY - timedelta(days=back)) for back in range(7)]
    return [*days[:-1], replace(days[-1], chosen_bps=bps, peak_bps=bps, **changed)]


class Simulator:
    """A judge for whom a beta share of `least_pct` suffices; remembers what it was asked."""

    def __init__(self, least_pct: float) -> None:
        self.least_pct = least_pct
        self.asked: list[Split] = []

    def __call__(self, splits: Sequence[Split]) -> tuple[SplitOutcome, ...]:
        self.asked += splits
        return tuple(
            SplitOutcome(one, one.beta_share_pct >= self.least_pct, max(0.0, self.least_pct - one.beta_share_pct), 0.1,
                         5e9, "packet")
            for one in splits
        )  # fmt: skip


def test_the_demand_is_the_highest_day_with_its_margin() -> None:
    found = demand(port(*week(3 * GBPS)), SHARES)
    assert (found.measured_bps, found.needed_bps, found.complete_days) == (3 * GBPS, 36 * GBPS // 10, 7)
    assert found.notes == ()


def test_sampling_may_ask_for_more_than_the_margin() -> None:
    assert demand(port(*week(3 * GBPS, sd_bps=3 * GBPS // 10)), SHARES).needed_bps == 39 * GBPS // 10
    unknown = demand(port(*week(3 * GBPS, sd_bps=None)), SHARES)
    assert unknown.needed_bps == 36 * GBPS // 10
    assert any("sampling rate" in told for told in unknown.notes)


def test_an_incomplete_day_raises_the_demand_and_never_lowers_it() -> None:
    high = demand(port(*week(3 * GBPS, complete=False, reason="half of it")), SHARES)
    assert (high.measured_bps, high.complete_days) == (3 * GBPS, 6)
    assert "1 day with incomplete data" in high.notes[0]
    assert "half of it" in high.notes[0]
    low = [replace(day, complete=False) for day in week(0)]
    assert demand(port(*low), SHARES).complete_days == 0


def test_days_that_were_not_measured_are_told() -> None:
    found = demand(port(*week(GBPS)[:5], unmeasured=(DAY, DAY - timedelta(days=1))), SHARES)
    assert found.notes == ("2 days not measured: 2026-11-20, 2026-11-19",)


@pytest.mark.parametrize(
    ("bps", "step_pct", "share_pct"),
    [(0, 5, 5), (2_500_000_000, 5, 30), (2_500_000_001, 5, 35), (2_500_000_001, 1, 31), (9_000_000_000, 5, None)],
)
def test_the_needed_share_is_the_least_step_that_holds_the_demand(
    bps: int, step_pct: int, share_pct: int | None
) -> None:
    shares = SHARES.model_copy(update={"step_pct": step_pct})
    days = [replace(QUIET, chosen_bps=bps, peak_bps=bps)]
    assert needed_share_pct(demand(port(*days), shares), shares) == share_pct


@pytest.mark.parametrize(
    ("bps", "state", "words"),
    [
        (4_000_000_001, "too_small", "no longer fits"),
        (4_000_000_000, "tight", "too little margin"),
        (3_400_000_000, "tight", "too little margin"),
        (3_300_000_000, "fits", "guaranteed 4 Gb/s (40%)"),
        (900_000_000, "fits", "guaranteed 4 Gb/s (40%)"),
    ],
)
def test_whether_a_split_fits_is_said_with_its_numbers(bps: int, state: str, words: str) -> None:
    found = fit(demand(port(*week(bps)), SHARES), PRESENT, SHARES)
    assert found.state == state
    assert words in found.sentence
    assert "xe-0/1/0" in found.sentence
    assert found.is_warning == (state in ("too_small", "tight"))


@pytest.mark.parametrize(
    ("needed_bps", "step_pct", "share_pct"),
    [(2_000_000_000, 1, 19), (2_000_000_001, 1, 20), (2_100_000_000, 1, 20), (2_200_000_000, 5, 25)],
)
def test_what_idle_queues_leave_lowers_the_share_that_is_needed(needed_bps: int, step_pct: int, share_pct: int) -> None:
    """19% of a port of which 5% are idle is 19/95 of it: 2 Gb/s of 10."""
    shares = SHARES.model_copy(update={"step_pct": step_pct, "margin_pct": 0})
    found = demand(port(replace(QUIET, chosen_bps=needed_bps, peak_bps=needed_bps)), shares)
    assert needed_share_pct(found, shares, idle_share_pct=5) == share_pct
    split = replace(PRESENT, idle_share_pct=5).with_beta(share_pct)
    assert fit(found, split, shares).state == "fits"
    assert fit(found, split.with_beta(share_pct - step_pct), shares).state == "too_small"


def test_a_part_of_idle_queues_is_told() -> None:
    found = fit(demand(port(*week(GBPS)), SHARES), Split(76, 19, 5, idle_share_pct=5), SHARES)
    assert "gets 2 Gb/s with an alpha flow (19% and its part of what network control leaves)" in found.sentence


def test_the_peak_minute_and_the_missing_rate_are_in_the_sentence() -> None:
    found = fit(demand(port(*week(45 * GBPS // 10, sd_bps=10**8)), SHARES), PRESENT, SHARES)
    assert "4.5 Gb/s +- 100 Mb/s at 2026-11-20 14:32 UTC, 500 Mb/s more" in found.sentence


def test_a_share_that_twice_the_load_leaves_unused_is_generous() -> None:
    found = demand(port(*week(GBPS)), SHARES)
    assert fit(found, PRESENT.with_beta(45), SHARES).state == "fits"
    generous = fit(found, PRESENT.with_beta(50), SHARES)
    assert (generous.state, generous.is_warning) == ("generous", False)
    assert "30% would do, with bursts of twice the minute's mean" in generous.sentence


def test_too_few_complete_days_never_call_a_split_generous() -> None:
    few = [replace(day, complete=False) for day in week(GBPS)]
    assert fit(demand(port(*few), SHARES), PRESENT, SHARES).state == "fits"


def test_nothing_measured_or_no_split_is_unknown() -> None:
    assert fit(demand(port(), SHARES), PRESENT, SHARES).state == "unknown"
    told = fit(demand(port(notes=("no snmp_index",)), SHARES), PRESENT, SHARES)
    assert "no snmp_index" in told.sentence
    assert fit(demand(port(QUIET), SHARES), None, SHARES).state == "unknown"


def test_candidate_splits_keep_the_other_queues_and_the_bounds() -> None:
    splits = candidate_splits(PRESENT, Shares(min_beta_share_pct=12, min_alpha_share_pct=20))
    assert [split.beta_share_pct for split in splits] == list(range(15, 80, 5))
    assert {split.alpha_share_pct + split.beta_share_pct for split in splits} == {95}


@pytest.mark.parametrize("step_pct", [1, 5])
@pytest.mark.parametrize("least_pct", [5, 17.2, 36, 40, 57, 88.5])
def test_the_advised_split_is_the_least_that_passes_and_the_next_smaller_was_seen_to_fail(
    step_pct: int, least_pct: float
) -> None:
    shares = SHARES.model_copy(update={"step_pct": step_pct})
    simulator = Simulator(least_pct)
    found = advise(port(*week(3 * GBPS)), PRESENT, shares, simulator)
    assert found.advised is not None
    share = found.advised.beta_share_pct
    assert least_pct <= share < least_pct + step_pct
    if share > step_pct and share > 5:
        below = found.outcome_of(found.advised.with_beta(share - step_pct))
        assert below is not None
        assert not below.passes
        assert f"at {share - step_pct}%," in found.reason
    assert len(simulator.asked) == len(set(simulator.asked))


def test_what_alpha_gives_is_told() -> None:
    found = advise(port(*week(3 * GBPS)), PRESENT, SHARES, Simulator(60))
    assert found.cost.startswith("alpha's guarantee changes from 5.5 Gb/s to 3.5 Gb/s")


def test_nothing_shrinks_on_too_few_complete_days() -> None:
    few = [replace(day, complete=False) for day in week(3 * GBPS)[:5]]
    found = advise(port(*few), PRESENT, SHARES, Simulator(20))
    assert found.advised == PRESENT
    assert found.reason.startswith(
        "kept: with 0 of 7 complete days no queue is reduced; 20% would be the least that carries 1.2 Gb/s"
    )
    assert advise(port(*few), PRESENT, SHARES, Simulator(60)).advised == Split(35, 60, 5)


def test_no_split_is_advised_where_none_holds_the_load_or_none_is_known() -> None:
    assert advise(port(*week(9 * GBPS)), PRESENT, SHARES, Simulator(101)).advised is None
    faster = advise(port(*week(9 * GBPS)), PRESENT, SHARES, lambda _: ())
    assert "needs a faster port" in faster.reason
    assert advise(port(), PRESENT, SHARES, Simulator(0)).advised is None
    assert advise(port(replace(QUIET, chosen_bps=0, peak_bps=0)), PRESENT, SHARES, Simulator(0)).advised is None
    unsimulated = advise(port(*week(3 * GBPS)), PRESENT, SHARES, None)
    assert (unsimulated.advised, unsimulated.reason) == (None, "by arithmetic 40% would suffice; not simulated")


def stored(index: int, peak: int, day: date = DAY) -> InterfaceLoadEntry:
    return interface_load(day=day, interface_index=index, beta_bytes=peak, beta_peak_wire_bytes=peak)


def loaded(*loads: InterfaceLoadEntry, router: Router = ROUTER, complete: bool = True) -> PortLoad:
    days = [LoadDayEntry("r1", DAY, 1440, 0, "", 0, 0)]
    status = [DayEntry("r1", DAY, 86_400, 86_400, 1, 0, 1, complete, "" if complete else "torn")]
    return router_load(router, days, loads, status, DAY, SHARES).ports[0]


def test_rates_of_a_port_are_those_of_its_fullest_minute() -> None:
    (day,) = loaded(stored(7, 60_000_000)).days
    assert (day.peak_bps, day.peak_ms, day.sd_bps, day.complete) == (8_000_000, 60_000, 0, True)


@pytest.mark.parametrize(("percentile", "bytes_per_minute"), [("95", 2), ("99", 3), ("99.9", 4), ("100", 75)])
def test_the_percentile_of_the_settings_counts(percentile: str, bytes_per_minute: int) -> None:
    shares = SHARES.model_copy(update={"percentile": percentile})
    days = [LoadDayEntry("r1", DAY, 1440, 0, "", 0, 0)]
    (day,) = router_load(ROUTER, days, [stored(7, 75)], [], DAY, shares).ports[0].days
    assert day.chosen_bps == -(-bytes_per_minute * 8 // 60)


def test_an_index_that_no_record_names_is_not_taken_for_a_quiet_port() -> None:
    found = loaded(stored(9, 60_000_000))
    assert found.days == ()
    assert any("index 7" in told for told in found.notes)


def test_days_before_a_ports_new_index_are_not_taken_for_quiet() -> None:
    before = DAY - timedelta(days=1)
    days = [LoadDayEntry("r1", day, 1440, 0, "", 0, 0) for day in (before, DAY)]
    status = [DayEntry("r1", day, 86_400, 86_400, 1, 0, 1, True, "") for day in (before, DAY)]
    loads = [stored(6, 90_000_000, before), stored(7, 75)]
    found = demand(router_load(ROUTER, days, loads, status, DAY, SHARES).ports[0], SHARES)
    assert found.complete_days == 1
    assert "2026-11-19 (no record named index 7 yet)" in found.notes[0]
    quiet_since = [stored(7, 75, before)]
    assert demand(router_load(ROUTER, days, quiet_since, status, DAY, SHARES).ports[0], SHARES).complete_days == 2


def test_a_new_unit_does_not_take_away_what_was_measured_of_its_port() -> None:
    unit = ROUTER.interfaces[1].model_copy(update={"unit": 1, "snmp_index": 8})
    both = ROUTER.model_copy(update={"interfaces": (*ROUTER.interfaces, unit)})
    before = DAY - timedelta(days=1)
    days = [LoadDayEntry("r1", day, 1440, 0, "", 0, 0) for day in (before, DAY)]
    loads = [stored(7, 75_000, before), stored(7, 75), stored(8, 75)]
    found = demand(router_load(both, days, loads, [], DAY, SHARES).ports[0], SHARES)
    assert (found.measured_bps, found.complete_days) == (10_000, 0)


def test_an_interface_without_an_index_is_told_which_there_are() -> None:
    bare = ROUTER.model_copy(
        update={"interfaces": tuple(each.model_copy(update={"snmp_index": None}) for each in ROUTER.interfaces)}
    )
    found = loaded(stored(7, 30), stored(9, 10), router=bare)
    assert found.days == ()
    assert "7 (75%), 9 (25%)" in found.notes[0]


def test_records_that_name_no_interface_are_told_when_they_matter() -> None:
    told = loaded(stored(7, 990), stored(0, 10)).notes
    assert told == ()
    (told_one,) = loaded(stored(7, 98), stored(0, 2)).notes
    assert "name no output interface" in told_one


def test_minutes_that_were_left_out_are_told() -> None:
    found = loaded(replace(stored(7, 75), implausible_minutes=2))
    assert found.days[0].implausible_minutes == 2
    assert "2 minutes above the rate of" in found.notes[0]
    assert loaded(stored(7, 75)).notes == ()


def test_units_of_a_port_add_up() -> None:
    unit = ROUTER.interfaces[1].model_copy(update={"unit": 1, "snmp_index": 8})
    both = ROUTER.model_copy(update={"interfaces": (*ROUTER.interfaces, unit)})
    (day,) = loaded(stored(7, 75), stored(8, 150), router=both).days
    assert day.peak_bps == 30


class Bursts:
    """Says of bursts that they get through from a share on, and counts how often it is asked."""

    def __init__(self, least_pct: float) -> None:
        self.least_pct = least_pct
        self.asked: list[int] = []

    def __call__(self, split: Split) -> BurstOutcome:
        self.asked.append(split.beta_share_pct)
        return BurstOutcome(split.beta_share_pct >= self.least_pct, "bursty beta traffic", 2.5)


@pytest.mark.parametrize(("least_pct", "bursts_pct", "advised_pct"), [(36, 20, 40), (36, 61, 65), (36, 90, 90)])
def test_the_advised_split_lets_bursts_through_too(least_pct: float, bursts_pct: float, advised_pct: int) -> None:
    bursts = Bursts(bursts_pct)
    found = advise(port(*week(3 * GBPS)), PRESENT, SHARES, Simulator(least_pct), bursts)
    assert found.advised == PRESENT.with_beta(advised_pct)
    assert len(bursts.asked) == len(set(bursts.asked)) <= 5
    if bursts_pct > least_pct:
        assert f"{advised_pct}% is the least that lets bursts through; at {advised_pct - 5}%, bursty" in found.reason


def test_no_split_is_advised_where_bursts_never_get_through() -> None:
    found = advise(port(*week(3 * GBPS)), PRESENT, SHARES, Simulator(36), Bursts(101))
    assert found.advised is None
    assert "no split within bounds suffices: bursty beta traffic would wait or lose" in found.reason


def test_bursts_shrink_no_queue_on_too_few_complete_days() -> None:
    few = [replace(day, complete=False) for day in week(2 * GBPS)[:5]]
    wide = PRESENT.with_beta(80)
    found = advise(port(*few), wide, SHARES, Simulator(20), Bursts(55))
    assert found.advised == wide
    assert found.reason.startswith("kept: with 0 of 7 complete days no queue is reduced; 55% is the least")
