"""Hosts with ECN and without: both run where a queue marks, the worse verdict counts, and its sentence names them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gate import judge
from gate.hosts import WITH_ECN, WITHOUT_ECN, hosts_of, worst_verdicts
from gate.runs import SINGLE_QUEUE, WantedRun, fairness, idle
from gate.verdict import Verdict
from settings.model import Gate
from settings.plans import TwoQueue
from simulator import EcnPlan, EngineName, MemoryRuns, PortPlan, QueuePlan, RunResult
from sql.entries import VerdictOutcome
from tests.support.gate_subjects import small_model, subject_of
from tests.unit.gate.test_lab import lab_on, made_up

MARKING = PortPlan((QueuePlan("alpha", 60, 60, ecn=EcnPlan(50)), QueuePlan("beta", 40, 40)), "alpha", "beta")
GATE = Gate(jain_index=0.5).model_copy(update={"throughput_pct": 0.0})


def test_hosts_with_ecn_run_where_a_queue_marks_and_nowhere_else() -> None:
    assert hosts_of(SINGLE_QUEUE) == (WITHOUT_ECN,)
    assert hosts_of(MARKING) == (WITHOUT_ECN, WITH_ECN)


def test_hosts_with_ecn_differ_in_that_alone() -> None:
    plain = fairness(MARKING, GATE)
    assert WITHOUT_ECN.running(plain) == plain
    ecn = WITH_ECN.running(plain)
    assert ecn.scenario["tcp"] == {**plain.scenario["tcp"], "ecn": True}
    assert plain.scenario["tcp"].get("ecn") is None
    assert replace(ecn, scenario={**ecn.scenario, "tcp": plain.scenario["tcp"]}) == plain


def test_a_run_without_tcp_is_the_same_run() -> None:
    wanted: WantedRun = idle(GATE)
    assert WITH_ECN.running(wanted) is wanted


def verdict(outcome: VerdictOutcome, value: float | None, measure: str = "ping_sd") -> Verdict:
    return Verdict("delay", measure, outcome, f"it would be {value}", 1.0, value)


@pytest.mark.parametrize(
    ("without", "with_ecn", "told"),
    [
        (verdict("failed", 2), verdict("passed", 0), "hosts without ECN: it would be 2"),
        (verdict("passed", 0), verdict("failed", 2), "hosts with ECN: it would be 2"),
        (verdict("not_judged", None), verdict("passed", 0), "hosts without ECN: it would be None"),
        (verdict("not_judged", None), verdict("failed", 3), "hosts with ECN: it would be 3"),
        (verdict("passed", 0.1), verdict("passed", 0.2), "hosts with ECN: it would be 0.2"),
        (verdict("failed", 9), verdict("failed", 2), "hosts without ECN: it would be 9"),
        (verdict("passed", 0.1), verdict("passed", 0.1), "hosts with or without ECN: it would be 0.1"),
        (
            verdict("passed", 0.95, "jain_index"), verdict("passed", 0.99, "jain_index"),
            "hosts without ECN: it would be 0.95",
        ),
        (
            verdict("failed", 90, "alpha_goodput_beside_30_pct"), verdict("failed", 70, "alpha_goodput_beside_30_pct"),
            "hosts with ECN: it would be 70",
        ),
    ],
)  # fmt: skip
def test_the_worse_verdict_counts_and_names_its_hosts(without: Verdict, with_ecn: Verdict, told: str) -> None:
    (worst,) = worst_verdicts({WITHOUT_ECN: [without], WITH_ECN: [with_ecn]})
    assert worst.sentence == told
    assert worst.outcome in (without.outcome, with_ecn.outcome)


def test_hosts_of_one_kind_are_not_named() -> None:
    assert worst_verdicts({WITHOUT_ECN: [verdict("passed", 0.1)]}) == [verdict("passed", 0.1)]


def dropping_unless_marked(scenario: Any, progress: Any, engine: EngineName) -> RunResult:
    """A packet a second dropped early from hosts without ECN."""
    run = made_up(scenario, progress, engine)
    if scenario["tcp"].get("ecn"):
        return run
    name = "queue/WR->W1/alpha/dropped_early_pkts"
    return replace(run, series={**run.series, name: np.ones(round(scenario["duration_s"]), "<u8")})


def test_a_plan_whose_marks_save_packets_still_fails_by_hosts_without_ecn() -> None:
    subject = subject_of(small_model("junos", TwoQueue(kind="two_queue", alpha_ecn=True)))
    lab = lab_on(MemoryRuns(), dropping_unless_marked)
    found = {each.measure: each for each in judge(subject, GATE, lab).verdicts}
    assert found["deliberate_losses"].outcome == "failed"
    # 200 s of one packet each, but for 5 s after each of two starts
    assert found["deliberate_losses"].value == 190
    assert found["deliberate_losses"].sentence.startswith("hosts without ECN: 190 packets")
    assert "marks packets or drops them from 50% of its length on" in found["deliberate_losses"].sentence
    assert found["jain_index"].sentence.startswith("hosts with or without ECN: ")
    # the idle network is one run; all others run with each kind of hosts
    assert lab.engine_runs == 2 * 7 + 1
    plain = lab_on(MemoryRuns(), dropping_unless_marked)
    assert "ECN" not in str(judge(subject_of(small_model("junos", TwoQueue(kind="two_queue"))), GATE, plain).verdicts)
