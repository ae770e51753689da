"""The hash that identifies a scenario."""

import hashlib

from hntes.simulator.scenario.scenario import Scenario


def scenario_hash(scenario: Scenario) -> str:
    """SHA-256 of the scenario as canonical JSON, 64 hexadecimal digits."""
    return hashlib.sha256(scenario.json.encode()).hexdigest()
