"""Flows whose error bar reaches the threshold. Ageing interval: 3 complete days."""

from datetime import date, timedelta

import pytest

from hntes.rules.lifetime.rule import RuleSet
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import DayEntry, ExclusionEntry, PinEntry, WeakEvidence
from tests.support.rule_sets import PairDay, rule_set

FIRST = date(2026, 3, 1)
PAIR = PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")


def on(number: int) -> date:
    return FIRST + timedelta(days=number)


def weak(number: int) -> PairDay:
    return PairDay(PAIR, on(number), 1, 1_500_000_000, 1_500_000_000, is_weak=True)


def firm(number: int) -> PairDay:
    return weak(number)._replace(is_weak=False)


def as_of(number: int, *seen: PairDay, mode: WeakEvidence = "second_sighting", **more: object) -> RuleSet:
    days = [DayEntry("r1", on(n), 86_400, 86_400, 288, 0, 1, True, "") for n in range(number + 1)]
    given = {"pins": (), "exclusions": ()} | more
    return rule_set(
        seen, days, router="r1", day=on(number), ageing_days=3, weak_evidence=mode, **given
    )  # fmt: skip


def test_one_sampled_packet_makes_no_rule_and_says_that_it_waits() -> None:
    (departure,) = as_of(0, weak(0)).left
    assert (departure.cause, departure.absent_since, departure.life.weak_days) == ("waiting", FIRST, 1)
    assert departure.reason == (
        "weak evidence on 2026-03-01 (1.50 GB, its error bar reaches the threshold): "
        "waits for a second sighting on another day"
    )


@pytest.mark.parametrize("second", [weak, firm])
def test_a_second_sighting_makes_a_rule_on_its_day(second: object) -> None:
    assert callable(second)
    (rule,) = as_of(2, weak(0), second(2)).rules
    assert (rule.since, rule.first_seen, rule.days_seen) == (on(2), on(2), 1)


def test_a_second_sighting_that_comes_too_late_is_a_first_one() -> None:
    assert as_of(3, weak(0)).left[0].cause == "waiting"
    late = as_of(4, weak(0)).left[0]
    assert (late.cause, late.reason.rpartition(", ")[2]) == ("weak_evidence", "and not seen again in time")
    assert as_of(4, weak(0), weak(4)).left[0].cause == "waiting"
    assert len(as_of(5, weak(0), weak(4), weak(5)).rules) == 1


def test_weak_days_keep_a_pair_that_lives() -> None:
    (rule,) = as_of(5, firm(0), weak(2)).rules
    assert (rule.last_seen, rule.since, rule.weak_days) == (on(2), on(0), 1)
    assert "weak evidence on 1 day of these" in rule.why


def test_a_pair_that_went_and_comes_again_weakly_waits() -> None:
    (departure,) = as_of(9, firm(0), weak(9)).left
    assert (departure.cause, departure.absent_since) == ("waiting", on(9))


def test_a_firm_flow_of_the_same_day_makes_the_day_firm() -> None:
    assert len(as_of(0, weak(0), firm(0)).rules) == 1
    assert as_of(0, weak(0), weak(0)).left[0].cause == "waiting"


def test_other_ways_to_take_weak_evidence() -> None:
    assert len(as_of(0, weak(0), mode="accept").rules) == 1
    (ignored,) = as_of(1, weak(0), weak(1), mode="ignore").left
    assert (ignored.cause, ignored.reason.rpartition(", ")[2]) == ("weak_evidence", "which the settings ignore")


def test_what_cannot_be_true_begins_no_rule_however_often_it_is_seen() -> None:
    forged = [PairDay(PAIR, on(number), 0, 0, 0, is_implausible=True) for number in range(3)]
    for mode in ("second_sighting", "accept", "ignore"):
        made = as_of(2, *forged, mode=mode)
        assert (made.rules, made.left) == ((), ())
    assert as_of(3, forged[0], weak(3)).left[0].cause == "waiting"
    assert len(as_of(2, *forged, firm(2)).rules) == 1


def test_what_cannot_be_true_takes_no_rule_away() -> None:
    forged = [PairDay(PAIR, on(number), 0, 0, 0, is_implausible=True) for number in range(1, 9)]
    (rule,) = as_of(8, firm(0), *forged).rules
    assert (rule.last_seen, rule.flows, rule.alpha_bytes) == (on(8), 1, firm(0).bytes)
    assert not as_of(12, firm(0), *forged).rules
    assert as_of(8, firm(0), *forged[4:]).left[0].cause == "aged_out"


def test_pins_and_exclusions_go_before_weak_evidence() -> None:
    pin = PinEntry("r1", str(PAIR.source), str(PAIR.destination), "alice", "ticket 42", FIRST)
    (rule,) = as_of(0, weak(0), pins=[pin]).rules
    assert "weak evidence on 1 day of these" in rule.why
    exclusion = ExclusionEntry("*", "source", "198.18.10.7/32", "bob", "measurement", FIRST, on(60))
    assert as_of(0, weak(0), exclusions=[exclusion]).left[0].cause == "excluded"


def test_on_an_incomplete_night_a_pair_in_force_stays_on_weak_evidence() -> None:
    (rule,) = as_of(0, weak(0), in_force=[PAIR], day_complete=False).rules
    assert rule.protected
