"""Reservations at a port: what the engine is handed, and what is refused."""

from dataclasses import replace
from typing import Any

import pytest

from hntes.simulator import PlanError, PolicerPlan, PortPlan, QueuePlan
from hntes.simulator.scenario import Actions, Rule, Scenario, ToClass, TokenBucket, UdpTraffic
from hntes.simulator.testbed.files import load_parameters
from hntes.simulator.testbed.premium_plan import PremiumPlan, ReservedPlan
from hntes.simulator.testbed.reservation_scenarios import (
    LINK_BPS,
    START_UP_S,
    Sending,
    path_s,
    premium_scenario,
    promised_share,
    span_s,
    windows_sent,
    without_reservations,
)

QUEUES = (QueuePlan("alpha", 30, 30), QueuePlan("beta", 35, 35), QueuePlan("other1", 30, 30))
PORT = PortPlan(QUEUES, "alpha", "beta")
POLICER = PolicerPlan(3e8, 5_625_000, True, "drop")
# 3 % of the link in windows of 0.15 s
ONE = ReservedPlan("reserved1", 3e8, 5_625_000, "other1", POLICER, 0.3)
TWIN = replace(ONE, name="reserved2")
FASTER = replace(ONE, name="reserved3", rate_bps=6e8, policer=replace(POLICER, rate_bps=6e8))
PLAN = PremiumPlan(PORT, (ONE, TWIN, FASTER))
PARAMETERS = load_parameters()


def scenario(sending: Sending, plan: PremiumPlan = PLAN, **options: Any) -> Scenario:
    return premium_scenario(plan, sending, PARAMETERS, 1, **options)


def test_equal_policers_share_an_entry_in_which_each_flow_has_its_bucket() -> None:
    port = PLAN.engine_port("R", "sink", PARAMETERS.router, {"alpha1": "alpha", "beta": "beta"}, {"ping": "other1"})
    entries = [queue for queue in port.queues if queue.class_.startswith("entry")]
    assert [(each.rate_share_pct, each.buffer_share_pct) for each in entries] == [(0, 0), (0, 0)]
    classes = {rule.flow: rule.class_ for rule in port.classifier}
    assert classes == {
        "reserved1": "entry1", "reserved2": "entry1", "reserved3": "entry2", "ping": "other1", "alpha1": "alpha",
        "beta": "beta",
    }  # fmt: skip
    first, second = port.conditioners
    assert (first.class_, first.aggregate) == ("entry1", "flow")
    assert first.actions == Actions(green=ToClass("other1"), red="drop")
    assert first.meter == TokenBucket(3e8, 5_625_000)
    assert isinstance(second.meter, TokenBucket)
    assert second.meter.rate_bps == 6e8


@pytest.mark.parametrize(
    ("policer", "red"),
    [
        (PolicerPlan(3e8, 5_625_000, True, "reclass", "beta"), ToClass("beta")),
        (PolicerPlan(3e8, 5_625_000, True, "mark"), ToClass("other1")),
    ],
)
def test_what_is_above_the_rate_goes_where_the_policer_puts_it(policer: PolicerPlan, red: ToClass) -> None:
    plan = PremiumPlan(PORT, (replace(ONE, policer=policer),))
    (conditioner,) = plan.engine_port("R", "sink", PARAMETERS.router, {}, {}).conditioners
    assert conditioner.actions == Actions(green=ToClass("other1"), red=red)


def test_without_a_policer_packets_go_straight_to_their_queue() -> None:
    port = PremiumPlan(PORT, (replace(ONE, policer=None),)).engine_port("R", "sink", PARAMETERS.router, {}, {})
    assert port.classifier == (Rule("other1", flow="reserved1"),)
    assert port.conditioners == ()


@pytest.mark.parametrize(
    ("reserved", "told"),
    [
        ((), "different names"),
        ((ONE, ONE), "different names"),
        ((replace(ONE, queue="other7"),), "there is no queue 'other7' among alpha, beta, other1"),
        ((replace(ONE, policer=replace(POLICER, out_of_profile="reclass", to_queue="x")),), "there is no queue 'x'"),
        ((replace(ONE, window_bytes=1499),), "a window holds at least a packet"),
        (
            tuple(
                replace(ONE, name=f"r{n}", policer=replace(POLICER, rate_bps=1e6 + n)) for n in range(30)
            ),
            "30 different policers; 29 fit",
        ),
    ],
)  # fmt: skip
def test_what_the_engine_cannot_have_is_refused(reserved: tuple[ReservedPlan, ...], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        PremiumPlan(PORT, reserved)


def test_queues_that_are_held_to_their_shares_are_refused() -> None:
    with pytest.raises(PlanError, match="held to their shares"):
        PremiumPlan(replace(PORT, sharing="strictly_partitioned"), (ONE,))


def test_path_and_span_follow_from_the_windows() -> None:
    # 12 % in IP bytes, 1538 / 1500 of it in link time, of 30 %
    assert promised_share(PLAN) == pytest.approx(0.12 * 1538 / 1500)
    assert path_s(ONE, PLAN) == pytest.approx(0.15 * (0.3 - 0.12 * 1538 / 1500) / 0.3)
    assert span_s(PLAN.reserved) == pytest.approx((START_UP_S + 0.6, START_UP_S + 10.6))
    assert windows_sent(ONE, PLAN.reserved) == 70
    # the same window at twice the rate lasts half as long
    assert windows_sent(FASTER, PLAN.reserved) == 141


def test_a_paced_sender_has_a_card_of_its_rate_and_others_one_of_the_links() -> None:
    def card_bps(sending: Sending) -> float:
        return float(next(link.rate_bps for link in scenario(sending).links if link.from_ == "reserved1"))

    assert card_bps("paced") == pytest.approx(3e8 * 1538 / 1500)
    assert {card_bps(each) for each in ("greedy", "hasty", "bursts", "twice")} == {LINK_BPS}


def test_bursts_are_whole_windows_and_twice_is_twice() -> None:
    def traffic(sending: Sending) -> UdpTraffic:
        found = scenario(sending).flow("reserved1").traffic
        assert isinstance(found, UdpTraffic)
        return found

    bursts, twice = traffic("bursts"), traffic("twice")
    assert bursts.on_off_s is not None
    on_s, off_s = bursts.on_off_s
    assert on_s + off_s == pytest.approx(0.15)
    assert bursts.rate_bps * on_s / 8 == pytest.approx(3750 * 1472)
    assert twice.rate_bps == pytest.approx(2 * 3e8 * 1472 / 1500)


def test_with_nobody_sending_there_is_nobody() -> None:
    names = [host.name for host in scenario("none", overload=()).hosts]
    assert names == ["ping-other1", "sink"]
    used = scenario("paced", unlike={"reserved2": "none"})
    assert "reserved2" not in [host.name for host in used.hosts]


def test_without_reservations_their_queue_is_gone_and_the_others_shares_stay() -> None:
    bare = without_reservations(scenario("none"), PLAN)
    (port,) = bare.ports
    assert [(queue.class_, queue.rate_share_pct) for queue in port.queues] == [("alpha", 30), ("beta", 35)]
    assert port.conditioners == ()
    assert {rule.flow for rule in port.classifier} == {"alpha1", "alpha2", "beta"}
    assert [flow.name for flow in bare.flows] == ["alpha1", "alpha2", "beta"]


def test_a_queue_that_best_effort_shares_stays() -> None:
    plan = PremiumPlan(PORT, (replace(ONE, queue="beta"),))
    (port,) = without_reservations(scenario("none", plan), plan).ports
    assert [queue.class_ for queue in port.queues] == ["alpha", "beta", "other1"]
