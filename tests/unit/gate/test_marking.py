"""Queues that mark packets: what the simulator is told of them is what the text says, and the rest is refused."""

import pytest

from hntes.gate import NotJudgedError
from hntes.gate.marking import HOSTS_NOTE
from hntes.gate.policing import MOMENTARY_NOTE
from hntes.settings.plans import ScavengerPolicer, TwoQueue
from hntes.simulator import EcnPlan
from tests.support.gate_subjects import replaced
from tests.unit.gate.test_ports import plans

ECN = TwoQueue(kind="two_queue", alpha_ecn=True)
PROFILE = "            drop-profile-map loss-priority low protocol any drop-profile hntes-ecn;\n"
MARKS = "            explicit-congestion-notification;\n"


@pytest.mark.parametrize("rate_bps", [10**9, 10**10, 10**11])
@pytest.mark.parametrize("platform", ["junos", "iosxe"])
def test_the_alpha_queue_marks_from_the_level_of_the_plan_whatever_the_rate(platform: str, rate_bps: int) -> None:
    (port,) = plans(platform, ECN, rate_bps=rate_bps)
    assert {queue.name: queue.ecn for queue in port.plan.queues} == {
        "alpha": EcnPlan(50.0, 100.0), "beta": None, "other1": None,
    }  # fmt: skip
    assert port.plan.policer is None


def test_an_operator_is_told_of_both_kinds_of_hosts_and_of_the_average() -> None:
    (junos,), (iosxe,) = plans("junos", ECN), plans("iosxe", ECN)
    assert junos.notes == (HOSTS_NOTE,)
    assert iosxe.notes[:2] == (HOSTS_NOTE, MOMENTARY_NOTE)


REFUSED = {
    "an average of unknown weight": ("iosxr", lambda text: text, "average of unknown weight"),
    "marks in the beta queue": (
        "junos", replaced("priority medium-low;\n", f"priority medium-low;\n{PROFILE}{MARKS}"), "of other traffic",
    ),
    "a bent curve": (
        "junos",
        replaced("drop-probability [ 0 0 100 ]", "drop-probability [ 0 9 100 ]"),
        "bent curve",
    ),
    "a curve that never drops all": (
        "junos", replaced("drop-probability [ 0 0 100 ]", "drop-probability [ 0 0 90 ]"), "bent curve",
    ),
    "curves by loss priority": (
        "junos", replaced(PROFILE, PROFILE + PROFILE.replace("low", "high")), "other loss priorities",
    ),
    "thresholds in another unit than the queue": (
        "iosxe", replaced("queue-limit 45833 packets", "queue-limit 68750000 bytes"), "its length in these is unknown",
    ),
    "thresholds above the queue": (
        "iosxe", replaced("discard-class 0 22916 45833 1", "discard-class 0 22916 50000 1"), "end at 109.1%",
    ),
    "early drops without marks": ("junos", replaced(MARKS, ""), "early drops of loss priority low"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_simulator_does_not_have_is_named(name: str) -> None:
    platform, edit, told = REFUSED[name]
    with pytest.raises(NotJudgedError, match=told):
        plans(platform, ECN, edit)


def test_marks_behind_a_policer_are_not_judged() -> None:
    profile = (
        "    drop-profiles { hntes-x { interpolate { fill-level [ 0 50 100 ]; drop-probability [ 0 0 100 ]; } } }\n"
    )
    low = PROFILE.replace("hntes-ecn", "hntes-x")

    def marking(text: str) -> str:
        with_profile = replaced("class-of-service {\n", f"class-of-service {{\n{profile}")(text)
        return replaced("priority medium-high;\n", f"priority medium-high;\n{low}{MARKS}")(with_profile)

    with pytest.raises(NotJudgedError, match="behind a policer"):
        plans("junos", ScavengerPolicer(kind="scavenger_policer"), marking)
