"""The gate tested on itself: what the papers found harmful fails on the criterion they name; the recommended passes.

All from rendered text, in the engines that the gate takes.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from hntes.gate import JudgedPlan, Judgement, Lab, Subject, Verdict, judge, judge_plans, planned_ports
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.controls import control_verdicts
from hntes.gate.criteria import BETA, DELAY, FAIRNESS, ORDER, THROUGHPUT, SimulatedCriterion
from hntes.gate.hosts import hosts_of
from hntes.gate.runs import fairness
from hntes.platforms.parse import parse_config
from hntes.settings.hosts import HOST_PROFILES
from hntes.settings.model import Gate
from hntes.settings.plans import Plan, ScavengerPolicer, SingleQueue, ThreeColorMarker, TwoQueue, WredPolicer
from hntes.simulator import RunFolder
from tests.support.gate_subjects import SIMULATIONS, replaced, shared_lab, small_model, subject_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
# Runs by packets half as long as the default: what is harmful shows within seconds.
SHORT = Gate(run_s=20, fairness_run_s=40, beta_loads_pct=(30.0,), tcp_profiles=("linux-2.6.33",), round_trips_ms=(2.0,))
BOTH_HOSTS = SHORT.model_copy(update={"tcp_profiles": HOST_PROFILES})
# The fluid engine runs the published course; only order goes by packets, as in the tests of single criteria.
TESTBED = Gate(run_s=20, tcp_profiles=("linux-2.6.33",))


def plan_of(subject: Subject, gate: Gate, peak_pct: float = 30.0) -> JudgedPlan:
    model = parse_config(subject.platform, subject.text, subject.interfaces)
    (port,) = planned_ports(model, subject.pairs, alpha_queue=subject.alpha_queue, port_buffer_ms=100)
    return JudgedPlan(port, gate, BetaPeak(peak_pct, is_measured=True))


def measured(plan: Plan, *criteria: SimulatedCriterion, platform: str = "junos") -> dict[str, Verdict]:
    """The verdicts of some criteria on a plan's rendered text, by measure."""
    judged = plan_of(subject_of(small_model(platform, plan)), SHORT)
    return {verdict.measure: verdict for verdict in judge_plans([judged], shared_lab(), criteria)}


def outcomes(judgement: Judgement) -> Mapping[str, str]:
    return {f"{v.criterion}/{v.measure}": v.outcome for v in judgement.verdicts}


@pytest.mark.parametrize("platform", ["junos", "iosxr", "iosxe", "sros", "eos"])
def test_the_recommended_plan_passes(platform: str) -> None:
    judgement = judge(subject_of(small_model(platform, TwoQueue(kind="two_queue"))), TESTBED, shared_lab())
    assert judgement.is_passing, outcomes(judgement)
    assert len(judgement.verdicts) == 23
    values = {verdict.measure: verdict.value for verdict in judgement.verdicts}
    # published, experiment 2, two queues: 2.3 ms and 0.3 ms, 2.26 ms idle
    assert values["ping_mean_increase"] is not None
    assert values["ping_mean_increase"] < 0.34
    # published: a fifteenth of the other's with an emulator that loses packets; here the path loses none
    assert values["longer_path_share"] is not None
    assert 20 < values["longer_path_share"] < 50
    # published, experiment 3: the two queues leave nothing of the link unused
    assert values["alpha_goodput_beside_30_pct"] == pytest.approx(100, abs=2)


def test_a_single_queue_fails_on_delay() -> None:
    found = measured(SingleQueue(kind="single_queue"), DELAY)
    assert found["ping_mean_increase"].outcome == found["ping_sd"].outcome == "failed"
    value = found["ping_mean_increase"].value
    # published: 60.4 ms; how near the simulator comes is judged where experiments are reproduced. Here it has
    # to be far beyond the limit, and no more than the buffer holds: 95 ms.
    assert value is not None
    assert 20 < value < 95
    assert "alpha and other traffic share queue 0 (hntes-beta" in found["ping_mean_increase"].sentence


# Shares of alpha, beta and scavenger as published in experiments 3 and 4, less what network control takes of beta.
SCAVENGERS = {
    "3-queues-49-50-1": (49, 45, 1),
    "3-queues-30-50-20": (30, 45, 20),
    "3-queues-10-30-60": (10, 25, 60),
    "3-queues+policing1": (55, 39, 1),
    "3-queues+policing2": (20, 35, 40),
}


