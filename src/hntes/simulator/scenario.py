"""What a scenario says of its flows and its port, and the hash that stands for it."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

# A scenario as the engines take it: JSON tables, units in the names of keys.
Scenario = Mapping[str, Any]


def scenario_hash(scenario: Scenario) -> str:
    """SHA-256 of the scenario as canonical JSON, 64 hexadecimal digits.

    Example:
        >>> scenario_hash({"a": 1, "b": 2}) == scenario_hash({"b": 2, "a": 1})
        True
    """
    return hashlib.sha256(json.dumps(scenario, sort_keys=True).encode()).hexdigest()


def flows_of_kind(scenario: Scenario, kind: str) -> list[str]:
    """Names of the flows of a kind: tcp, udp or ping."""
    return [str(flow["name"]) for flow in scenario["flows"] if flow["traffic"]["kind"] == kind]


def on_span_s(scenario: Scenario, flow: str) -> tuple[float, float]:
    """When a flow starts for the first time and ends for the last, in seconds."""
    (found,) = (each for each in scenario["flows"] if each["name"] == flow)
    return float(found["intervals_s"][0][0]), float(found["intervals_s"][-1][1])


def port_rate_bps(scenario: Scenario) -> float:
    """The rate of the scenario's only port with queues."""
    (port,) = scenario["ports"]
    ends = {port["at"], port["to"]}
    return next(float(link["rate_bps"]) for link in scenario["links"] if {link["from"], link["to"]} == ends)
