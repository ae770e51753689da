"""A port with hardly any traffic beside alpha flows: what senders lose in themselves is not the plan's fault."""

import pytest

from hntes.gate import Lab
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.criteria import THROUGHPUT
from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.hosts import Hosts
from hntes.gate.ports import PlannedPort
from hntes.gate.round_trips import over
from hntes.gate.verdict import Verdict
from hntes.settings.hosts import HOST_PROFILES, HostProfile
from hntes.settings.model import Gate
from hntes.simulator import PolicerPlan, PortPlan, QueuePlan, RunFolder
from tests.support.gate_subjects import SIMULATIONS

QUEUES = (QueuePlan("alpha", 30, 55, 1), QueuePlan("beta", 65, 40, 2), QueuePlan("other1", 5, 5, 0))
WORDS = (("alpha", "queue 4"), ("beta", "queue 0"), ("other1", "queue 3"))
TWO = PortPlan(QUEUES, "alpha", "beta")
POLICED = PortPlan(QUEUES, "alpha", "beta", policer=PolicerPlan(1e9, 31_000, True, "drop"))


def goodput(plan: PortPlan, hosts: HostProfile, round_trip_ms: float) -> Verdict:
    port = PlannedPort(("xe-0/0/1",), plan, WORDS, "policer p" if plan.policer else "", ())
    judged = JudgedPlan(port, Gate(), BetaPeak(0.007, is_measured=True), hosts, round_trip_ms)
    wanted = {name: over(Hosts(hosts).running(run), judged) for name, run in THROUGHPUT.wanted(judged).items()}
    return THROUGHPUT.verdicts(judged, Lab(RunFolder(SIMULATIONS)).perform(wanted))[0]


@pytest.mark.parametrize("round_trip_ms", [2.0, 20.0, 80.0])
@pytest.mark.parametrize("hosts", HOST_PROFILES)
def test_two_queues_take_nothing_from_a_lone_alpha_flow(hosts: HostProfile, round_trip_ms: float) -> None:
    verdict = goodput(TWO, hosts, round_trip_ms)
    assert verdict.outcome == "passed", verdict.sentence


@pytest.mark.parametrize("hosts", HOST_PROFILES)
def test_a_policer_does(hosts: HostProfile) -> None:
    verdict = goodput(POLICED, hosts, 2.0)
    assert verdict.outcome == "failed", verdict.sentence