@pytest.mark.parametrize("name", SCAVENGERS)
def test_a_policer_to_a_scavenger_queue_fails_on_order_and_throughput(name: str) -> None:
    alpha, rest, scavenger = SCAVENGERS[name]
    plan = ScavengerPolicer(
        kind="scavenger_policer", alpha_share_pct=alpha, beta_share_pct=rest, scavenger_share_pct=scavenger
    )
    found = measured(plan, THROUGHPUT, ORDER)
    share, late = found["alpha_goodput_beside_30_pct"], found["out_of_sequence"]
    assert share.outcome == late.outcome == "failed"
    # published at this load: 0.92 Gb/s or less of 6.5, within the factor of 2.2 that counts as reproduced
    assert share.value is not None
    assert share.value < 35
    for verdict in (share, late):
        assert "policer hntes-scavenger puts alpha packets above its rate into queue 5 (hntes-sc" in verdict.sentence


def test_a_scavenger_queue_costs_hosts_of_2010_throughput_and_hosts_of_today_order_alone() -> None:
    judged = plan_of(subject_of(small_model("junos", ScavengerPolicer(kind="scavenger_policer"))), BOTH_HOSTS)
    share, _, late = judge_plans([judged], shared_lab(), [THROUGHPUT, ORDER])
    assert share.outcome == late.outcome == "failed"
    assert share.sentence.startswith("with hosts of 2010, beside 30% of beta load an alpha flow would get ")
    # Linux 6.1 itself got 6.46 of 6.5 Gb/s through such a queue (docs/reference/simulator-linux-6.md)
    assert re.search(
        r"; with hosts of today it would pass \((9[5-9][.\d]*|10\d) %\), as they find that packets were overtaken",
        share.sentence,
    )
    assert late.sentence.startswith("with hosts of today, ")
    assert late.value is not None
    assert late.value > 100_000


@pytest.mark.parametrize("platform", ["junos", "iosxe"])
def test_a_policer_with_early_drops_fails_on_deliberate_losses(platform: str) -> None:
    found = measured(WredPolicer(kind="wred_policer"), FAIRNESS, platform=platform)["deliberate_losses"]
    assert found.outcome == "failed"
    assert found.value is not None
    assert found.value > 0
    assert "marks alpha packets above its rate, and queue 4 (hntes-" in found.sentence


def test_marks_spare_hosts_with_ecn_and_hosts_without_lose_packets_early() -> None:
    judged = plan_of(subject_of(small_model("junos", TwoQueue(kind="two_queue", alpha_ecn=True))), SHORT)
    lab, wanted = shared_lab(), fairness(judged.port.plan, SHORT, "linux-2.6.33")
    ran = lab.perform({hosts: hosts.running(wanted) for hosts in hosts_of(SHORT.tcp_profiles, judged.port.plan)})
    without_ecn, with_ecn = (run.result.queues["WR->W1/alpha"] for run in ran.values())
    # RFC 3168, 5: a packet that can carry a mark gets one where another would be dropped, and never both
    assert (without_ecn.marked_pkts, with_ecn.dropped_pkts["early"]) == (0, 0)
    assert without_ecn.dropped_pkts["early"] > 0
    assert with_ecn.marked_pkts > 0
    # the level is half the queue of 55 ms, and senders react within a round trip: nobody meets a full queue
    assert with_ecn.dropped_pkts["full"] == without_ecn.dropped_pkts["full"] == 0
    found = {verdict.measure: verdict for verdict in judge_plans([judged], lab, [FAIRNESS])}
    assert found["deliberate_losses"].sentence.startswith("with hosts of 2010 with")
    value = found["deliberate_losses"].value
    assert value is not None
    assert value <= without_ecn.dropped_pkts["early"]


GREEN_DROPS = "drop-profile-map loss-priority low protocol any drop-profile hntes-occupancy;\n            "


