"""What a scenario file leaves out is the testbed's, whatever part it chooses."""

from pathlib import Path
from typing import Any

import pytest

from hntes.simulator.engine import ScenarioError
from hntes.simulator.testbed.experiments import load_parameters
from hntes.simulator.testbed.scenario_file import complete, read_scenario

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


def test_a_profile_gives_what_the_file_does_not() -> None:
    tcp = complete({"tcp": {"profile": "linux-6", "initial_window_pkts": 4}})["tcp"]
    assert tcp == {**load_parameters("linux-6")["tcp"], "initial_window_pkts": 4}


@pytest.mark.parametrize("given", [{}, {"tcp": {}}, {"tcp": {"profile": "linux-2.6.33"}}])
def test_without_one_or_by_its_name_the_testbed_gives_them(given: dict[str, Any]) -> None:
    found, testbed = complete(given)["tcp"], load_parameters()["tcp"]
    assert {name: found[name] for name in testbed} == testbed


@pytest.mark.parametrize("profile", ["linux-5", 6, None])
def test_a_profile_that_there_is_not_is_refused_with_its_file(profile: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f"[tcp]\nprofile = {profile!r}\n" if profile else "tcp = { profile = [] }\n")
    with pytest.raises(
        ScenarioError, match=r"mine\.toml: tcp\.profile: there is no .*; there are: linux-2\.6\.33, linux-6"
    ):
        read_scenario(file)
