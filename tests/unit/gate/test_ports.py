"""From text to plans: what the simulator is told is what the text says, on each platform; the rest is refused."""

from dataclasses import replace

import pytest

from hntes.gate import NotJudgedError, planned_ports
from hntes.gate.ports import EQUAL_RANK_NOTE, PlannedPort
from hntes.platforms.parse import parse_config
from hntes.rules.pairs import PrefixPair
from hntes.settings.plans import Plan, ScavengerPolicer, SingleQueue, TwoQueue, WredPolicer
from hntes.simulator import PolicerPlan, QueuePlan
from tests.contract.platform.models import taking
from tests.support.gate_subjects import replaced, small_model, subject_of
from tests.support.qos_models import PAIRS, PLATFORMS

TWO = TwoQueue(
    kind="two_queue",
    alpha_share_pct=60,
    beta_share_pct=30,
    alpha_buffer_pct=60,
    beta_buffer_pct=30,
)


def plans(platform: str, plan: Plan, edit=lambda text: text, rate_bps: int = 10**10) -> list[PlannedPort]:  # type: ignore[no-untyped-def]
    subject = subject_of(small_model(platform, plan, rate_bps=rate_bps), edit)
    model = parse_config(subject.platform, subject.text, subject.interfaces, is_whole=True)
    return planned_ports(model, subject.pairs, alpha_queue=subject.alpha_queue, port_buffer_ms=100)


def shares(port: PlannedPort) -> dict[str, tuple[float, float]]:
    return {queue.name: (queue.rate_share_pct, queue.buffer_share_pct) for queue in port.plan.queues}


@pytest.mark.parametrize("rate_bps", [10**9, 10**10, 10**11])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_plan_has_the_shares_of_the_text_whatever_the_rate(platform: str, rate_bps: int) -> None:
    (port,) = plans(platform, TWO, rate_bps=rate_bps)
    assert shares(port) == {"alpha": (60, 60.0), "beta": (30, 30.0), "other1": (5, 5.0)}
    assert (port.plan.alpha_queue, port.plan.beta_queue, port.plan.sharing) == ("alpha", "beta", "work_conserving")
    assert port.plan.policer is None


@pytest.mark.parametrize("buffer_ms", [0.5, 2, 40, 100])
def test_queues_are_as_long_as_the_ports_buffer_makes_them(buffer_ms: float) -> None:
    subject = subject_of(replace(small_model("junos", TWO), port_buffer_ms=buffer_ms))
    model = parse_config(subject.platform, subject.text, subject.interfaces)
    (port,) = planned_ports(model, subject.pairs, alpha_queue=4, port_buffer_ms=buffer_ms)
    lengths_ms = {name: port.length_ms(name) for name in ("alpha", "beta", "other1")}
    assert lengths_ms == {"alpha": 0.6 * buffer_ms, "beta": 0.3 * buffer_ms, "other1": 0.05 * buffer_ms}
    assert port.plan.buffer_bytes is None


def test_a_port_of_more_buffer_than_the_testbeds_is_simulated_with_its_own() -> None:
    subject = subject_of(replace(small_model("junos", TWO), port_buffer_ms=200))
    model = parse_config(subject.platform, subject.text, subject.interfaces)
    (port,) = planned_ports(model, subject.pairs, alpha_queue=4, port_buffer_ms=200)
    assert port.plan.buffer_bytes == 190 * 10**7 // 8
    assert {name: port.length_ms(name) for name in ("alpha", "beta", "other1")} == {
        "alpha": 120, "beta": 60, "other1": 10,
    }  # fmt: skip


def test_junos_priorities_are_ranks_and_cisco_has_none() -> None:
    (junos,), (iosxr,) = plans("junos", TWO), plans("iosxr", TWO)
    # high, medium-high, medium-low: network control, alpha, beta
    assert {q.name: q.priority for q in junos.plan.queues} == {"other1": 0, "alpha": 1, "beta": 2}
    assert junos.notes == ()
    assert {q.priority for q in iosxr.plan.queues} == {0}
    assert iosxr.notes == (EQUAL_RANK_NOTE,)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_single_queue_is_seen_as_one(platform: str) -> None:
    (port,) = plans(platform, SingleQueue(kind="single_queue"))
    assert port.is_single_queue
    assert shares(port)["shared"] == (95, 95.0)


@pytest.mark.parametrize("platform", taking("scavenger_policer"))
def test_a_scavenger_policer_moves_packets_to_the_third_queue(platform: str) -> None:
    (port,) = plans(platform, ScavengerPolicer(kind="scavenger_policer"))
    # a policer a pair on Junos, one for all pairs on Cisco
    assert port.plan.policer == PolicerPlan(1e9, 31_000, platform == "junos", "reclass", "other1")
    assert shares(port)["other1"] == (1, 1.0)


def test_rate_and_burst_of_a_policer_are_scaled_with_the_port() -> None:
    (port,) = plans("junos", ScavengerPolicer(kind="scavenger_policer"), rate_bps=5 * 10**9)
    assert port.plan.policer == PolicerPlan(2e9, 62_000, True, "reclass", "other1")


