"""Traffic in each class of a port beside alpha flows and unmarked traffic, as a scenario."""

from collections.abc import Sequence

from hntes.simulator.scenario import Parameters, Scenario
from hntes.simulator.testbed.port_plan import PortPlan
from hntes.simulator.testbed.premium_plan import FULL_IP_BYTES, PremiumPlan, ReservedPlan
from hntes.simulator.testbed.reservation_scenarios import (
    FULL_WIRE_BYTES,
    LINK_BPS,
    START_UP_S,
    Overload,
    payload_bps,
    premium_scenario,
)
from hntes.simulator.testbed.traffic import cut_short

# What a class sends of its guaranteed rate: in link time it stays below it.
OFFERED = 0.9
# From when alpha flows are over their slow start; pings are a hundred in each window's time.
SPAN_S = (START_UP_S, START_UP_S + 4.0)
_WINDOW_BYTES = 1_000 * FULL_IP_BYTES


def class_plans(port: PortPlan, kept: Sequence[str]) -> tuple[ReservedPlan, ...]:
    """What each of these queues of a port is offered, in IP bytes."""
    shares = {queue.name: queue.rate_share_pct / 100 for queue in port.queues}
    ip_bps = OFFERED * LINK_BPS * FULL_IP_BYTES / FULL_WIRE_BYTES
    return tuple(ReservedPlan(name, shares[name] * ip_bps, _WINDOW_BYTES, name, None, shares[name]) for name in kept)


def offered_bps(plan: ReservedPlan) -> float:
    """The payload that a class sends, bit/s."""
    return payload_bps(plan.rate_bps)


def class_scenario(
    port: PortPlan, kept: Sequence[str], parameters: Parameters, seed: int, *, with_alpha: bool
) -> Scenario:
    """Each kept queue in use beside unmarked traffic that fills the port, with two alpha flows or without."""
    overload: tuple[Overload, ...] = ("alpha", "beta") if with_alpha else ("beta",)
    plan = PremiumPlan(port, class_plans(port, kept))
    return cut_short(premium_scenario(plan, "even", parameters, seed, overload=overload), SPAN_S[1])