@pytest.mark.parametrize("drops_green", [False, True])
def test_behind_a_marker_only_green_packets_are_lost_on_purpose(drops_green: bool) -> None:
    # Only yellow and red packets meet early drops as rendered; an operator may give green ones a curve, too.
    yellow_map = "drop-profile-map loss-priority medium-high"
    edit = replaced(yellow_map, GREEN_DROPS + yellow_map if drops_green else yellow_map)
    subject = subject_of(small_model("junos", ThreeColorMarker(kind="three_color_marker")), edit)
    judged = plan_of(subject, Gate(fairness_run_s=20, tcp_profiles=("linux-2.6.33",), round_trips_ms=(2.0,)))
    found = {verdict.measure: verdict for verdict in judge_plans([judged], shared_lab(), [FAIRNESS])}
    assert list(found) == ["deliberate_losses", "jain_index", "jain_index_green", "jain_index_excess"]
    assert {verdict.engine for verdict in found.values()} == {"packet"}
    assert found["deliberate_losses"].outcome == ("failed" if drops_green else "passed")
    # each pair has its own 1 Gb/s, far below a quarter of the link
    assert found["jain_index_green"].value == pytest.approx(1.0, abs=0.01)


def test_a_beta_share_below_its_peak_fails_on_loss_and_delay() -> None:
    plan = TwoQueue(kind="two_queue", alpha_share_pct=75, beta_share_pct=20)
    judged = plan_of(subject_of(small_model("junos", plan)), SHORT, 31.2)
    loss, late = judge_plans([judged], shared_lab(), [BETA])
    assert loss.outcome == late.outcome == "failed"
    # published, experiment 6: at a share of 20% of the link 39% of 3 Gb/s are lost, counted in broken datagrams
    assert loss.value is not None
    assert 25 < loss.value < 45
    assert "is guaranteed 20% of xe-0/0/1 only" in loss.sentence


def test_a_beta_share_above_its_peak_passes() -> None:
    plan = TwoQueue(kind="two_queue", alpha_share_pct=55, beta_share_pct=40)
    judged = plan_of(subject_of(small_model("junos", plan)), SHORT, 31.2)
    assert [verdict.outcome for verdict in judge_plans([judged], shared_lab(), [BETA])] == ["passed", "passed"]


BOTH_ENGINES = {
    "recommended": TwoQueue(kind="two_queue"),
    "single queue": SingleQueue(kind="single_queue"),
    "beta share below its peak": TwoQueue(kind="two_queue", alpha_share_pct=75, beta_share_pct=20),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name == "single queue" else name for name in BOTH_ENGINES]
)
def test_both_engines_come_to_the_same_verdicts(name: str) -> None:
    judged = plan_of(subject_of(small_model("junos", BOTH_ENGINES[name])), SHORT)
    # In a single queue the fluid engine's result would be another with 2 % less buffer; the verdict is the same.
    labs = [Lab(RunFolder(SIMULATIONS), only="fluid"), Lab(RunFolder(SIMULATIONS), only="packet")]
    for criterion in (DELAY, THROUGHPUT, BETA):
        found = [judge_plans([judged], lab, [criterion]) for lab in labs]
        assert [{verdict.engine for verdict in each} for each in found] == [{"fluid"}, {"packet"}]
        fluid, packet = ({verdict.measure: verdict.outcome for verdict in each} for each in found)
        assert fluid == packet


def test_cubic_fills_what_is_left_behind_the_recommended_queue_and_not_behind_one_of_two_ms() -> None:
    judged = plan_of(subject_of(small_model("junos", TwoQueue(kind="two_queue"))), Gate())
    queues = tuple(
        replace(each, buffer_share_pct=2) if each.name == "alpha" else each for each in judged.port.plan.queues
    )
    short = replace(judged, port=replace(judged.port, plan=replace(judged.port.plan, queues=queues)))
    found, missed = (
        {each.measure: each for each in control_verdicts([plan], shared_lab())} for plan in (judged, short)
    )
    assert (found["cubic_goodput"].outcome, missed["cubic_goodput"].outcome) == ("passed", "failed")
    # BBR starves CUBIC in either queue, and the kernel sends 0.8% and 3.9% again in 25 s with queues of 55 and 2.75 ms
    assert 5 < (found["cubic_beside_bbr"].value or 0) < 30
    assert (missed["cubic_beside_bbr"].value or 0) < 1
    assert 0.5 < (found["bbr_retransmissions"].value or 0) < 2 < (missed["bbr_retransmissions"].value or 0) < 5
