"""Over long paths the gate takes the fluid engine's figures only where packets have the same, to a point."""

from dataclasses import replace

import pytest

from hntes.gate import Lab
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.criteria import BETA, DELAY, FAIRNESS, THROUGHPUT
from hntes.gate.criteria.criterion import SimulatedCriterion
from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.hosts import Hosts
from hntes.gate.ports import PlannedPort
from hntes.gate.round_trips import over
from hntes.gate.verdict import Verdict
from hntes.settings.hosts import HOST_PROFILES, HostProfile
from hntes.settings.model import Gate
from hntes.simulator import PortPlan, QueuePlan, RunFolder
from tests.support.gate_subjects import SIMULATIONS

pytestmark = [pytest.mark.timeout(1800)]
WORDS = (("alpha", "queue 4"), ("beta", "queue 0"), ("other1", "queue 3"))
GATE = Gate()
# Points of goodput, ms of delay, points of loss: what the engines' figures may differ by.
POINT = 1.0


def plan(alpha_ms: float, round_trip_ms: float, hosts: HostProfile) -> JudgedPlan:
    queues = (QueuePlan("alpha", 55, alpha_ms, 1), QueuePlan("beta", 40, 40, 2), QueuePlan("other1", 5, 5, 0))
    port = PlannedPort(("xe-0/0/1",), PortPlan(queues, "alpha", "beta"), WORDS, "", ())
    return JudgedPlan(port, GATE, BetaPeak(30.0, is_measured=True), hosts, round_trip_ms)


def verdicts(
    criterion: SimulatedCriterion, judged: JudgedPlan, *, by_packets: bool
) -> tuple[dict[str, Verdict], set[str]]:
    """The verdicts, and the engines of their runs; packets take the fluid engine's length, so that chance is less."""
    lab = Lab(RunFolder(SIMULATIONS))
    wanted = {name: over(Hosts(judged.hosts).running(run), judged) for name, run in criterion.wanted(judged).items()}
    if by_packets:
        wanted = {
            name: replace(run, needs_packets=True, packet_s=run.scenario.duration_s) for name, run in wanted.items()
        }
    ran = lab.perform(wanted)
    found = {each.measure: each for each in criterion.verdicts(judged, ran)}
    return found, {run.engine for name, run in ran.items() if name != "idle"}


CASES = [
    pytest.param(
        alpha_ms, round_trip_ms, hosts, marks=[] if (alpha_ms, round_trip_ms) == (55, 80) else pytest.mark.long
    )
    for alpha_ms in (2, 5, 20, 40, 55)
    for round_trip_ms in (20.0, 80.0)
    for hosts in HOST_PROFILES
]


@pytest.mark.slow
@pytest.mark.parametrize(("alpha_ms", "round_trip_ms", "hosts"), CASES)
def test_goodput_is_that_of_packets_to_a_point_or_packets_decide(
    alpha_ms: float, round_trip_ms: float, hosts: HostProfile
) -> None:
    judged = plan(alpha_ms, round_trip_ms, hosts)
    found, engines = verdicts(THROUGHPUT, judged, by_packets=False)
    if alpha_ms < round_trip_ms / 2:
        assert engines == {"packet"}
        return
    assert engines == {"fluid"}
    packets, _ = verdicts(THROUGHPUT, judged, by_packets=True)
    for measure, verdict in found.items():
        assert verdict.value == pytest.approx(packets[measure].value, abs=POINT), measure


@pytest.mark.long
@pytest.mark.parametrize("criterion", [DELAY, BETA, FAIRNESS])
@pytest.mark.parametrize("hosts", HOST_PROFILES)
@pytest.mark.parametrize("round_trip_ms", [20.0, 80.0])
def test_other_criteria_have_the_verdicts_of_packets(
    criterion: SimulatedCriterion, round_trip_ms: float, hosts: HostProfile
) -> None:
    judged = plan(55, round_trip_ms, hosts)
    found, engines = verdicts(criterion, judged, by_packets=False)
    assert engines == {"fluid"}
    packets, _ = verdicts(criterion, judged, by_packets=True)
    assert {name: each.outcome for name, each in found.items()} == {
        name: each.outcome for name, each in packets.items()
    }
    for measure, verdict in found.items():
        assert verdict.value == pytest.approx(packets[measure].value, abs=0.05 if "jain" in measure else POINT), measure
