"""The explanation of one pair for an operator."""

from dataclasses import replace
from datetime import date, timedelta

from hntes.rules.lifetime.rule import RuleSet
from hntes.rules.lifetime.why import Explanation, explain, explanation_text, flow_lines
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import DayEntry, ExclusionEntry, PinEntry
from tests.support.entries import observation
from tests.support.rule_sets import PairDay, rule_set, within_budget

FIRST = date(2026, 3, 1)
PAIR = PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")
HOSTS = PrefixPair.parse("198.18.10.7/32>203.0.113.9/32")
ABSENT = PrefixPair.parse("192.0.2.0/24>203.0.113.0/24")
PIN = PinEntry("r1", str(PAIR.source), str(PAIR.destination), "alice", "ticket 42", FIRST, date(2026, 3, 3))
EXCLUSION = ExclusionEntry("*", "either", "203.0.113.0/25", "bob", "measurement", FIRST, date(2026, 12, 31))
FLOW = observation(day=FIRST, peak_start_ms=1_772_366_400_000, peak_sd_bytes=30_000_000, sampling_factor=100)
HOST_PAIR = replace(
    FLOW, flow_id="f2", source="198.18.10.8", source_port=None, destination_port=None, protocol=None, borderline=True,
    sampling_factor=0, peak_sd_bytes=None, peak_bytes=1_010_000_000,
)  # fmt: skip


def on(number: int) -> date:
    return FIRST + timedelta(days=number)


def as_of(number: int, *, pins: tuple[PinEntry, ...] = (), exclusions: tuple[ExclusionEntry, ...] = ()) -> RuleSet:
    statuses = [DayEntry("r1", on(n), 1, 1, 1, 0, 1, n != 1, "") for n in range(number + 1)]
    history = [PairDay(PAIR, flow.day, 1, flow.flow_bytes, flow.peak_bytes) for flow in (FLOW, HOST_PAIR)]
    return rule_set(history, statuses, pins, exclusions, router="r1", day=on(number), ageing_days=3)


def explained(
    pair: PrefixPair, rules: RuleSet, *, budget: int = 10, in_force: bool = False, pins: tuple[PinEntry, ...] = ()
) -> Explanation:
    return explain(
        pair,
        rules,
        within_budget(rules.rules, budget),
        in_force_pairs=[PAIR] if in_force else [],
        pins=pins,
        observations=[FLOW, HOST_PAIR, replace(FLOW, router="r2"), replace(FLOW, day=on(9))],
    )


def test_states() -> None:
    assert explained(PAIR, as_of(2)).state == "candidate"
    assert explained(PAIR, as_of(2), in_force=True).state == "in_force"
    assert explained(PAIR, as_of(2), budget=0, in_force=True).state == "over_budget"
    assert explained(PAIR, as_of(9)).state == "aged_out"
    assert explained(PAIR, as_of(9, exclusions=(EXCLUSION,))).state == "excluded"
    assert explained(ABSENT, as_of(9)).state == "never_seen"
    assert explained(ABSENT, as_of(9, exclusions=(EXCLUSION,))).state == "excluded"


def test_a_pin_that_ended_on_a_pair_never_seen() -> None:
    pin = replace(PIN, source=str(ABSENT.source))
    explanation = explained(ABSENT, as_of(9, pins=(pin,)), pins=(pin,))
    assert (explanation.state, explanation.pins) == ("pin_ended", (pin,))
    assert "pin: by alice, from 2026-03-01 to 2026-03-03 (not active on this day): ticket 42" in explanation_text(
        explanation
    )


def test_the_text_of_a_rule_in_force() -> None:
    assert explanation_text(explained(PAIR, as_of(2, pins=(PIN,)), in_force=True, pins=(PIN,))) == "\n".join(
        [
            "198.18.10.0/24 > 203.0.113.0/24 on r1, as of 2026-03-03: has a rule, and it is in force",
            (
                "  why: pinned by alice until 2026-03-03: ticket 42; "
                "seen on 2026-03-01: 2 alpha flows, 10.00 GB, at most 2.00 GB per window; "
                "ageing was frozen on 1 day without complete data"
            ),
            (
                "  first seen 2026-03-01, last seen 2026-03-01, on 1 day; 2 alpha flows, 10.000 GB, "
                "of it 10.000 GB in the last 3 days"
            ),
            (
                "  age 1 of 3 complete days: ages out after 3 more complete days without it; "
                "frozen on 1 day without complete data"
            ),
            "  pin: by alice, from 2026-03-01 to 2026-03-03 (active): ticket 42",
            "  alpha flows from 2026-02-25 to 2026-03-03: 2",
            (
                "    2026-03-01 198.18.10.7:50000 > 203.0.113.9:2811 TCP: 5.000 GB; "
                "peak 2.000 GB +- 0.030 GB in 60 s from 2026-03-01 12:00:00 UTC (sampled 1 in 100)"
            ),
            (
                "    2026-03-01 198.18.10.8 > 203.0.113.9: 5.000 GB; peak 1.010 GB with "
                "unknown error in 60 s from 2026-03-01 12:00:00 UTC (sampling factor unknown, borderline)"
            ),
        ]
    )


