"""The rate that can be reserved on each port, from the settings of reservations and the routers' plans."""

from pathlib import Path
from typing import Any

import pytest

from hntes.rules.reservations.reservation import Port, PortLimit
from hntes.settings import Settings
from hntes.workflow.reservations.ports import limits_of

GBPS = 10**9
PLAN = {
    "kind": "two_queue",
    "alpha_share_pct": 30,
    "beta_share_pct": 35,
    "premium_share_pct": 30,
    "premium_cap_pct": 10,
}


def limits(plan: dict[str, Any], cap_pct: int, *ports: dict[str, Any]) -> dict[Port, PortLimit]:
    router = {
        "name": "r1", "platform": "junos", "flow_folder": Path("flows"), "plan": "p",
        "interfaces": [
            {"name": "xe-0/0/0", "role": "edge", "rate_bps": 10 * GBPS},
            {"name": "et-0/0/1", "role": "core", "rate_bps": 100 * GBPS},
            {"name": "xe-0/0/2", "role": "both", "rate_bps": 10 * GBPS},
        ],
    }  # fmt: skip
    reservations = {"cap_pct": cap_pct, "ports": ports}
    return limits_of(Settings.model_validate({"plans": {"p": plan}, "routers": [router], "reservations": reservations}))


def test_without_a_class_of_the_plan_the_cap_is_the_books_and_gara_serves_99_per_cent() -> None:
    assert limits({"kind": "two_queue"}, 33) == {
        Port("r1", "et-0/0/1"): PortLimit(100 * GBPS, 33, 99),
        Port("r1", "xe-0/0/2"): PortLimit(10 * GBPS, 33, 99),
    }


def test_the_plans_cap_bounds_each_port_and_of_the_slowest_all_together() -> None:
    assert limits(PLAN, 33) == {
        Port("r1", "et-0/0/1"): PortLimit(100 * GBPS, 10, 30),
        Port("r1", "xe-0/0/2"): PortLimit(10 * GBPS, 10, 30),
        Port.all_of("r1"): PortLimit(10 * GBPS, 10, 30),
    }


@pytest.mark.parametrize("cap_pct", [1, 4, 9])
def test_a_lower_cap_of_the_book_counts(cap_pct: int) -> None:
    port = {"router": "r1", "interface": "et-0/0/1", "cap_pct": cap_pct}
    found = limits(PLAN, 33, port)
    assert [found[Port("r1", name)].cap_pct for name in ("et-0/0/1", "xe-0/0/2")] == [cap_pct, 10]
    assert found[Port.all_of("r1")].cap_bps == GBPS
