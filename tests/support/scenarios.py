"""Scenarios written as plain tables, which tests read and change more easily than dataclasses."""

from collections.abc import Mapping
from typing import Any

from hntes import simulator
from hntes.simulator.engine import ShareCallback
from hntes.simulator.results import EngineName, RunResult
from hntes.simulator.scenario import Scenario, from_document, to_document
from hntes.simulator.testbed import scenario_file


def scenario_of(document: Mapping[str, Any]) -> Scenario:
    """The scenario as it is written."""
    return from_document(Scenario, document)


def completed_of(document: Mapping[str, Any]) -> Scenario:
    """The scenario with the testbed's parameters for what it leaves out, as from a user's file."""
    return scenario_file.scenario_of(document)


def document_of(value: object) -> dict[str, Any]:
    """The table of a scenario, or of its parameters."""
    found: dict[str, Any] = to_document(value)
    return found


def run(document: Mapping[str, Any], progress: ShareCallback | None = None, engine: EngineName = "packet") -> RunResult:
    """Runs the scenario as it is written."""
    return simulator.run(scenario_of(document), progress, engine)


def check(document: Mapping[str, Any], engine: EngineName = "packet") -> None:
    """Checks the scenario as it is written."""
    simulator.check(scenario_of(document), engine)


def sensitive_measures(document: Mapping[str, Any], result: RunResult) -> list[str]:
    """Measures of a fluid run that small differences of the scenario as it is written would change."""
    return simulator.sensitive_measures(scenario_of(document), result)
