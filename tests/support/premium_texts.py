"""A plan with a queue for reservations, and texts with two of them that hold.

The queue has 30 % of 10 Gb/s and of 100 ms; 10 % may be reserved for round trips of 100 ms, so windows last for 150 ms.
"""

from ipaddress import ip_network

from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.rules.qos.reserved import Reserved
from hntes.settings.plans import TwoQueue
from tests.support.qos_models import PAIRS, interfaces_of, router

PLAN = TwoQueue(kind="two_queue", premium_share_pct=30, premium_cap_pct=10, alpha_share_pct=30, beta_share_pct=35)
WINDOW_MS = 150
RATES_BPS = (300_000_000, 600_000_000)


def reservations() -> tuple[Reserved, ...]:
    """Two of them, with the bursts of the rule."""
    return tuple(
        Reserved(
            f"reservation-{number}", ip_network(f"198.18.{30 + number}.0/24"), ip_network("203.0.113.0/24"), rate_bps,
            rate_bps // 8 * WINDOW_MS // 1000,
        )
        for number, rate_bps in enumerate(RATES_BPS, 1)
    )  # fmt: skip


def premium_model(platform: str, plan: TwoQueue = PLAN) -> RouterModel:
    """A router with one edge and one core port of 10 Gb/s."""
    return build_model(router(platform, interfaces=interfaces_of(platform)[:2]), plan, PAIRS, reservations())
