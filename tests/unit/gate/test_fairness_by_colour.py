"""Criterion 6 behind a marker, on runs made by hand: green packets lost on purpose, and Jain's index by colour."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from hntes.gate import JudgedPlan, PlannedPort, Verdict
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.criteria import FAIRNESS
from hntes.gate.lab import PerformedRun
from hntes.settings.model import Gate
from hntes.simulator import EarlyDrops, MarkerPlan, PortPlan, QueuePlan, RunResult
from hntes.simulator.results import Series
from hntes.simulator.testbed.traffic import shortened

SECONDS = 40
GATE = Gate(run_s=40, fairness_run_s=40)
EARLY = (EarlyDrops("yellow", 50, 100), EarlyDrops("red", 0, 100))
QUEUES = (QueuePlan("alpha", 60, 60, early_drops=EARLY), QueuePlan("beta", 40, 40))
PLAN = PortPlan(QUEUES, "alpha", "beta", marker=MarkerPlan(1e9, 31_000, 62_000, per_flow=True, peak_rate_bps=2e9))
FLOWS = ("TCP1", "TCP2", "TCP3", "TCP4")
EQUAL = (100, 100, 100, 100)


def judged() -> JudgedPlan:
    words = (("alpha", "queue 4"), ("beta", "queue 0"))
    return JudgedPlan(PlannedPort(("xe-0/0/1",), PLAN, words, "policer m", ()), GATE, BetaPeak(30.0, is_measured=True))


def verdicts(
    green: Sequence[int] = EQUAL,
    excess: Sequence[int] = EQUAL,
    goodput: Sequence[int] = EQUAL,
    dropped: Mapping[str, Mapping[int, int]] | None = None,
    silent_s: int = 0,
) -> dict[str, Verdict]:
    """Of four flows that bring so many bytes per second, but for the last one's first seconds."""
    parts = (("received_yellow_ip", excess, 2), ("received_red_ip", excess, 2), ("received_green_ip", green, 1))
    begins = {flow: silent_s if flow == "TCP4" else 0 for flow in FLOWS}
    series: Series = {
        **{
            f"flow/{flow}/{part}_bytes": counts(dict.fromkeys(range(begins[flow], SECONDS), rate // ways))
            for part, rates, ways in (*parts, ("goodput", goodput, 1))
            for flow, rate in zip(FLOWS, rates, strict=True)
        },
        **{
            f"queue/WR->W1/alpha/dropped_{name}_pkts": counts((dropped or {}).get(name, {}))
            for name in ("early", "policer", "green_early", "green_policer")
        },
    }
    result = RunResult("packet", "made up", 1, float(SECONDS), 1.0, "", 0, (), {}, {}, series)
    (wanted,) = FAIRNESS.wanted(judged()).values()
    ran = {"loaded": PerformedRun(shortened(wanted.scenario, SECONDS), "hash", "packet", result)}
    return {verdict.measure: verdict for verdict in FAIRNESS.verdicts(judged(), ran)}


def counts(by_second: Mapping[int, int]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array([by_second.get(second, 0) for second in range(SECONDS)], "<u8")


def test_four_flows_come_one_after_the_other_and_stay() -> None:
    (wanted,) = FAIRNESS.wanted(judged()).values()
    assert wanted.needs_packets
    assert wanted.packet_s == GATE.fairness_run_s
    # published, experiment 2: starts at 0, 20, 40 and 60 of 200 s
    spans = [wanted.scenario.on_span_s(flow) for flow in FLOWS]
    assert spans == [(0, 200), (20, 200), (40, 200), (60, 200)]
    assert [flow.name for flow in wanted.scenario.flows] == list(FLOWS)


def test_yellow_and_red_packets_may_be_dropped_and_green_ones_may_not() -> None:
    marked = verdicts(dropped={"early": {30: 900}, "policer": {30: 900}})["deliberate_losses"]
    assert (marked.value, marked.outcome) == (0.0, "passed")
    # of 40 s: starts at 0, 4, 8 and 12 s, each excused for 5 s
    excused = {0: 7, 4: 7, 12: 7, 16: 7}
    found = verdicts(dropped={"green_early": {**excused, 17: 1, 39: 2}, "green_policer": {20: 4}})["deliberate_losses"]
    assert (found.value, found.outcome) == (7.0, "failed")
    assert found.sentence.startswith("7 green packets of four alpha flows would be discarded on purpose")
    assert "policer m marks yellow and red alpha packets, and queue 4 drops yellow and red ones early" in found.sentence


# (sum of x)^2 / (n sum of x^2): 1; 300^2 / (4 x 30000); one that has all
@pytest.mark.parametrize(
    ("rates", "index"), [(EQUAL, 1.0), ((100, 100, 100, 0), 0.75), ((200, 0, 0, 0), 0.25), ((100, 100, 50, 50), 0.9)]
)
def test_green_excess_and_goodput_have_an_index_each(rates: tuple[int, ...], index: float) -> None:
    for measure, found in {
        "jain_index": verdicts(goodput=rates),
        "jain_index_green": verdicts(green=rates),
        "jain_index_excess": verdicts(excess=rates),
    }.items():
        assert {each.measure: each.value for each in found.values() if each.measure.startswith("jain")} == {
            "jain_index": 1.0, "jain_index_green": 1.0, "jain_index_excess": 1.0, measure: pytest.approx(index),
        }  # fmt: skip
        assert found[measure].outcome == ("passed" if index >= 0.9 else "failed")
        assert found[measure].limit == GATE.jain_index


def test_without_any_excess_there_is_nothing_to_share() -> None:
    found = verdicts(excess=(0, 0, 0, 0))["jain_index_excess"]
    assert (found.outcome, found.value, found.limit) == ("reported", None, None)
    # what was promised, and did not come, is no such case
    assert verdicts(green=(0, 0, 0, 0))["jain_index_green"].outcome == "failed"


def test_only_the_later_half_of_the_time_all_are_on_counts() -> None:
    # of 40 s: the last flow comes at 12 s, so that the later half is from 26 to 40 s
    for silent_s, is_seen in ((26, False), (27, True)):
        found = verdicts(silent_s=silent_s)
        indices = [verdict.value for name, verdict in found.items() if name.startswith("jain")]
        assert [index != 1.0 for index in indices] == [is_seen] * 3


def test_a_run_without_series_by_colour_is_refused() -> None:
    result = RunResult("packet", "made up", 1, float(SECONDS), 1.0, "", 0, (), {}, {}, {})
    (wanted,) = FAIRNESS.wanted(judged()).values()
    with pytest.raises(KeyError, match="were not recorded"):
        FAIRNESS.verdicts(judged(), {"loaded": PerformedRun(wanted.scenario, "hash", "packet", result)})
