"""What a scenario file leaves out is the testbed's, whatever part it chooses."""

from typing import Any

import pytest

from simulator.testbed.experiments import load_parameters
from simulator.testbed.scenario_file import complete

CREDIT_WINDOW_US = load_parameters()["router"]["credit_window_us"]


def port(**given: Any) -> dict[str, Any]:
    (found,) = complete({"ports": [{"at": "r", "to": "s", **given}]})["ports"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"kind": "priority_wfq", "credit_window_us": CREDIT_WINDOW_US}),
        ({"scheduler": {"kind": "priority_wfq"}}, {"kind": "priority_wfq", "credit_window_us": CREDIT_WINDOW_US}),
        (
            {"scheduler": {"kind": "priority_wfq", "credit_window_us": 7}},
            {"kind": "priority_wfq", "credit_window_us": 7},
        ),
        ({"scheduler": {"kind": "round_robin"}}, {"kind": "round_robin"}),
        ({"scheduler": "fair"}, "fair"),
    ],
)
def test_a_scheduler_has_what_its_kind_needs(given: dict[str, Any], expected: Any) -> None:
    assert port(**given)["scheduler"] == expected


@pytest.mark.parametrize("ports", [None, "r", [3]])
def test_what_has_another_shape_is_left_for_the_engine_to_name(ports: Any) -> None:
    assert complete({"ports": ports})["ports"] == ports
