"""CUBIC beside H-TCP: where it is asked, what is run, and that the worse verdict counts and names it."""

from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
import pytest

from hntes.gate import BetaPeak, JudgedPlan, Verdict, judge_plans
from hntes.gate.criteria import BETA, DELAY, ORDER, SURPRISE, SimulatedCriterion
from hntes.gate.near import LEFT_TO_H_TCP, NEAR, may_differ_with_cubic
from hntes.gate.ports import PlannedPort
from hntes.gate.room import room_used
from hntes.settings.model import Gate
from hntes.simulator import EngineName, MemoryRuns, PolicerPlan, PortPlan, QueuePlan, RunResult
from hntes.simulator.scenario import Scenario, TcpTraffic
from hntes.sql.entries import CRITERIA
from scripts.compare_cubic import NUMBERS, PEAK_PCT, ComparedMeasure, ComparedPlan, compared_plans, plan_of, read
from tests.unit.gate.test_lab import lab_on, made_up

GATE = Gate(round_trips_ms=(2.0,))
APART = PortPlan((QueuePlan("alpha", 60, 55), QueuePlan("beta", 40, 40, 1)), "alpha", "beta")
ONE = PortPlan((QueuePlan("shared", 100, 2),), "shared", "shared")


def judged(plan: PortPlan, gate: Gate = GATE) -> JudgedPlan:
    words = tuple((each.name, each.name) for each in plan.queues)
    return JudgedPlan(PlannedPort(("xe-0/0/1",), plan, words, "", ()), gate, BetaPeak(30.0, is_measured=True))


def control_of(scenario: Scenario) -> str:
    """Of the alpha flows; "" without any."""
    found = {each.traffic.congestion for each in scenario.flows if isinstance(each.traffic, TcpTraffic)}
    return "".join(found)


def with_pings(run: RunResult, later_ms: float) -> RunResult:
    """The run with all pings so much later."""
    pings = {key: np.asarray(of, np.float64) + later_ms for key, of in run.series.items() if key.endswith("rtt_ms")}
    return replace(run, series={**run.series, **pings})


def asked(
    criterion: SimulatedCriterion, plan: JudgedPlan, later_ms: dict[str, float]
) -> tuple[list[tuple[Scenario, EngineName]], list[Verdict]]:
    """The runs and the verdicts where pings are so much later beside alpha flows of a control."""
    ran: list[tuple[Scenario, EngineName]] = []

    def engine(scenario: Scenario, progress: Any, name: EngineName) -> RunResult:
        ran.append((scenario, name))
        made = made_up(scenario, progress, name)
        return with_pings(made, later_ms.get(control_of(scenario), 0.0))

    return ran, judge_plans([plan], lab_on(MemoryRuns(), engine, workers=1), [criterion])


def controls(ran: list[tuple[Scenario, EngineName]]) -> set[str]:
    return {control_of(scenario) for scenario, _ in ran} - {""}


def test_far_from_the_limits_nothing_is_run_with_cubic() -> None:
    ran, (mean, sd) = asked(DELAY, judged(APART), {"htcp": 0.59, "cubic": 5.0})
    assert controls(ran) == {"htcp"}
    assert (mean.outcome, mean.congestion, mean.controls) == ("passed", "htcp", ("htcp",))
    assert sd.controls == ("htcp",)


def test_near_a_limit_the_same_run_is_made_with_cubic_packet_by_packet_and_the_worse_counts() -> None:
    ran, (mean, _) = asked(DELAY, judged(APART), {"htcp": 0.6, "cubic": 1.2})
    ((with_cubic, engine),) = [each for each in ran if control_of(each[0]) == "cubic"]
    assert engine == "packet"
    # the same flows at the same times through the same queues, with hosts of today, and no other control
    (of_htcp,) = (each for each, _ in ran if control_of(each) == "htcp" and each.tcp.profile == "linux-6")
    assert with_cubic.tcp == of_htcp.tcp
    assert with_cubic.ports == of_htcp.ports
    assert {(each.name, each.to) for each in with_cubic.flows} == {(each.name, each.to) for each in of_htcp.flows}
    assert (mean.outcome, mean.value) == ("failed", 1.2)
    assert (mean.congestion, mean.controls) == ("cubic", ("htcp", "cubic"))
    assert mean.sentence.startswith("with hosts of today with CUBIC, beside four alpha flows a ping")
    assert mean.sentence.endswith(
        "; with hosts of 2010 it would pass (0.6 ms); with hosts of today it would pass (0.6 ms)"
    )


def test_where_cubic_is_no_worse_h_tcps_verdict_stays_and_says_that_both_were_asked() -> None:
    _, (mean, _) = asked(DELAY, judged(APART), {"htcp": 0.9, "cubic": 0.5})
    assert (mean.outcome, mean.value, mean.congestion) == ("passed", 0.9, "htcp")
    assert mean.controls == ("htcp", "cubic")
    assert mean.sentence.endswith("(with hosts of today with CUBIC 0.5 ms)")


