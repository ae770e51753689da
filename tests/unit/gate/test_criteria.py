"""Each criterion on runs made by hand, whose values follow by counting."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

from hntes.gate import JudgedPlan, PlannedPort, Verdict
from hntes.gate.beta_peak import BetaPeak, MeasuredPeak, peak_of
from hntes.gate.criteria import (
    BETA,
    DELAY,
    FAIRNESS,
    ORDER,
    REGISTRY,
    SURPRISE,
    THROUGHPUT,
    Criterion,
    SimulatedCriterion,
)
from hntes.gate.criteria.catalogue import criteria_table
from hntes.gate.lab import PerformedRun
from hntes.gate.verdict import value_words
from hntes.platforms.effective import Port
from hntes.settings.model import Gate
from hntes.simulator import PolicerPlan, PortPlan, QueuePlan, RunResult
from hntes.simulator.results import Series
from hntes.simulator.scenario import DelayEmulator
from hntes.simulator.testbed.traffic import shortened
from hntes.sql.entries import CRITERIA
from tests.support.gate_subjects import ROOT

SECONDS = 40
GATE = Gate(run_s=40, fairness_run_s=40, beta_loads_pct=(10.0,))
QUEUES = (QueuePlan("alpha", 70, 70), QueuePlan("beta", 20, 20), QueuePlan("other1", 10, 10))
WORDS = (("alpha", "queue 4"), ("beta", "queue 0"), ("other1", "queue 5"), ("shared", "queue 0"))
TWO = PortPlan(QUEUES, "alpha", "beta")
SINGLE = PortPlan((QueuePlan("shared", 95, 95),), "shared", "shared")
SCAVENGER = PortPlan(QUEUES, "alpha", "beta", policer=PolicerPlan(1e9, 31_000, True, "reclass", "other1"))


def judged(plan: PortPlan = TWO, peak_pct: float = 30.0, *, is_measured: bool = True) -> JudgedPlan:
    policer = "policer p" if plan.policer else ""
    return JudgedPlan(PlannedPort(("xe-0/0/1",), plan, WORDS, policer, ()), GATE, BetaPeak(peak_pct, is_measured))


@dataclass(frozen=True)
class MadeFlow:
    """A flow with the same goodput each second but the first ones, and what was lost or late in some of them."""

    goodput: int = 0
    dropped: Mapping[int, int] = field(default_factory=dict)
    late: Mapping[int, int] = field(default_factory=dict)
    sent_again: Mapping[int, int] = field(default_factory=dict)
    sent: int = 0
    silent_s: int = 0

    def series(self, name: str) -> dict[str, np.ndarray[tuple[int], np.dtype[np.uint64]]]:
        return {
            f"flow/{name}/goodput_bytes": counts(dict.fromkeys(range(self.silent_s, SECONDS), self.goodput)),
            f"flow/{name}/sent_bytes": np.full(SECONDS, self.sent, "<u8"),
            f"flow/{name}/dropped_pkts": counts(self.dropped),
            f"flow/{name}/out_of_sequence_pkts": counts(self.late),
            f"flow/{name}/retransmitted_pkts": counts(self.sent_again),
        }


def counts(by_second: Mapping[int, int]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array([by_second.get(second, 0) for second in range(SECONDS)], "<u8")


def run(
    flows: Mapping[str, MadeFlow] | None = None,
    rtt_ms: tuple[float, ...] = (2.0,) * SECONDS,
    deliberate: Mapping[int, int] | None = None,
) -> RunResult:
    """A run of 40 s with a ping each second."""
    series: Series = {
        "flow/ping/sent_at_s": np.arange(len(rtt_ms), dtype=np.float64),
        "flow/ping/rtt_ms": np.array(rtt_ms, dtype=np.float64),
        "queue/WR->W1/alpha/dropped_policer_pkts": counts(deliberate or {}),
        **{name: values for flow, made in (flows or {}).items() for name, values in made.series(flow).items()},
    }
    return RunResult("packet", "made up", 1, float(SECONDS), 1.0, "", 0, (), {}, {}, series)


IDLE = run(rtt_ms=(2.0,) * 20)


def by_measure(criterion: SimulatedCriterion, about: JudgedPlan, *results: RunResult) -> dict[str, Verdict]:
    """The verdicts on runs of 40 s, in the order in which the criterion asks for them."""
    ran = {
        name: PerformedRun(shortened(wanted.scenario, SECONDS), "hash", "packet", result)
        for (name, wanted), result in zip(criterion.wanted(about).items(), results, strict=True)
    }
    return {verdict.measure: verdict for verdict in criterion.verdicts(about, ran)}


def test_runs_end_when_all_that_is_measured_has_happened() -> None:
    asked = [run for each in (BETA, FAIRNESS, SURPRISE, DELAY, THROUGHPUT) for run in each.wanted(judged()).items()]
    # published: TCP1 of experiment 6 is on from 53 to 153 s, TCP2 of 5 from 51 to 151, TCP1 of 7 from 42 to 101, TCP4
    # of 2 from 60 to 120; half of experiment 4's 200 s
    assert [(name, run.measured_s, run.start_up_s) for name, run in asked] == [
        ("loaded", 153, 0), ("idle", None, 0), ("loaded", 151, 0), ("unequal", 151, 0), ("loaded", 101, 0),
        ("idle", None, 0), ("loaded", 120, 0), ("idle", None, 0), ("beside_10_pct", 105, 5),
    ]  # fmt: skip


def test_delay_is_the_mean_above_the_idle_network_and_the_spread() -> None:
    found = by_measure(DELAY, judged(), run(rtt_ms=(2.0, 4.0) * 20), IDLE)
    assert found["ping_mean_increase"].value == pytest.approx(1.0)
    assert found["ping_mean_increase"].outcome == "passed"  # within 1 ms
    # of 40 values one away from their mean: sqrt(40 / 39)
    assert found["ping_sd"].value == pytest.approx((40 / 39) ** 0.5)
    assert found["ping_sd"].outcome == "failed"


def test_delay_beyond_the_limit_names_the_shared_queue() -> None:
    found = by_measure(DELAY, judged(SINGLE), run(rtt_ms=(3.1,) * 40), IDLE)["ping_mean_increase"]
    assert found.outcome == "failed"
    assert "alpha and other traffic share queue 0 of xe-0/0/1" in found.sentence
    assert (found.limit, found.unit, found.engine, found.seed, found.scenario_hash) == (1.0, "ms", "packet", 1, "hash")


def test_no_answer_to_any_ping_is_the_worst_delay() -> None:
    found = by_measure(DELAY, judged(), run(rtt_ms=()), IDLE)
    assert {verdict.outcome for verdict in found.values()} == {"failed"}


# 10 Gb/s less a load of 1 Gb/s of IP bytes in datagrams of 8320 bytes that take 8548 of link time; of the rest,
# 1448 of each 1538 bytes are payload.
LEFT_BPS = (10e9 - 1e9 * 8548 / 8320) * 1448 / 1538


@pytest.mark.parametrize(
    ("share", "through_one_queue", "shown", "outcome"),
    [
        (0.94, 0.94, 100.0, "passed"),  # its own sender loses packets, whatever the port does
        (0.9, 0.94, 90 / 0.94, "passed"),
        (0.8, 0.94, 80 / 0.94, "failed"),
        (0.94, 1.0, 94.0, "failed"),
        (0.5, 0.0, 50.0, "failed"),
    ],
)
def test_beside_a_quiet_port_goodput_is_of_what_one_queue_for_all_gives(
    share: float, through_one_queue: float, shown: float, outcome: str
) -> None:
    quiet = judged(peak_pct=0.5)
    # a load of 50 Mb/s of IP bytes
    left_bps = (10e9 - 50e6 * 8548 / 8320) * 1448 / 1538
    flows = [
        {"TCP1": MadeFlow(round(left_bps * each / 8)), "UDP": MadeFlow(100, sent=100)}
        for each in (share, through_one_queue)
    ]
    assert list(THROUGHPUT.wanted(quiet)) == ["beside_0.5_pct", "one_queue"]
    verdict = by_measure(THROUGHPUT, quiet, *map(run, flows))["alpha_goodput_beside_0.5_pct"]
    assert verdict.value == pytest.approx(shown, abs=0.01)
    assert verdict.outcome == outcome


@pytest.mark.parametrize(("share", "outcome"), [(1.0, "passed"), (0.951, "passed"), (0.949, "failed"), (0.3, "failed")])
def test_throughput_is_of_what_the_link_leaves(share: float, outcome: str) -> None:
    made = run({"TCP1": MadeFlow(round(LEFT_BPS * share / 8)), "UDP": MadeFlow(100, sent=100)})
    verdict = by_measure(THROUGHPUT, judged(), made)["alpha_goodput_beside_10_pct"]
    assert verdict.value == pytest.approx(100 * share, abs=0.01)
    assert verdict.outcome == outcome


def test_throughput_leaves_out_the_first_five_seconds() -> None:
    slow = MadeFlow(round(LEFT_BPS / 8), silent_s=5)
    made = run({"TCP1": slow, "UDP": MadeFlow(100, sent=100)})
    assert by_measure(THROUGHPUT, judged(), made)["alpha_goodput_beside_10_pct"].value == pytest.approx(100, abs=0.01)


def test_what_an_alpha_flow_gets_above_what_the_link_leaves_is_taken_from_beta() -> None:
    made = run({"TCP1": MadeFlow(round(LEFT_BPS * 1.06 / 8)), "UDP": MadeFlow(40, dropped={9: 1}, sent=100)})
    found = by_measure(THROUGHPUT, judged(), made)
    goodput, loss = found["alpha_goodput_beside_10_pct"], found["beta_loss_beside_10_pct"]
    assert (goodput.outcome, goodput.limit) == ("failed", 101.0)
    assert "106% of what the link leaves, more than is its: it takes it from the beta load" in goodput.sentence
    assert (loss.outcome, loss.limit) == ("failed", 0.0)
    assert loss.value == pytest.approx(60)
    assert "of 10% of beta load 60% would be lost beside an alpha flow" in loss.sentence


def test_a_value_next_to_its_limit_is_told_apart_from_it() -> None:
    made = run({"TCP1": MadeFlow(round(LEFT_BPS * 0.94975 / 8)), "UDP": MadeFlow(100, sent=100)})
    verdict = by_measure(THROUGHPUT, judged(), made)["alpha_goodput_beside_10_pct"]
    assert verdict.outcome == "failed"
    assert "94.98% of what the link leaves" in verdict.sentence
    assert value_words(verdict.value, "%", verdict.limit) == "94.98 %"


@pytest.mark.parametrize(("peak_pct", "loads_pct"), [(30.0, (10.0,)), (4.2, (4.2,)), (10.0, (10.0,))])
def test_no_load_above_the_beta_peak_is_asked(peak_pct: float, loads_pct: tuple[float, ...]) -> None:
    assert judged(peak_pct=peak_pct).loads_pct == loads_pct


def test_what_stands_behind_a_beta_peak_is_told() -> None:
    port, other = Port("xe-0/0/1", 10**10, ()), Port("xe-0/0/2", 10**10, ())
    few, enough = MeasuredPeak(1.1e8, 9, 0, 7), MeasuredPeak(1.1e8, 10_080, 7, 7)
    assumed = peak_of([port], {"xe-0/0/1": few}, 30.0)
    assert (assumed.pct, assumed.is_measured) == (30.0, False)
    assert assumed.words == (
        "beta peak of 30% of the port (assumed; 1.1% measured over 9 minutes, 0 of 7 complete days)"
    )
    assert peak_of([port], {"xe-0/0/1": enough}, 30.0).words == (
        "beta peak of 1.1% of the port (measured over 10080 minutes, 7 of 7 complete days)"
    )
    more = MeasuredPeak(4e9, 9, 0, 7)
    assert (peak_of([port], {"xe-0/0/1": more}, 30.0).pct, peak_of([port], {}, 30.0).pct) == (40.0, 30.0)
    assert peak_of([port, other], {"xe-0/0/1": enough}, 30.0) == BetaPeak(30.0, is_measured=False)


def test_out_of_sequence_packets_after_a_loss_are_due_to_it() -> None:
    recovering = MadeFlow(dropped={10: 1}, late={10: 500, 11: 500, 13: 500}, sent_again={10: 1000, 12: 500})
    (verdict,) = by_measure(ORDER, judged(), run({"TCP1": recovering})).values()
    assert (verdict.value, verdict.outcome) == (0.0, "passed")


@pytest.mark.parametrize("second", [9, 14])
def test_out_of_sequence_packets_without_a_loss_are_reordered(second: int) -> None:
    reordered = MadeFlow(dropped={10: 1}, late={second: 7})
    (verdict,) = by_measure(ORDER, judged(SCAVENGER), run({"TCP1": reordered})).values()
    assert (verdict.value, verdict.outcome) == (7.0, "failed")
    assert "policer p puts alpha packets above its rate into queue 5" in verdict.sentence


def test_order_is_not_judged_where_losses_hide_it() -> None:
    every = range(40)
    always = MadeFlow(dropped=dict.fromkeys(every, 1), late=dict.fromkeys(every, 9), sent_again=dict.fromkeys(every, 9))
    assert by_measure(ORDER, judged(SCAVENGER), run({"TCP1": always}))["out_of_sequence"].outcome == "not_judged"
    # a flow that stays in one queue cannot be reordered
    assert by_measure(ORDER, judged(TWO), run({"TCP1": always}))["out_of_sequence"].outcome == "passed"


def test_more_late_packets_than_were_sent_again_were_overtaken_even_where_losses_never_end() -> None:
    every = range(40)
    overtaken = MadeFlow(
        dropped=dict.fromkeys(every, 1), late=dict.fromkeys(every, 9), sent_again=dict.fromkeys(every, 2)
    )
    (verdict,) = by_measure(ORDER, judged(SCAVENGER), run({"TCP1": overtaken})).values()
    assert (verdict.value, verdict.outcome) == (40 * (9 - 2), "failed")


@pytest.mark.parametrize(("plan", "needs_packets"), [(SCAVENGER, True), (TWO, False), (SINGLE, False)])
def test_order_is_looked_at_beside_the_largest_load_and_where_packets_are_moved_packet_by_packet(
    plan: PortPlan, needs_packets: bool
) -> None:
    (only,) = ORDER.wanted(judged(plan)).values()
    *_, largest = THROUGHPUT.wanted(judged(plan)).values()
    assert only.needs_packets is needs_packets
    assert only.scenario == largest.scenario


def test_beta_counts_loss_and_delay_only_while_the_alpha_flow_is_on() -> None:
    # experiment 6 of 40 s: TCP from 53/200 to 153/200 of it, 10.6 s to 30.6 s
    outside = MadeFlow(100, dropped={5: 9, 35: 9}, sent=101)
    rtt_ms = (90.0,) * 10 + (2.5,) * 21 + (90.0,) * 9
    found = by_measure(BETA, judged(), run({"UDP": outside}, rtt_ms), IDLE)
    assert found["beta_loss"].value == 0.0
    assert found["beta_delay_increase"].value == pytest.approx(0.5)
    assert {verdict.outcome for verdict in found.values()} == {"passed"}


def test_beta_loss_is_a_share_of_what_was_sent_and_names_the_guarantee() -> None:
    lossy = MadeFlow(95, dropped={20: 1}, sent=100)
    found = by_measure(BETA, judged(), run({"UDP": lossy}, (13.0,) * 40), IDLE)
    assert found["beta_loss"].value == pytest.approx(5.0)
    assert found["beta_delay_increase"].value == pytest.approx(11.0)
    for verdict in found.values():
        assert verdict.outcome == "failed"
        assert "queue 0 is guaranteed 20% of xe-0/0/1 only" in verdict.sentence
        assert "beta peak of 30% of the port (measured)" in verdict.sentence


def test_a_peak_that_is_assumed_is_told_as_assumed() -> None:
    found = by_measure(BETA, judged(is_measured=False), run({"UDP": MadeFlow(100, sent=100)}), IDLE)
    assert "assumed" in found["beta_loss"].sentence


def test_fairness_counts_deliberate_losses_after_each_start() -> None:
    # experiment 5 of 40 s: the second flow from 51/200 of it, 10.2 s
    flows = {"TCP1": MadeFlow(100), "TCP2": MadeFlow(100)}
    calm = run(flows, deliberate={0: 5, 4: 5, 11: 5, 15: 5})
    assert by_measure(FAIRNESS, judged(), calm, run(flows))["deliberate_losses"].value == 0
    later = run(flows, deliberate={6: 1, 9: 2, 16: 4, 39: 8})
    verdict = by_measure(FAIRNESS, judged(), later, run(flows))["deliberate_losses"]
    assert (verdict.value, verdict.outcome) == (15.0, "failed")


@pytest.mark.parametrize(("other", "index"), [(100, 1.0), (50, 0.9), (0, 0.5)])
def test_fairness_is_jains_index(other: int, index: float) -> None:
    # (1 + x)^2 / (2 (1 + x^2)): 1, 0.9 and 0.5 for equal, half and nothing
    shared = run({"TCP1": MadeFlow(100), "TCP2": MadeFlow(other)})
    verdict = by_measure(FAIRNESS, judged(), shared, shared)["jain_index"]
    assert verdict.value == pytest.approx(index)
    assert verdict.outcome == ("passed" if index >= 0.9 else "failed")


def test_who_starves_with_unequal_paths_is_reported_and_fails_nobody() -> None:
    even, starved = (run({"TCP1": MadeFlow(300), "TCP2": MadeFlow(other)}) for other in (300, 100))
    found = by_measure(FAIRNESS, judged(), even, starved)
    verdict = found["longer_path_share"]
    # Jain's index of 3 and 1: 16 / (2 * 10)
    assert "the one with 52 ms would get 25% of what both get, the other 75% (Jain index 0.80)" in verdict.sentence
    assert (verdict.value, verdict.limit, verdict.outcome) == (25.0, None, "reported")
    assert found["jain_index"].outcome == "passed"
    nothing = run({"TCP1": MadeFlow(), "TCP2": MadeFlow()})
    assert by_measure(FAIRNESS, judged(), even, nothing)["longer_path_share"].value is None


def test_unequal_paths_that_were_not_simulated_are_said_to_be_so() -> None:
    wanted = FAIRNESS.wanted(judged())["loaded"]
    even = run({"TCP1": MadeFlow(100), "TCP2": MadeFlow(100)})
    ran = {"loaded": PerformedRun(shortened(wanted.scenario, SECONDS), "hash", "packet", even)}
    verdict = next(each for each in FAIRNESS.verdicts(judged(), ran) if each.measure == "longer_path_share")
    assert (verdict.outcome, verdict.value, verdict.engine) == ("reported", None, "text")
    assert verdict.sentence.startswith("round-trip times of 2 and 52 ms are not simulated: ")


def test_the_longer_path_has_52_ms_and_loses_nothing() -> None:
    wanted = FAIRNESS.wanted(judged())["unequal"]
    links = {(link.from_, link.to): link.delay_us for link in wanted.scenario.links}
    added = {host.name: host.delay_emulator for host in wanted.scenario.hosts if host.delay_emulator}
    assert added == {"E1": DelayEmulator(50_000)}
    assert 2 * (links["E2", "WR"] + links["W1", "WR"]) == pytest.approx(2000, abs=100)
    assert 2 * (links["E1", "ER"] + links["WR", "ER"] + links["W1", "WR"]) + 50_000 == pytest.approx(52_000, abs=500)
    assert wanted.is_fluid_only


def test_a_surprise_is_reported_whatever_it_does() -> None:
    terrible = run({"UDP": MadeFlow(1, dropped={15: 1}, sent=100)}, (500.0,) * 40)
    found = by_measure(SURPRISE, judged(), terrible, IDLE)
    assert {verdict.outcome for verdict in found.values()} == {"reported"}
    assert found["beta_delay_increase"].value == pytest.approx(498.0)
    assert all(verdict.limit is None for verdict in found.values())


def test_each_criterion_runs_its_experiment_through_the_plan() -> None:
    about = judged(SINGLE, 12.0)
    experiments: dict[SimulatedCriterion, int] = {DELAY: 2, THROUGHPUT: 4, BETA: 6, FAIRNESS: 5, SURPRISE: 7}
    for criterion, number in experiments.items():
        scenario = next(iter(criterion.wanted(about).values())).scenario
        assert scenario.name == f"experiment{number}/plan"
        (port,) = scenario.ports
        assert [queue.class_ for queue in port.queues] == ["shared"]
        assert {rule.class_ for rule in port.classifier} == {"shared"}
    idle = DELAY.wanted(about)["idle"].scenario
    assert [(flow.name, flow.traffic.kind) for flow in idle.flows] == [("ping", "ping")]


def test_the_registry_holds_every_criterion_in_the_order_of_verdicts() -> None:
    assert tuple(criterion.name for criterion in REGISTRY) == CRITERIA


@pytest.mark.parametrize("criterion", REGISTRY, ids=lambda criterion: criterion.name)
def test_each_criterion_explains_itself(criterion: Criterion) -> None:
    explained = criterion.__doc__ or ""
    for heading in ("What it checks:", "Why:", "Limit:", "When it is wrong:"):
        assert heading in explained
    limits = [measure.limit_key for measure in criterion.measures if measure.limit_key is not None]
    assert all(f"`{limit}`" in explained and limit in Gate.model_fields for limit in limits)


def test_the_reference_holds_the_table_of_the_registry() -> None:
    assert criteria_table() in (ROOT / "docs" / "reference" / "gate.md").read_text(encoding="utf-8")
