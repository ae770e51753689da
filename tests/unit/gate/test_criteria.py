"""Each criterion on runs made by hand, whose values follow by counting."""

from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from gate.criteria import beta, delay, fairness, order, surprise, throughput
from gate.criteria.case import Case
from gate.lab import Ran
from gate.ports import PlannedPort
from gate.trace import FlowTrace, Trace
from gate.verdict import Verdict
from settings.model import Gate
from simulator import PolicerPlan, PortPlan, QueuePlan
from simulator.testbed.traffic import shortened

GATE = Gate(run_s=40, fairness_run_s=40, beta_loads_pct=(10.0,))
QUEUES = (QueuePlan("alpha", 70, 70), QueuePlan("beta", 20, 20), QueuePlan("other1", 10, 10))
WORDS = (("alpha", "queue 4"), ("beta", "queue 0"), ("other1", "queue 5"), ("shared", "queue 0"))
TWO = PortPlan(QUEUES, "alpha", "beta")
SINGLE = PortPlan((QueuePlan("shared", 95, 95),), "shared", "shared")
SCAVENGER = PortPlan(QUEUES, "alpha", "beta", policer=PolicerPlan(1e9, 31_000, True, "reclass", "other1"))


def case(plan: PortPlan = TWO, peak_pct: float = 30.0, *, is_measured: bool = True) -> Case:
    policer = "policer p" if plan.policer else ""
    return Case(PlannedPort(("xe-0/0/1",), plan, WORDS, policer, ()), GATE, peak_pct, is_measured)


def flow(
    goodput: int = 0, dropped: Mapping[int, int] | None = None, late: Mapping[int, int] | None = None, sent: int = 0,
) -> FlowTrace:  # fmt: skip
    """A flow with the same goodput each second, and what was lost or late in some of them."""
    dropped, late, seconds = dropped or {}, late or {}, 40
    return FlowTrace(
        goodput_bytes=(goodput,) * seconds,
        dropped_pkts=tuple(dropped.get(second, 0) for second in range(seconds)),
        sent_bytes=(sent,) * seconds,
        out_of_sequence_pkts=tuple(late.get(second, 0) for second in range(seconds)),
    )


def ran(
    flows: Mapping[str, FlowTrace] | None = None, rtt_ms: tuple[float, ...] = (2.0,) * 40, seconds: int = 40,
    deliberate: Mapping[int, int] | None = None,
) -> Ran:  # fmt: skip
    """A run with pings each second."""
    found = deliberate or {}
    trace = Trace(
        "packet", 1, seconds, 1.0, tuple(sorted((flows or {}).items())), tuple(found.get(n, 0) for n in range(seconds)),
        tuple(float(second) for second in range(len(rtt_ms))), rtt_ms,
    )  # fmt: skip
    return Ran({}, "hash", trace)


IDLE = ran(rtt_ms=(2.0,) * 20, seconds=20)


def by_measure(criterion: ModuleType, about: Case, *runs: Ran) -> dict[str, Verdict]:
    """The verdicts on runs of 40 s, as the criterion asks for them."""
    scenarios = [shortened(wanted.scenario, 40) for wanted in criterion.wanted(about)]
    performed = [replace(run, scenario=scenario) for run, scenario in zip(runs, scenarios, strict=True)]
    found: list[Verdict] = criterion.verdicts(about, performed)
    return {verdict.measure: verdict for verdict in found}


def test_delay_is_the_mean_above_the_idle_network_and_the_spread() -> None:
    found = by_measure(delay, case(), ran(rtt_ms=(2.0, 4.0) * 20), IDLE)
    assert found["ping_mean_increase"].value == pytest.approx(1.0)
    assert found["ping_mean_increase"].outcome == "passed"  # within 1 ms
    # of 40 values one away from their mean: sqrt(40 / 39)
    assert found["ping_sd"].value == pytest.approx((40 / 39) ** 0.5)
    assert found["ping_sd"].outcome == "failed"