@pytest.mark.parametrize(
    ("gate", "later_ms"),
    [
        (GATE, 1.01),  # it fails with H-TCP
        (GATE.model_copy(update={"congestion": ("htcp",)}), 0.9),
        (GATE.model_copy(update={"tcp_profiles": ("linux-2.6.33",)}), 0.9),
    ],
)
def test_cubic_is_not_asked_of_what_has_failed_nor_where_the_settings_leave_it_out(gate: Gate, later_ms: float) -> None:
    ran, (mean, _) = asked(DELAY, judged(APART, gate), {"htcp": later_ms, "cubic": 5.0})
    assert controls(ran) == {"htcp"}
    assert mean.controls == ("htcp",)


def test_what_is_only_reported_has_no_limit_to_be_near_to() -> None:
    ran, found = asked(SURPRISE, judged(ONE), {"htcp": 30.0})
    assert controls(ran) == {"htcp"}
    assert {each.controls for each in found} == {("htcp",)}


MOVING = replace(
    APART, policer=PolicerPlan(5e9, 10_000_000, "reclass", "beta"),
)  # fmt: skip
BELOW = replace(APART, queues=(QueuePlan("alpha", 70, 55), QueuePlan("beta", 30, 40, 1)))
JUST_ABOVE = replace(APART, queues=(QueuePlan("alpha", 69, 55), QueuePlan("beta", 31, 40, 1)))


@pytest.mark.parametrize(
    ("criterion", "plan", "is_asked"),
    [
        (BETA, ONE, True),
        (BETA, APART, False),
        (BETA, BELOW, True),  # 30% of IP bytes take 30.8% of the link
        (BETA, JUST_ABOVE, False),
        (ORDER, MOVING, True),
        (ORDER, APART, False),
    ],
)
def test_a_count_of_none_is_asked_with_cubic_where_windows_decide_it(
    criterion: SimulatedCriterion, plan: PortPlan, is_asked: bool
) -> None:
    ran, found = asked(criterion, judged(plan), {})
    assert ("cubic" in controls(ran)) == is_asked
    assert all(("cubic" in each.controls) == is_asked for each in found)


def test_what_is_asked_over_several_round_trips_names_all_controls_of_any() -> None:
    gate = GATE.model_copy(update={"round_trips_ms": (2.0, 20.0)})

    def later(scenario: Scenario) -> float:
        is_far = max(link.delay_us for link in scenario.links) > 5000
        return {"htcp": 0.1 if is_far else 0.7, "cubic": 0.65}.get(control_of(scenario), 0.0)

    def engine(scenario: Scenario, progress: Any, name: EngineName) -> RunResult:
        made = made_up(scenario, progress, name)
        return with_pings(made, later(scenario))

    mean, _ = judge_plans([judged(APART, gate)], lab_on(MemoryRuns(), engine), [DELAY])
    assert (mean.value, mean.round_trip_ms, mean.congestion) == (0.7, 2.0, "htcp")
    assert mean.controls == ("htcp", "cubic")


ROWS = read(NUMBERS)


def test_the_campaign_is_whole() -> None:
    assert {(plan_of(row), row.criterion) for row in ROWS} == {(plan, each.name) for plan, each in compared_plans()}


# Not CUBIC's doing: packets lose as much with H-TCP (tests/long/test_gate_cubic.py), and the fluid engine nothing.
OF_THE_ENGINE = [(ComparedPlan(31, 55, 0.1, 1, 2, 80), "beta")]


# Slow to share a long path, whatever the plan: criterion 6 is left to H-TCP (decision 59).
SLOW_TO_SHARE = [(ComparedPlan(65, 55, 40, 1, 2, 80), "fairness")]


def test_wherever_cubic_alone_failed_a_criterion_in_the_campaign_it_is_asked() -> None:
    alone, escaped = 0, []
    for (compared, criterion), rows in groupby(ROWS, key=lambda row: (plan_of(row), row.criterion)):
        found = list(rows)
        if any(row.htcp_outcome == "failed" for row in found) or all(row.cubic_outcome == "passed" for row in found):
            continue
        alone += 1
        if not may_differ_with_cubic(_judged_of(compared), [_with_h_tcp(row) for row in found]):
            escaped.append((compared, criterion))
    assert escaped == OF_THE_ENGINE + SLOW_TO_SHARE
    assert alone - len(escaped) >= 3, "a campaign without such plans shows nothing"


def test_wherever_cubic_alone_took_a_measure_beyond_its_limit_h_tcp_was_near_it() -> None:
    used = [
        room_used(row.htcp, row.limit, "ms", passes=True)
        for row in ROWS
        if (row.htcp_outcome, row.cubic_outcome) == ("passed", "failed")
        and row.limit
        and row.criterion not in LEFT_TO_H_TCP
    ]
    assert len(used) >= 5
    assert min(used) == pytest.approx(0.72, abs=0.005)
    assert min(used) >= NEAR


def _judged_of(compared: ComparedPlan) -> JudgedPlan:
    return replace(judged(compared.plan), beta_peak=BetaPeak(PEAK_PCT, is_measured=True))


def _with_h_tcp(row: ComparedMeasure) -> Verdict:
    unit = {"alpha_goodput": "%", "beta_loss": "%", "jain_index": "", "deliberate": "packets"}
    of_measure = next((each for start, each in unit.items() if row.measure.startswith(start)), "ms")
    (name,) = (each for each in CRITERIA if each == row.criterion)
    return Verdict(name, row.measure, "passed", "", row.limit, row.htcp, of_measure, "fluid")