@pytest.mark.parametrize("platform", ["junos", "iosxe"])
def test_early_drops_by_occupancy_are_simulated(platform: str) -> None:
    (port,) = plans(platform, WredPolicer(kind="wred_policer"))
    assert port.plan.policer is not None
    assert port.plan.policer.out_of_profile == "mark"
    assert {queue.name: queue.drops_marked for queue in port.plan.queues} == {
        "alpha": True, "beta": False, "other1": False,
    }  # fmt: skip


def test_a_rate_limited_strictly_partitioned_port_is_simulated_as_one() -> None:
    def exact(text: str) -> str:
        for share in (30, 5, 60):
            text = replaced(f"transmit-rate percent {share};", f"transmit-rate {{ percent {share}; exact; }}")(text)
        return text

    (port,) = plans("junos", TWO, exact)
    assert port.plan.sharing == "strictly_partitioned"


REFUSED = {
    "early drops on an average of unknown weight": (
        "iosxr", WredPolicer(kind="wred_policer"), lambda t: t, "average of unknown weight",
    ),
    "strict-high": ("junos", TwoQueue(kind="two_queue", alpha_priority="strict-high"), lambda t: t, "strict-high"),
    "priority level 1": ("iosxr", TwoQueue(kind="two_queue", alpha_priority="strict-high"), lambda t: t, "strict-high"),
    "one limited queue": (
        "junos", TWO, replaced("transmit-rate percent 60;", "transmit-rate { percent 60; exact; }"), "exact, none",
    ),
    "a rate limit": (
        "junos", TWO, replaced("transmit-rate percent 60;", "transmit-rate { percent 60; rate-limit; }"), "rate-limit",
    ),
    "a priority class without a length": (
        "iosxe", TwoQueue(kind="two_queue", alpha_priority="strict-high"), lambda t: t, "its maximum length is unknown",
    ),
    "shares above the link": ("junos", TWO, replaced("transmit-rate percent 60;", "transmit-rate percent 90;"), "125%"),
    "a lost queue": (
        "junos", TWO, replaced("        forwarding-class beta scheduler hntes-beta;\n", ""), "queue 0 has no scheduler",
    ),
    "a loss priority for all": (
        "junos", TWO, replaced("forwarding-class alpha;", "forwarding-class alpha; loss-priority high;"), "at any rate",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_simulator_does_not_have_is_named_and_not_approximated(name: str) -> None:
    platform, plan, edit, told = REFUSED[name]
    with pytest.raises(NotJudgedError, match=told):
        plans(platform, plan, edit)


def test_a_burst_of_less_than_two_packets_at_the_simulated_rate_is_refused() -> None:
    with pytest.raises(NotJudgedError, match="two packets"):
        plans("junos", ScavengerPolicer(kind="scavenger_policer"), rate_bps=400 * 10**9)


def test_ports_with_the_same_plan_are_one_case() -> None:
    model = small_model("junos", TWO)
    second = model.interfaces[1].__class__("xe-0/0/9", 0, "core", 10**11)
    subject = subject_of(replace(model, interfaces=(*model.interfaces, second)))
    read = parse_config(subject.platform, subject.text, subject.interfaces)
    (port,) = planned_ports(read, PAIRS, alpha_queue=4, port_buffer_ms=100)
    assert port.ports == ("xe-0/0/1", "xe-0/0/9")
    assert port.name == "xe-0/0/1, xe-0/0/9"


def test_without_pairs_alpha_traffic_is_what_the_plan_means_by_it() -> None:
    subject = subject_of(small_model("junos", TWO, pairs=()))
    read = parse_config(subject.platform, subject.text, subject.interfaces)
    (port,) = planned_ports(read, (), alpha_queue=4, port_buffer_ms=100)
    assert port.plan.alpha_queue == "alpha"


def test_pairs_that_are_treated_differently_are_refused() -> None:
    other = PrefixPair.parse("192.0.2.0/24>203.0.113.0/24")
    subject = subject_of(small_model("junos", TWO))
    read = parse_config(subject.platform, subject.text, subject.interfaces)
    with pytest.raises(NotJudgedError, match="treated differently"):
        planned_ports(read, (*PAIRS, other), alpha_queue=4, port_buffer_ms=100)


def test_queues_are_told_by_number_name_and_line_of_the_text() -> None:
    subject = subject_of(small_model("junos", TWO))
    read = parse_config(subject.platform, subject.text, subject.interfaces)
    (port,) = planned_ports(read, PAIRS, alpha_queue=4, port_buffer_ms=100)
    number = next(n for n, line in enumerate(subject.text.splitlines(), 1) if "class alpha scheduler" in line)
    assert port.words_of("alpha") == f"queue 4 (hntes-alpha, line {number})"
    assert QueuePlan("alpha", 60, 60.0, 1) in port.plan.queues
