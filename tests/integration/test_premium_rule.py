"""GARA's rule with the share of a plan's queue in the place of 99 %, against the packet engine.

The worst that a policer lets by: twenty reservations send their windows at the same instants, beside overload.
"""

from fractions import Fraction

import pytest

from hntes.rules.reservations.gara import burst_bytes, queueing_time_ms
from hntes.simulator import PolicerPlan, PortPlan, QueuePlan, run
from hntes.simulator.measures import round_trips_ms
from hntes.simulator.testbed.files import load_parameters
from hntes.simulator.testbed.premium_plan import PremiumPlan, ReservedPlan
from hntes.simulator.testbed.reservation_scenarios import LINK_BPS, START_UP_S, path_s, ping_of, premium_scenario

pytestmark = [pytest.mark.slow]
COUNT = 20
# A packet of 1500 bytes takes the link for as long as 1538.
WIRE = 1538 / 1500
# A host may stall for 0.2 ms, and a packet of another queue may be in the way.
STALL_MS = 0.3


def premium(x_pct: int, served_pct: int, rtt_ms: int) -> PremiumPlan:
    """Reservations that add up to x of the link, with the windows of the rule; x and rates are in IP bytes."""
    rate_bps = LINK_BPS * x_pct // 100 // COUNT
    window = burst_bytes(rate_bps, rtt_ms, Fraction(x_pct, 100), Fraction(served_pct, 100))
    others = 100 - 5 - served_pct
    queues = (
        QueuePlan("alpha", others / 2, others / 2, 1), QueuePlan("beta", others / 2, others / 2, 2),
        QueuePlan("nc", 5, 5, 3), QueuePlan("premium", served_pct, served_pct, 0),
    )  # fmt: skip
    policer = PolicerPlan(rate_bps, window, True, "drop")
    reserved = tuple(
        ReservedPlan(f"reserved{number}", rate_bps, window, "premium", policer, served_pct / 100)
        for number in range(COUNT)
    )
    return PremiumPlan(PortPlan(queues, "alpha", "beta"), reserved)


@pytest.mark.parametrize(("x_pct", "served_pct", "rtt_ms"), [(10, 30, 100), (20, 60, 50), (33, 40, 10), (30, 90, 20)])
def test_the_longest_wait_is_the_rules(x_pct: int, served_pct: int, rtt_ms: int) -> None:
    plan = premium(x_pct, served_pct, rtt_ms)
    scenario = premium_scenario(plan, "bursts", load_parameters(), 1)
    result = run(scenario)
    assert result.imbalances == ()
    assert sum(sum(flow.dropped_pkts.values()) for name, flow in result.flows.items() if name[:4] == "rese") == 0
    pings = round_trips_ms(result, ping_of("premium"), (START_UP_S, float("inf")))
    waited_ms = float(pings.max() - pings.min())
    rule_ms = float(queueing_time_ms(rtt_ms, Fraction(x_pct, 100), Fraction(served_pct, 100))) * WIRE
    print(f"x {x_pct} % of {served_pct} %, rtt {rtt_ms} ms: {waited_ms:.2f} ms, by the rule {rule_ms:.2f} ms")
    # Nobody uses the 5 % of network control, and the first in rank gets them; twenty cards take a while, too.
    assert 0.93 * rule_ms * served_pct / (served_pct + 5) < waited_ms < rule_ms + STALL_MS


def test_the_path_of_the_rule_is_found_again_from_window_rate_and_share() -> None:
    plan = premium(10, 30, 100)
    # but for link time: x is 10.25 % there
    assert path_s(plan.reserved[0], plan) == pytest.approx(0.150 * (0.3 - 0.1 * WIRE) / 0.3, rel=1e-6)
