"""Any small network keeps the books and the limits; any broken scenario is refused by its key, or runs."""

import copy
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hntes.simulator import RunResult, ScenarioError
from tests.support.examples import examples
from tests.support.random_networks import FULL_PACKET_BYTES, Scenario, scenarios
from tests.support.scenarios import check, run


def _assert_conserved(result: RunResult) -> None:
    for flow in result.flows.values():
        assert flow.sent_pkts == flow.delivered_pkts + sum(flow.dropped_pkts.values()) + flow.inside_pkts, flow
        assert flow.goodput_bytes <= flow.delivered_pkts * 1500
    assert result.imbalances == ()


def _limits_bytes(scenario: Scenario) -> dict[str, float]:
    """The limit of each queue by its name in results."""
    hosts = {host["name"]: host["nic_queue_bytes"] for host in scenario["hosts"]}
    limits: dict[str, float] = {}
    for link in scenario["links"]:
        for one, other in ((link["from"], link["to"]), (link["to"], link["from"])):
            limits[f"{one}->{other}"] = hosts.get(one, link["buffer_bytes"])
    for port in scenario["ports"]:
        for queue in port["queues"]:
            name = f"{port['at']}->{port['to']}/{queue['class']}"
            limits[name] = queue["buffer_share_pct"] / 100 * port["buffer_bytes"]
    return limits


def _assert_within_limits(scenario: Scenario, result: RunResult) -> None:
    limits = _limits_bytes(scenario)
    for name, values in result.series.items():
        if name.endswith("/peak_bytes"):
            queue = name.removeprefix("queue/").removesuffix("/peak_bytes")
            # an empty queue takes one packet, however small its limit
            assert values.max(initial=0) <= max(limits[queue], FULL_PACKET_BYTES), name
    for link in scenario["links"]:
        most = link["rate_bps"] * result.interval_s / 8 * (1 + 1e-6) + FULL_PACKET_BYTES + 1
        for one, other in ((link["from"], link["to"]), (link["to"], link["from"])):
            sent = result.series[f"link/{one}->{other}/wire_bytes"]
            assert sent.max(initial=0) <= most, (one, other)


@pytest.mark.slow
@settings(examples(1.5), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(scenario=scenarios())
def test_any_small_network_keeps_the_books_and_the_limits(scenario: Scenario) -> None:
    result = run(scenario)
    _assert_conserved(result)
    _assert_within_limits(scenario, result)


@examples(0.6)
@given(scenario=scenarios())
def test_one_seed_gives_one_trace(scenario: Scenario) -> None:
    first, again = run(scenario), run(scenario)
    assert (first.trace_hash, first.events) == (again.trace_hash, again.events)


ODD_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.sampled_from(["", "h0", "r0", "nowhere", "tcp", "x" * 1000, [], {}, [[]], 0, -1, 1e300, 1e18, 2**32, 2**64]),
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every key and index of a scenario."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, inner in items for place in [(*path, key), *_places(inner, (*path, key))]]


def _holder(scenario: Scenario, place: tuple[Any, ...]) -> Any:
    holder: Any = scenario
    for key in place[:-1]:
        holder = holder[key]
    return holder


@st.composite
def _broken(draw: st.DrawFn) -> Scenario:
    """A sound scenario with one to three values replaced, taken away, doubled or added."""
    scenario = copy.deepcopy(draw(scenarios()))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from(_places(scenario)))
        holder, key = _holder(scenario, place), place[-1]
        match draw(st.sampled_from(["replace", "replace", "replace", "remove", "double", "add"])):
            case "replace":
                holder[key] = draw(ODD_VALUES)
            case "remove":
                del holder[key]
            case "double" if isinstance(holder, list):
                holder.append(copy.deepcopy(holder[key]))
            case _ if isinstance(holder, dict):
                holder["unknown_key"] = draw(ODD_VALUES)
    return scenario


@pytest.mark.slow
@settings(examples(1), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(scenario=_broken())
def test_a_broken_scenario_is_refused_by_key_or_runs(scenario: Scenario) -> None:
    try:
        check(scenario)
    except ScenarioError as error:
        key, _, message = str(error).partition(": ")
        assert key, "the message starts with a key"
        assert message
        return
    if not _is_short(scenario):
        return  # sound but long: nothing is learnt from waiting for it
    assert run(scenario).imbalances == ()


def _is_short(scenario: Scenario) -> bool:
    """Whether what the scenario may send fits into a test."""
    packets = sum(link["rate_bps"] for link in scenario["links"]) * scenario["duration_s"] / 8 / 60
    smallest = scenario["tcp"].get("segment_data_bytes", 1448)
    return math.isfinite(packets) and packets < 5e6 and smallest > 100 and _datagrams(scenario) < 1e6


def _datagrams(scenario: Scenario) -> float:
    flows = [flow["traffic"] for flow in scenario["flows"]]
    udp = sum(t["rate_bps"] / 8 / t.get("datagram_bytes", 8192) for t in flows if t["kind"] == "udp")
    return float(udp * scenario["duration_s"])
