"""A marker in a port's plan: what the engine is told, and which plans no port can have."""

from typing import Any

import pytest

from hntes.simulator import EarlyDrops, MarkerPlan, PlanError, PolicerPlan, PortPlan, QueuePlan, load_experiment
from tests.support.scenarios import document_of

MARKER = MarkerPlan(1e9, 31_000, 62_000, per_flow=True, peak_rate_bps=2e9)
EARLY = (EarlyDrops("yellow", 50, 100), EarlyDrops("red", 0, 100))
QUEUES = (QueuePlan("alpha", 60, 60, early_drops=EARLY), QueuePlan("beta", 40, 40))


def port_of(marker: MarkerPlan) -> dict[str, Any]:
    plan = PortPlan(QUEUES, "alpha", "beta", marker=marker)
    (port,) = load_experiment(2).case("2-queues").scenario(seed=1, plan=plan).ports
    return document_of(port)


def test_two_rates_are_rfc_2698_and_one_is_rfc_2697() -> None:
    committed = {"committed_rate_bps": 1e9, "committed_burst_bytes": 31_000}
    (two,) = port_of(MARKER)["conditioners"]
    assert two["meter"] == {"kind": "trtcm", **committed, "peak_rate_bps": 2e9, "peak_burst_bytes": 62_000}
    (one,) = port_of(MarkerPlan(1e9, 31_000, 62_000, per_flow=True))["conditioners"]
    assert one["meter"] == {"kind": "srtcm", **committed, "excess_burst_bytes": 62_000}


def test_each_colour_has_its_action_and_is_recorded() -> None:
    (conditioner,) = port_of(MarkerPlan(1e9, 31_000, 62_000, per_flow=False, red="drop"))["conditioners"]
    assert conditioner["class"] == "alpha"
    assert conditioner["aggregate"] == "class"
    assert conditioner["actions"] == {"yellow": "pass", "red": "drop"}
    assert conditioner["colour_series"] is True
    assert port_of(MARKER)["conditioners"][0]["aggregate"] == "flow"


def test_early_drops_are_ramps_of_the_alpha_queue() -> None:
    alpha, beta = port_of(MARKER)["queues"]
    ramps = {"yellow": {"from_pct": 50, "to_pct": 100}, "red": {"from_pct": 0, "to_pct": 100}}
    assert alpha["discipline"] == {"kind": "wred", "step_pct": 1.0, "ramps": ramps}
    assert beta["discipline"] == {"kind": "drop_tail"}


def alpha_queue(**changes: Any) -> dict[str, Any]:
    return {"queues": (QueuePlan("alpha", 60, 60, **changes), QUEUES[1])}


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a policer, too": ({"policer": PolicerPlan(1e9, 31_000, True, "drop")}, "not both"),
    "a marker on beta": ({"beta_queue": "alpha"}, "mark beta"),
    "an empty bucket": ({"marker": MarkerPlan(1e9, 31_000, 0, per_flow=True)}, "31000 and 0 bytes"),
    "a peak below": (
        {"marker": MarkerPlan(1e9, 31_000, 62_000, per_flow=True, peak_rate_bps=9e8)},
        "9e.08 bit/s is be",
    ),
    "a colour twice": (alpha_queue(early_drops=(EARLY[0], EARLY[0])), r"twice \(yellow, yellow\)"),
    "a ramp that falls": (alpha_queue(early_drops=(EarlyDrops("red", 50, 50),)), "red packets from 50% to 50%"),
    "a ramp beyond the queue": (alpha_queue(early_drops=(EarlyDrops("red", 0, 101),)), "from 0% to 101%"),
    "drops of both kinds": (alpha_queue(early_drops=EARLY, drops_marked=True), "queue alpha: .*not both"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_impossible_plan_is_refused_with_the_reason(name: str) -> None:
    changed, told = BAD[name]
    with pytest.raises(PlanError, match=told):
        PortPlan(**({"queues": QUEUES, "alpha_queue": "alpha", "beta_queue": "beta", "marker": MARKER} | changed))