def test_the_text_of_a_pair_that_is_excluded_but_in_force_still() -> None:
    rules = as_of(2, pins=(PIN,), exclusions=(EXCLUSION,))
    text = explanation_text(explained(PAIR, rules, in_force=True, pins=(replace(PIN, withdrawn_day=on(2)),)))
    assert "has no rule: excluded" in text
    assert "it is still in force; the candidate removes it" in text
    assert "no rule since 2026-03-01: excluded by bob until 2026-12-31 (either 203.0.113.0/25, all routers)" in text
    assert "exclusion: either 203.0.113.0/25 by bob, 2026-03-01 to 2026-12-31: measurement" in text
    assert "withdrawn 2026-03-03" in text


def test_the_text_of_a_pair_that_aged_out() -> None:
    text = explanation_text(explained(PAIR, as_of(9)))
    assert "no rule since 2026-03-06: aged out: last seen 2026-03-01, 8 complete days ago (1 day without" in text
    assert "age 8 of 3 complete days: over the ageing interval" in text
    assert text.endswith("alpha flows from 2026-03-04 to 2026-03-10: 1\n" + text.splitlines()[-1])


def test_the_text_of_a_pair_nobody_knows() -> None:
    assert explanation_text(explained(ABSENT, as_of(2))).splitlines() == [
        "192.0.2.0/24 > 203.0.113.0/24 on r1, as of 2026-03-03: has no rule: no plausible sighting, and not pinned",
        "  alpha flows from 2026-02-25 to 2026-03-03: none",
    ]


def test_who_asks_for_hosts_is_shown_the_pair_they_belong_to() -> None:
    explanation = explained(HOSTS, as_of(2))
    assert (explanation.state, explanation.related, explanation.evidence) == ("never_seen", (PAIR,), (FLOW,))
    assert "known pairs that overlap it: 198.18.10.0/24 > 203.0.113.0/24" in explanation_text(explanation)
    assert explained(PrefixPair.parse("2001:db8::/64>2001:db8:1::/64"), as_of(2)).related == ()


def test_ipv6_ports_are_written_apart_from_the_address() -> None:
    flow = replace(FLOW, ip_version=6, source="2001:db8::1", destination="2001:db8:1::1", sampling_factor=1)
    rules = as_of(2)
    pair = PrefixPair.parse("2001:db8::/64>2001:db8:1::/64")
    selection = within_budget(rules.rules, 1)
    text = explanation_text(explain(pair, rules, selection, in_force_pairs=[], pins=[], observations=[flow]))
    assert "[2001:db8::1]:50000 > [2001:db8:1::1]:2811 TCP" in text
    assert "(not sampled)" in text


def test_bytes_by_day_are_those_of_the_evidence_that_is_believed() -> None:
    second, forged = replace(FLOW, flow_id="f3", day=on(2)), replace(FLOW, flow_id="f4", day=on(1), implausible=True)
    found = explain(
        PAIR, as_of(2), within_budget(as_of(2).rules, 10), in_force_pairs=[], pins=(),
        observations=[FLOW, HOST_PAIR, second, forged], evidence_days=4,
    )  # fmt: skip
    assert found.bytes_by_day == (0, FLOW.flow_bytes + HOST_PAIR.flow_bytes, 0, FLOW.flow_bytes)


def test_the_reasons_alone_name_the_number_of_flows() -> None:
    """The page has their table, and the lines folded behind it."""
    explanation = explained(PAIR, as_of(2))
    whole = explanation_text(explanation).splitlines()
    assert len(flow_lines(explanation)) == 2
    assert [line for line in whole if line.strip() not in flow_lines(explanation)] == explanation_text(
        explanation, with_flows=False
    ).splitlines()
    assert "alpha flows from" in explanation_text(explanation, with_flows=False)