def test_delay_beyond_the_limit_names_the_shared_queue() -> None:
    found = by_measure(delay, case(SINGLE), ran(rtt_ms=(3.1,) * 40), IDLE)["ping_mean_increase"]
    assert found.outcome == "failed"
    assert "alpha and other traffic share queue 0 of xe-0/0/1" in found.sentence
    assert (found.limit, found.unit, found.engine, found.seed, found.scenario_hash) == (1.0, "ms", "packet", 1, "hash")


def test_no_answer_to_any_ping_is_the_worst_delay() -> None:
    found = by_measure(delay, case(), ran(rtt_ms=()), IDLE)
    assert {verdict.outcome for verdict in found.values()} == {"failed"}


# 10 Gb/s less a load of 1 Gb/s of IP bytes in datagrams of 8320 bytes that take 8548 of link time; of the rest,
# 1448 of each 1538 bytes are payload.
LEFT_BPS = (10e9 - 1e9 * 8548 / 8320) * 1448 / 1538


@pytest.mark.parametrize(("share", "outcome"), [(1.0, "passed"), (0.951, "passed"), (0.949, "failed"), (0.3, "failed")])
def test_throughput_is_of_what_the_link_leaves(share: float, outcome: str) -> None:
    found = by_measure(throughput, case(), ran({"TCP1": flow(round(LEFT_BPS * share / 8))}))
    (verdict,) = found.values()
    assert verdict.value == pytest.approx(100 * share, abs=0.01)
    assert verdict.outcome == outcome


def test_throughput_leaves_out_the_first_five_seconds() -> None:
    rates = (0,) * 5 + (round(LEFT_BPS / 8),) * 35
    slow = FlowTrace(goodput_bytes=rates, dropped_pkts=(0,) * 40)
    (verdict,) = by_measure(throughput, case(), ran({"TCP1": slow})).values()
    assert verdict.value == pytest.approx(100, abs=0.01)


def test_out_of_sequence_packets_after_a_loss_are_due_to_it() -> None:
    recovering = flow(dropped={10: 1}, late={10: 500, 11: 500, 13: 500})
    (verdict,) = by_measure(order, case(), ran({"TCP1": recovering})).values()
    assert (verdict.value, verdict.outcome) == (0.0, "passed")


@pytest.mark.parametrize("second", [9, 14])
def test_out_of_sequence_packets_without_a_loss_are_reordered(second: int) -> None:
    reordered = flow(dropped={10: 1}, late={second: 7})
    (verdict,) = by_measure(order, case(SCAVENGER), ran({"TCP1": reordered})).values()
    assert (verdict.value, verdict.outcome) == (7.0, "failed")
    assert "policer p puts alpha packets above its rate into queue 5" in verdict.sentence


def test_order_is_not_judged_where_losses_hide_it() -> None:
    always = flow(dropped=dict.fromkeys(range(40), 1), late=dict.fromkeys(range(40), 9))
    assert by_measure(order, case(SCAVENGER), ran({"TCP1": always}))["out_of_sequence"].outcome == "not_judged"
    # a flow that stays in one queue cannot be reordered
    assert by_measure(order, case(TWO), ran({"TCP1": always}))["out_of_sequence"].outcome == "passed"


def test_order_is_looked_at_packet_by_packet_beside_the_largest_load() -> None:
    (only,) = order.wanted(case())
    assert only.needs_packets
    assert only.scenario == throughput.wanted(case())[-1].scenario


def test_beta_counts_loss_and_delay_only_while_the_alpha_flow_is_on() -> None:
    # experiment 6 of 40 s: TCP from 53/200 to 153/200 of it, 10.6 s to 30.6 s
    outside = flow(100, dropped={5: 9, 35: 9}, sent=101)
    rtt_ms = (90.0,) * 10 + (2.5,) * 21 + (90.0,) * 9
    found = by_measure(beta, case(), ran({"UDP": outside}, rtt_ms), IDLE)
    assert found["beta_loss"].value == 0.0
    assert found["beta_delay_increase"].value == pytest.approx(0.5)
    assert {verdict.outcome for verdict in found.values()} == {"passed"}


