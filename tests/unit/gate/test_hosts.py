"""Hosts of several kinds: the worst verdict counts, and its sentence names them."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hntes.gate import Verdict, judge
from hntes.gate.hosts import Hosts, hosts_of, worst_verdicts
from hntes.gate.lab import Lab
from hntes.gate.runs import SINGLE_QUEUE, fairness, idle
from hntes.settings.hosts import HOST_PROFILES, HostProfile
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from hntes.simulator import EcnPlan, EngineName, MemoryRuns, PortPlan, QueuePlan, RunResult
from hntes.simulator.testbed.files import PROFILES
from hntes.sql.entries import VerdictOutcome
from tests.support.gate_subjects import small_model, subject_of
from tests.unit.gate.test_lab import lab_on, made_up

OLD: HostProfile = "linux-2.6.33"
NEW: HostProfile = "linux-6"
MARKING = PortPlan((QueuePlan("alpha", 60, 60, ecn=EcnPlan(50)), QueuePlan("beta", 40, 40)), "alpha", "beta")
WITHOUT_ECN, WITH_ECN = Hosts(OLD, have_ecn=False), Hosts(OLD, have_ecn=True)
GATE = Gate(jain_index=0.5, tcp_profiles=(OLD,)).model_copy(update={"throughput_pct": 0.0})


def of(outcome: VerdictOutcome, value: float | None, limit: float | None = 95.0, unit: str = "%") -> Verdict:
    return Verdict("throughput", "goodput", outcome, f"it would be {value}", limit, value, unit)


def worse(old: Verdict, new: Verdict, *, moves_packets: bool = False) -> Verdict:
    (found,) = worst_verdicts({Hosts(OLD): [old], Hosts(NEW): [new]}, moves_packets=moves_packets)
    return found


FROM_WORST_ON = [of("failed", 30.0), of("failed", 94.0), of("not_judged", None), of("passed", 95.5), of("passed", 99.0)]


@pytest.mark.parametrize(("worst", "better"), list(itertools.combinations(FROM_WORST_ON, 2)))
def test_failed_is_worse_than_not_judged_than_passed_and_less_margin_than_more(worst: Verdict, better: Verdict) -> None:
    for found, hosts in ((worse(worst, better), "2010"), (worse(better, worst), "today")):
        assert replace(found, sentence="") == replace(worst, sentence="")
        assert found.sentence.startswith(f"with hosts of {hosts}, {worst.sentence}")


def test_an_upper_limit_has_its_margin_below() -> None:
    assert worse(of("passed", 0.2, 1.0), of("passed", 0.9, 1.0)).value == 0.9
    assert worse(of("failed", 60.0, 1.0), of("failed", 1.2, 1.0)).value == 60.0


def test_without_a_limit_more_is_worse() -> None:
    assert worse(of("reported", 65.0, None), of("reported", 70.0, None)).value == 70.0


def test_the_sentence_says_what_it_is_with_the_other_hosts() -> None:
    failed, passed = of("failed", 30.4), of("passed", 99.2)
    assert worse(failed, passed).sentence == (
        "with hosts of 2010, it would be 30.4; with hosts of today it would pass (99.2 %)"
    )
    assert worse(passed, of("not_judged", None)).sentence == (
        "with hosts of today, it would be None; with hosts of 2010 it would pass (99.2 %)"
    )
    assert worse(of("passed", 96.0), passed).sentence == (
        "with hosts of 2010, it would be 96.0 (with hosts of today 99.2 %)"
    )
    assert worse(passed, passed).sentence == "with hosts of 2010 and hosts of today, it would be 99.2"


def test_where_packets_overtake_each_other_it_says_why_hosts_of_today_pass() -> None:
    told = "as they find that packets were overtaken and not lost"
    failed, passed = of("failed", 30.4), of("passed", 99.2)
    assert worse(failed, passed, moves_packets=True).sentence.endswith(f"it would pass (99.2 %), {told}")
    for other in (worse(failed, passed), worse(passed, failed, moves_packets=True)):
        assert told not in other.sentence


def test_verdicts_of_one_kind_of_hosts_stay_as_they_are() -> None:
    verdicts = [of("failed", 30.4), of("passed", 99.2)]
    assert worst_verdicts({Hosts(NEW): verdicts}, moves_packets=True) == verdicts


def test_verdicts_on_different_measures_are_not_compared() -> None:
    with pytest.raises(ValueError, match="too many values"):
        worse(of("passed", 1.0), replace(of("passed", 1.0), measure="other"))


def test_the_gate_asks_with_the_hosts_of_its_settings() -> None:
    asked: set[str] = set()

    def slower_today(scenario: Any, progress: Any, engine: EngineName) -> RunResult:
        profile = scenario.tcp.profile or OLD
        asked.add(profile)
        result = made_up(scenario, progress, engine)
        share = 0.5 if profile == NEW else 1.0
        made = {name: values * share if "goodput" in name else values for name, values in result.series.items()}
        return replace(result, series=made)

    def lab() -> Lab:
        return lab_on(MemoryRuns(), slower_today)

    subject = subject_of(small_model("junos", TwoQueue(kind="two_queue")))
    shares: dict[tuple[HostProfile, ...], float] = {}
    for hosts in ((OLD,), (NEW,), (OLD, NEW)):
        asked.clear()
        found = judge(subject, Gate(tcp_profiles=hosts), lab()).verdicts
        # the idle network is asked for once, without TCP
        assert asked == {OLD, *hosts}
        (value,) = (each.value for each in found if each.measure == "alpha_goodput_beside_30_pct")
        assert value is not None
        shares[hosts] = value
    assert shares[NEW,] == pytest.approx(shares[OLD,] / 2)
    assert shares[OLD, NEW] == shares[NEW,]


def test_the_settings_know_the_simulators_profiles() -> None:
    assert HOST_PROFILES == PROFILES


def test_hosts_with_ecn_run_where_a_queue_marks_and_nowhere_else() -> None:
    assert hosts_of((OLD, NEW), SINGLE_QUEUE) == (Hosts(OLD), Hosts(NEW))
    assert hosts_of((OLD,), MARKING) == (WITHOUT_ECN, WITH_ECN)
    assert [each.words for each in hosts_of((NEW,), MARKING)] == [
        "hosts of today without ECN",
        "hosts of today with ECN",
    ]


def test_hosts_with_ecn_differ_in_that_alone() -> None:
    plain = fairness(MARKING, GATE, OLD)
    assert WITHOUT_ECN.running(plain) == plain
    ecn = WITH_ECN.running(plain)
    assert ecn.scenario.tcp == replace(plain.scenario.tcp, ecn=True)
    assert plain.scenario.tcp.ecn is None
    assert replace(ecn, scenario=replace(ecn.scenario, tcp=plain.scenario.tcp)) == plain


def test_a_run_without_tcp_is_the_same_run() -> None:
    wanted = idle(GATE)
    assert WITH_ECN.running(wanted) is wanted


def test_of_four_kinds_of_hosts_the_worst_is_told_and_the_others_by_what_they_have() -> None:
    kinds = hosts_of((OLD, NEW), MARKING)
    values = (of("failed", 30.0), of("passed", 99.0), of("failed", 94.0), of("failed", 94.0))
    (found,) = worst_verdicts({hosts: [each] for hosts, each in zip(kinds, values, strict=True)}, moves_packets=False)
    assert found.sentence == (
        "with hosts of 2010 without ECN, it would be 30.0 (with hosts of today without ECN and hosts of today with ECN "
        "94 %); with hosts of 2010 with ECN it would pass (99 %)"
    )


def dropping_unless_marked(scenario: Any, progress: Any, engine: EngineName) -> RunResult:
    """A packet a second dropped early from hosts without ECN."""
    run = made_up(scenario, progress, engine)
    if scenario.tcp.ecn:
        return run
    name = "queue/WR->W1/alpha/dropped_early_pkts"
    return replace(run, series={**run.series, name: np.ones(round(scenario.duration_s), "<u8")})


def test_a_plan_whose_marks_save_packets_still_fails_by_hosts_without_ecn() -> None:
    subject = subject_of(small_model("junos", TwoQueue(kind="two_queue", alpha_ecn=True)))
    lab = lab_on(MemoryRuns(), dropping_unless_marked)
    found = {each.measure: each for each in judge(subject, GATE, lab).verdicts}
    assert found["deliberate_losses"].outcome == "failed"
    # until the second flow has left 152 s of one packet each, but for 5 s after each of two starts
    assert found["deliberate_losses"].value == 142
    assert found["deliberate_losses"].sentence.startswith("with hosts of 2010 without ECN, 142 packets")
    assert "marks packets or drops them from 50% of its length on" in found["deliberate_losses"].sentence
    assert found["jain_index"].sentence.startswith("with hosts of 2010 without ECN and hosts of 2010 with ECN, ")
    # the idle network is one run; all others run with each kind of hosts
    assert lab.engine_runs == 2 * 13 + 1
    plain = lab_on(MemoryRuns(), dropping_unless_marked)
    assert "ECN" not in str(judge(subject_of(small_model("junos", TwoQueue(kind="two_queue"))), GATE, plain).verdicts)
