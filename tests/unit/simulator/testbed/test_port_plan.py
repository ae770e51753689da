"""A plan in the place of an experiment's port: the published ports, written as plans, give the published scenarios."""

from dataclasses import replace
from typing import Any

import pytest

from hntes.simulator import EcnPlan, PlanError, PolicerPlan, PortPlan, QueuePlan, load_experiment
from hntes.simulator.scenario import DropTail, PingTraffic, Red, UdpTraffic
from hntes.simulator.testbed.files import load_parameters
from hntes.simulator.testbed.traffic import cut_short, datagram_size, shortened, with_udp_load, without

POLICER = {"rate_bps": 1e9, "burst_bytes": 31_000, "per_flow": True}
PUBLISHED = {
    "1-queue": (2, "", PortPlan((QueuePlan("shared", 100, 100),), "shared", "shared")),
    "2-queues": (4, "", PortPlan((QueuePlan("alpha", 60, 60, 0), QueuePlan("beta", 40, 40, 1)), "alpha", "beta")),
    "3-queues-30-50-20": (
        3,
        "udp-1",
        PortPlan(
            (QueuePlan("alpha", 30, 30, 0), QueuePlan("beta", 50, 50, 1), QueuePlan("ss", 20, 20, 2)),
            "alpha",
            "beta",
            policer=PolicerPlan(**POLICER, out_of_profile="reclass", to_queue="ss"),
        ),
    ),
    "2-queues+policing+wred": (
        4,
        "",
        PortPlan(
            (QueuePlan("alpha", 60, 60, 0, drops_marked=True), QueuePlan("beta", 40, 40, 1)),
            "alpha",
            "beta",
            policer=PolicerPlan(**POLICER, out_of_profile="mark"),
        ),
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_port_written_as_a_plan_is_the_same_scenario(name: str) -> None:
    number, variant, plan = PUBLISHED[name]
    case = load_experiment(number).case(name, variant)
    published, planned = case.scenario(1, load_parameters()), case.scenario(seed=1, plan=plan)
    assert planned.ports == published.ports
    assert published.name != planned.name
    assert replace(planned, name=published.name) == published


TWO = (QueuePlan("alpha", 60, 60), QueuePlan("beta", 40, 40))
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no queue": ({"queues": ()}, "1 to 32"),
    "a name twice": ({"queues": (TWO[0], TWO[0])}, "different names"),
    "more than the link": ({"queues": (TWO[0], QueuePlan("beta", 41, 40))}, "101%"),
    "no share": ({"queues": (TWO[0], QueuePlan("beta", 0, 40))}, "queue beta: rate_share_pct"),
    "no buffer": ({"queues": (TWO[0], QueuePlan("beta", 40, 0))}, "queue beta: buffer_share_pct"),
    "a negative rank": ({"queues": (TWO[0], QueuePlan("beta", 40, 40, -1))}, "priority -1"),
    "marks from no level": ({"queues": (QueuePlan("alpha", 60, 60, ecn=EcnPlan(80, 80)), TWO[1])}, "from 80% to 80%"),
    "marks above a full queue": ({"queues": (QueuePlan("alpha", 60, 60, ecn=EcnPlan(50, 101)), TWO[1])}, "to 101%"),
    "marks beside those of a policer": (
        {"queues": (QueuePlan("alpha", 60, 60, drops_marked=True, ecn=EcnPlan(50)), TWO[1])},
        "marks packets itself",
    ),
    "an unknown queue": ({"beta_queue": "other"}, "no queue 'other'"),
    "a policer on beta": (
        {"beta_queue": "alpha", "policer": PolicerPlan(1e9, 31_000, True, "drop")},
        "police beta",
    ),
    "a policer to nowhere": ({"policer": PolicerPlan(1e9, 31_000, True, "reclass", "ss")}, "'ss'"),
    "a policer without a goal": ({"policer": PolicerPlan(1e9, 31_000, True, "reclass")}, "names the queue"),
    "an empty bucket": ({"policer": PolicerPlan(1e9, 0, True, "drop")}, "lets nothing by"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_impossible_plan_is_refused_with_the_queue(name: str) -> None:
    changed, told = BAD[name]
    with pytest.raises(PlanError, match=told):
        PortPlan(**({"queues": TWO, "alpha_queue": "alpha", "beta_queue": "beta"} | changed))


def test_a_queue_that_marks_counts_full_packets() -> None:
    plan = PortPlan((QueuePlan("alpha", 60, 60, ecn=EcnPlan(50)), TWO[1]), "alpha", "beta")
    assert plan.marks
    assert not PortPlan(TWO, "alpha", "beta").marks
    (port,) = load_experiment(4).case("2-queues").scenario(seed=1, plan=plan).ports
    marking, plain = (queue.discipline for queue in port.queues)
    assert plain == DropTail()
    assert isinstance(marking, Red)
    # published: a buffer of 125 MB; 75 MB hold 48,764.6 packets of 1500 bytes with 38 of Ethernet
    assert (marking.ecn, marking.average_weight, marking.max_probability) == (True, 1, 1)
    assert marking.max_pkts == pytest.approx(48_764.6, abs=0.1)
    assert marking.min_pkts == pytest.approx(24_382.3, abs=0.1)


def test_equal_plans_have_equal_hashes_and_others_do_not() -> None:
    plan = PortPlan(TWO, "alpha", "beta")
    assert plan.hash == PortPlan(TWO, "alpha", "beta").hash
    assert plan.hash != PortPlan(TWO, "alpha", "beta", "strictly_partitioned").hash


def test_a_shorter_course_keeps_its_proportions_and_rates() -> None:
    scenario = load_experiment(2).case("2-queues").scenario(seed=1)
    short = shortened(scenario, 50)
    assert short.duration_s == 50
    # published: [20, 160] of 200 s, a ping a second
    assert short.flow("TCP2").intervals_s == ((5, 40),)
    assert short.flow("ping").traffic == PingTraffic(0.25)
    assert short.links == scenario.links
    assert scenario.duration_s == 200


def test_a_course_that_is_cut_short_is_the_same_up_to_a_whole_interval() -> None:
    scenario = load_experiment(2).case("2-queues").scenario(seed=1)
    # published: 200 s, of which TCP1 is on throughout, TCP2 20 to 160, TCP3 40 to 140 and TCP4 60 to 120
    cut = cut_short(scenario, 58.2)
    spans = {flow.name: list(flow.intervals_s) for flow in cut.flows}
    assert cut.duration_s == 59
    assert spans == {"TCP1": [(0, 59)], "TCP2": [(20, 59)], "TCP3": [(40, 59)], "ping": [(0, 59)]}
    assert {rule.flow for port in cut.ports for rule in port.classifier if rule.flow} <= set(spans)
    assert (cut.links, cut.seed) == (scenario.links, scenario.seed)
    assert cut_short(replace(scenario, interval_s=5.0), 58.2).duration_s == 60
    assert cut_short(scenario, 1000) == scenario


def test_a_datagram_of_8192_bytes_takes_six_fragments() -> None:
    scenario = load_experiment(4).case("2-queues").scenario(seed=1)
    # 8200 bytes in pieces of at most 1480: five whole and one of 800; 20 bytes of header, 38 of frame each
    assert datagram_size(8192, scenario.tcp) == (8200 + 6 * 20, 8200 + 6 * 58)


def test_a_udp_load_is_told_in_bytes_of_ip() -> None:
    scenario = load_experiment(4).case("2-queues").scenario(seed=1)
    udp = with_udp_load(scenario, 832e6).flow("UDP").traffic
    assert isinstance(udp, UdpTraffic)
    # 832 Mb/s are 12,500 datagrams of 8320 bytes a second
    assert udp.rate_bps == pytest.approx(12_500 * 8192 * 8)


def test_flows_that_are_left_out_leave_no_rule_behind() -> None:
    scenario = load_experiment(4).case("2-queues").scenario(seed=1)
    assert with_udp_load(scenario, 0) == without(scenario, {"UDP"})
    assert [flow.name for flow in without(scenario, {"UDP"}).flows] == ["TCP1", "ping"]
    assert [rule.flow for rule in without(scenario, {"UDP"}).ports[0].classifier] == ["TCP1", "ping"]
