"""The life of rules, case by case. Ageing interval: 3 complete days, unless said otherwise."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

import pytest

from hntes.rules.lifetime.rule import Departure, Rule, RuleSet, excludes, pins_of
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import DayEntry, ExclusionEntry, PinEntry, Side
from tests.support.rule_sets import PairDay, rule_set

FIRST = date(2026, 3, 1)
PAIR = PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")
OTHER = PrefixPair.parse("198.18.20.0/24>203.0.113.0/24")
IPV6 = PrefixPair.parse("2001:db8::/64>2001:db8:1::/64")
PIN = PinEntry("r1", str(PAIR.source), str(PAIR.destination), "alice", "ticket 42", FIRST)
EXCLUSION = ExclusionEntry("*", "source", "198.18.10.7/32", "bob", "measurement", FIRST, FIRST + timedelta(days=60))


def on(number: int) -> date:
    return FIRST + timedelta(days=number)


def seen(*numbers: int, pair: PrefixPair = PAIR, total: int = 10) -> list[PairDay]:
    return [PairDay(pair, on(number), 2, total, 5 + number) for number in numbers]


def statuses(until: int, incomplete: Iterable[int] = ()) -> list[DayEntry]:
    missing = set(incomplete)
    return [DayEntry("r1", on(n), 86_400, 86_400, 288, 0, 1, n not in missing, "") for n in range(until + 1)]


def as_of(
    number: int,
    history: Iterable[PairDay],
    *,
    days: Iterable[DayEntry] | None = None,
    pins: Iterable[PinEntry] = (),
    exclusions: Iterable[ExclusionEntry] = (),
    in_force: Iterable[PrefixPair] = (),
    day_complete: bool = True,
) -> RuleSet:
    known = statuses(number) if days is None else days
    return rule_set(
        history, known, pins, exclusions, router="r1", day=on(number), ageing_days=3, in_force=in_force,
        day_complete=day_complete,
    )  # fmt: skip


def only_rule(rules: RuleSet) -> Rule:
    assert (len(rules.rules), len(rules.left)) == (1, 0)
    return rules.rules[0]


def only_departure(rules: RuleSet) -> Departure:
    assert (len(rules.rules), len(rules.left)) == (0, 1)
    return rules.left[0]


def test_a_new_pair_has_a_rule_on_the_day_it_is_seen() -> None:
    rule = only_rule(as_of(0, seen(0)))
    assert rule == Rule(
        pair=PAIR, first_seen=FIRST, last_seen=FIRST, since=FIRST, days_seen=1, flows=2, alpha_bytes=10,
        recent_bytes=10, peak_bytes=5, age_days=0, frozen_days=0, pinned=False,
        why="seen on 2026-03-01: 2 alpha flows, 0.00 GB, at most 0.00 GB per window; "
        "ages out after 4 complete days without being seen",
    )  # fmt: skip


def test_much_traffic_is_told_in_terabytes() -> None:
    rule = only_rule(as_of(0, seen(0, total=12_345_670_000_000)))
    assert "2 alpha flows, 12.35 TB, at most 0.00 GB per window" in rule.why


def test_a_pair_goes_when_its_age_exceeds_the_ageing_interval() -> None:
    assert only_rule(as_of(3, seen(0))).age_days == 3
    gone = only_departure(as_of(4, seen(0)))
    assert (gone.cause, gone.absent_since) == ("aged_out", on(4))
    assert gone.reason == "aged out: last seen 2026-03-01, 4 complete days ago"
    assert only_departure(as_of(9, seen(0))).absent_since == on(4)


def test_a_pair_seen_again_is_refreshed() -> None:
    rule = only_rule(as_of(7, seen(0, 4)))
    # Seen on day 4 it never left: as of day 3 its age was 3.
    assert (rule.first_seen, rule.last_seen, rule.since, rule.days_seen) == (on(0), on(4), on(0), 2)


def test_a_pair_that_went_and_comes_again_starts_a_new_life_and_keeps_its_history() -> None:
    rule = only_rule(as_of(7, seen(0, 5)))
    assert (rule.first_seen, rule.since, rule.days_seen, rule.flows, rule.alpha_bytes) == (on(0), on(5), 2, 4, 20)
    assert "current life since 2026-03-06" in rule.why


@pytest.mark.parametrize("how", ["incomplete", "missing"])
def test_days_without_complete_data_freeze_ageing(how: str) -> None:
    frozen = {2, 3, 5}
    days = statuses(9, frozen)
    if how == "missing":
        days = [status for status in days if status.complete]
    rule = only_rule(as_of(6, seen(0), days=days))
    assert (rule.age_days, rule.frozen_days) == (3, 3)
    assert "frozen on 3 days without complete data" in rule.why
    gone = only_departure(as_of(7, seen(0), days=days))
    assert "4 complete days ago (3 days without complete data not counted)" in gone.reason


def test_a_late_status_is_taken_as_if_it_had_always_been_known() -> None:
    early = [status for status in statuses(9) if status.day < on(3)]
    assert only_rule(as_of(9, seen(0), days=early)).age_days == 2
    assert only_departure(as_of(9, seen(0), days=statuses(9))).absent_since == on(4)


def test_a_pair_seen_on_an_incomplete_day_was_seen() -> None:
    assert only_rule(as_of(4, seen(0, 2), days=statuses(4, {2}))).age_days == 2


def test_days_of_another_router_do_not_count() -> None:
    days = [replace(status, router="r2") for status in statuses(9)]
    assert only_rule(as_of(9, seen(0), days=days)).age_days == 0


def test_recent_bytes_are_those_of_the_last_calendar_days() -> None:
    rule = only_rule(as_of(5, seen(2, 3, 5)))
    assert (rule.alpha_bytes, rule.recent_bytes, rule.peak_bytes) == (30, 20, 10)


def test_rules_are_in_filter_order() -> None:
    rules = as_of(0, [*seen(0, pair=IPV6), *seen(0, pair=OTHER), *seen(0)])
    assert [rule.pair for rule in rules.rules] == [PAIR, OTHER, IPV6]


def test_a_pin_keeps_a_pair_at_any_age() -> None:
    rule = only_rule(as_of(50, seen(0), pins=[PIN]))
    assert (rule.pinned, rule.age_days, rule.since) == (True, 50, on(0))
    assert rule.why.startswith("pinned by alice: ticket 42; seen on 2026-03-01")


def test_a_pin_keeps_a_pair_never_seen() -> None:
    rule = only_rule(as_of(9, [], pins=[replace(PIN, from_day=on(4), expires_day=on(9))]))
    assert (rule.first_seen, rule.last_seen, rule.since, rule.age_days, rule.flows) == (None, None, on(4), 0, 0)
    assert rule.why == "pinned by alice until 2026-03-10: ticket 42; no alpha flow was ever seen of this pair"


def test_pins_that_ended() -> None:
    never_seen = only_departure(as_of(9, [], pins=[replace(PIN, expires_day=on(6))]))
    assert (never_seen.cause, never_seen.absent_since) == ("pin_ended", on(7))
    assert never_seen.reason == "pin by alice ended on 2026-03-07; no alpha flow was ever seen of this pair"
    aged = only_departure(as_of(9, seen(0), pins=[replace(PIN, withdrawn_day=on(8))]))
    assert (aged.cause, aged.absent_since) == ("aged_out", on(8))
    assert aged.reason == "aged out: last seen 2026-03-01, 9 complete days ago; pin by alice ended on 2026-03-08"


def test_pins_that_say_nothing_here() -> None:
    foreign = replace(PIN, router="r2")
    future = replace(PIN, from_day=on(10))
    never = replace(PIN, from_day=on(5), withdrawn_day=on(5))
    rules = as_of(9, [], pins=[foreign, future, never])
    assert (rules.rules, rules.left) == ((), ())


def test_a_pin_bridges_two_sightings_into_one_life() -> None:
    pin = replace(PIN, from_day=on(2), expires_day=on(9))
    assert only_rule(as_of(10, seen(0, 10), pins=[pin])).since == on(0)
    assert only_rule(as_of(11, seen(0, 11), pins=[pin])).since == on(11)


def test_an_exclusion_wins_over_a_pin_and_says_both() -> None:
    gone = only_departure(as_of(5, seen(5), pins=[PIN], exclusions=[EXCLUSION]))
    assert gone.cause == "excluded"
    assert gone.reason == (
        "excluded by bob until 2026-04-30 (source 198.18.10.7/32, all routers): measurement; "
        "it is pinned, too, but an exclusion wins over a pin"
    )


def test_an_exclusion_says_so_too_when_the_pair_had_aged_out_anyway() -> None:
    gone = only_departure(as_of(20, seen(0), exclusions=[replace(EXCLUSION, from_day=on(10))]))
    assert (gone.cause, gone.absent_since) == ("excluded", on(4))
    assert gone.reason.endswith("aged out: last seen 2026-03-01, 20 complete days ago")


def test_a_pair_is_back_when_the_exclusion_ends() -> None:
    exclusion = replace(EXCLUSION, expires_day=on(2))
    assert only_departure(as_of(2, seen(0), exclusions=[exclusion])).absent_since == on(0)
    assert only_rule(as_of(3, seen(0), exclusions=[exclusion])).since == on(0)


def test_exclusions_of_another_router_say_nothing() -> None:
    only_rule(as_of(0, seen(0), exclusions=[replace(EXCLUSION, scope_router="r2")]))
    only_departure(as_of(0, seen(0), exclusions=[replace(EXCLUSION, scope_router="r1")]))


@pytest.mark.parametrize(
    ("side", "prefix", "hit"),
    [
        ("source", "198.18.10.0/24", True),
        ("source", "198.18.10.7/32", True),
        ("source", "198.18.0.0/16", True),
        ("source", "0.0.0.0/0", True),
        ("source", "198.18.11.0/24", False),
        ("source", "203.0.113.0/24", False),
        ("source", "::/0", False),
        ("destination", "203.0.113.9/32", True),
        ("destination", "203.0.112.0/23", True),
        ("destination", "198.18.10.0/24", False),
        ("either", "198.18.10.128/25", True),
        ("either", "203.0.113.0/25", True),
        ("either", "192.0.2.0/24", False),
    ],
)
def test_what_an_exclusion_hits(side: Side, prefix: str, hit: bool) -> None:
    assert excludes(replace(EXCLUSION, side=side, prefix=prefix), PAIR) is hit


def test_an_ipv6_exclusion_hits_ipv6_pairs_only() -> None:
    exclusion = replace(EXCLUSION, side="either", prefix="2001:db8::1/128")
    assert (excludes(exclusion, IPV6), excludes(exclusion, PAIR)) == (True, False)


def test_on_a_complete_night_pairs_go() -> None:
    assert as_of(9, seen(0), in_force=[PAIR, OTHER]) == as_of(9, seen(0))


def test_on_an_incomplete_night_what_is_in_force_stays_and_says_why() -> None:
    history = [*seen(0), *seen(8, pair=OTHER), *seen(9, pair=IPV6)]
    kept = as_of(9, history, in_force=[PAIR, OTHER], day_complete=False)
    assert [(rule.pair, rule.protected) for rule in kept.rules] == [(PAIR, True), (OTHER, True), (IPV6, False)]
    assert kept.left == ()
    assert kept.rules[0].why == (
        "aged out: last seen 2026-03-01, 9 complete days ago; "
        "kept because it is in force and the flow data of 2026-03-10 is incomplete"
    )


def test_on_an_incomplete_night_exclusions_still_remove() -> None:
    history = [*seen(9), *seen(9, pair=OTHER)]
    kept = as_of(9, history, exclusions=[EXCLUSION], in_force=[PAIR, OTHER], day_complete=False)
    assert ([rule.pair for rule in kept.rules], [gone.pair for gone in kept.left]) == ([OTHER], [PAIR])


def test_on_an_incomplete_night_pairs_in_force_that_nobody_knows_stay_unless_excluded() -> None:
    kept = as_of(9, [], exclusions=[EXCLUSION], in_force=[PAIR, OTHER], day_complete=False)
    assert [(rule.pair, rule.last_seen) for rule in kept.rules] == [(OTHER, None)]
    assert "neither the history nor a pin knows this pair" in kept.rules[0].why
    assert [(gone.pair, gone.cause) for gone in kept.left] == [(PAIR, "excluded")]


def test_pairs_not_in_force_go_on_an_incomplete_night_too() -> None:
    assert only_departure(as_of(9, seen(0), day_complete=False)).cause == "aged_out"


def test_pins_of_a_pair() -> None:
    later = replace(PIN, from_day=on(9))
    other = replace(PIN, source=str(OTHER.source))
    assert pins_of(PAIR, [later, other, replace(PIN, router="r2"), PIN], "r1") == (PIN, later)


def test_entries_that_differ_in_their_ends_only_come_in_one_order() -> None:
    pins = [PIN, replace(PIN, expires_day=on(9)), replace(PIN, withdrawn_day=on(8))]
    exclusions = [EXCLUSION, replace(EXCLUSION, withdrawn_day=on(9))]
    assert as_of(2, seen(0), pins=pins) == as_of(2, seen(0), pins=pins[::-1])
    assert as_of(2, seen(0), exclusions=exclusions) == as_of(2, seen(0), exclusions=exclusions[::-1])