def test_beta_loss_is_a_share_of_what_was_sent_and_names_the_guarantee() -> None:
    lossy = flow(95, dropped={20: 1}, sent=100)
    found = by_measure(beta, case(), ran({"UDP": lossy}, (13.0,) * 40), IDLE)
    assert found["beta_loss"].value == pytest.approx(5.0)
    assert found["beta_delay_increase"].value == pytest.approx(11.0)
    for verdict in found.values():
        assert verdict.outcome == "failed"
        assert "queue 0 is guaranteed 20% of xe-0/0/1 only" in verdict.sentence
        assert "beta peak of 30% of the port (measured)" in verdict.sentence


def test_a_peak_that_is_assumed_is_told_as_assumed() -> None:
    found = by_measure(beta, case(is_measured=False), ran({"UDP": flow(100, sent=100)}), IDLE)
    assert "assumed" in found["beta_loss"].sentence


def test_fairness_counts_deliberate_losses_after_each_start() -> None:
    # experiment 5 of 40 s: the second flow from 51/200 of it, 10.2 s
    flows = {"TCP1": flow(100), "TCP2": flow(100)}
    calm = ran(flows, deliberate={0: 5, 4: 5, 11: 5, 15: 5})
    assert by_measure(fairness, case(), calm)["deliberate_losses"].value == 0
    later = ran(flows, deliberate={6: 1, 9: 2, 16: 4, 39: 8})
    verdict = by_measure(fairness, case(), later)["deliberate_losses"]
    assert (verdict.value, verdict.outcome) == (15.0, "failed")


@pytest.mark.parametrize(("other", "index"), [(100, 1.0), (50, 0.9), (0, 0.5)])
def test_fairness_is_jains_index(other: int, index: float) -> None:
    # (1 + x)^2 / (2 (1 + x^2)): 1, 0.9 and 0.5 for equal, half and nothing
    verdict = by_measure(fairness, case(), ran({"TCP1": flow(100), "TCP2": flow(other)}))["jain_index"]
    assert verdict.value == pytest.approx(index)
    assert verdict.outcome == ("passed" if index >= 0.9 else "failed")


def test_a_surprise_is_reported_whatever_it_does() -> None:
    terrible = ran({"UDP": flow(1, dropped={15: 1}, sent=100)}, (500.0,) * 40)
    found = by_measure(surprise, case(), terrible, IDLE)
    assert {verdict.outcome for verdict in found.values()} == {"reported"}
    assert found["beta_delay_increase"].value == pytest.approx(498.0)
    assert all(verdict.limit is None for verdict in found.values())


def scenario_flows(scenario: Mapping[str, Any]) -> dict[str, str]:
    return {flow["name"]: flow["traffic"]["kind"] for flow in scenario["flows"]}


def test_each_criterion_runs_its_experiment_through_the_plan() -> None:
    about = case(SINGLE, 12.0)
    names = {
        c: [run.scenario["name"] for run in c.wanted(about)] for c in (delay, throughput, beta, fairness, surprise)
    }
    assert names[delay] == ["experiment2/plan", "experiment2/plan"]
    assert names[throughput] == ["experiment4/plan"]
    assert names[beta][0] == "experiment6/plan"
    assert names[fairness] == ["experiment5/plan"]
    assert names[surprise][0] == "experiment7/plan"
    for criterion in names:
        (port,) = criterion.wanted(about)[0].scenario["ports"]
        assert [queue["class"] for queue in port["queues"]] == ["shared"]
        assert {rule["class"] for rule in port["classifier"]} == {"shared"}
    assert scenario_flows(delay.wanted(about)[1].scenario) == {"ping": "ping"}
