"""Hosts of Linux 6: held to what the kernel itself did, where that costs little, and refused by the fluid engine."""

from typing import Any

import pytest

from simulator import EngineMissingError, NotApplicableError, ScenarioError, check, run
from simulator.papers.cells import assess
from simulator.papers.linux.cases import LinuxCase
from simulator.papers.linux.paper import LINUX


@pytest.fixture(autouse=True)
def engine() -> None:
    try:
        check({})
    except EngineMissingError:
        pytest.skip("the engine is not compiled; `make simulator` compiles it")
    except ScenarioError:
        pass


def _verdicts(case: LinuxCase, parameters: dict[str, Any] | None = None) -> dict[str, str]:
    result = run(case.scenario(1, parameters))
    assert result.imbalances == ()
    told = {}
    for cell in LINUX.cells(case.experiment_name):
        if (cell.configuration, cell.variant) == (case.configuration, case.variant):
            value = LINUX.measure(cell.measure, case, result)
            told[cell.measure] = assess(cell, value, value, value).word
    return told


@pytest.mark.parametrize("configuration", ["reno", "cubic", "htcp-12-mb", "htcp-50-ms", "cubic-50-ms"])
def test_a_flow_alone_does_as_in_the_kernel(configuration: str) -> None:
    verdicts = _verdicts(LinuxCase("alone", configuration))
    assert verdicts == dict.fromkeys(verdicts, "reproduced")


@pytest.mark.parametrize("kept", ["quick_acks_while_window_grows", "growth_counts_segments"])
def test_either_mechanism_doubles_the_window_each_round_trip_and_without_both_the_start_is_missed(kept: str) -> None:
    neither = {"quick_acks_while_window_grows": False, "growth_counts_segments": False}
    words = [_verdicts(LinuxCase("alone", "reno"), keys) for keys in (neither, {**neither, kept: True})]
    assert [verdicts["start_retransmissions"] for verdicts in words] == ["missed", "reproduced"]


# Flights double. With large segments the first is what 65,535 bytes hold (RFC 7323, 2.2), else the initial window of 10
# (RFC 6928), which grows by what it delivers.
@pytest.mark.parametrize(
    ("configuration", "flights"), [("reno", (7, 17, 34, 68, 136)), ("htcp-mtu-1500", (10, 20, 40, 80, 160))]
)
def test_slow_start_doubles_on_a_long_path_where_little_waits_in_the_host(
    configuration: str, flights: tuple[int, ...]
) -> None:
    scenario = LinuxCase("alone", configuration).scenario(1)
    round_trip_s = 0.2
    for link in scenario["links"][:-1]:
        link["delay_us"] = round_trip_s / 2 * 1e6
    scenario |= {"duration_s": (len(flights) + 1) * round_trip_s, "interval_s": round_trip_s}
    result = run(scenario)
    segments = result.of_flow("tcp1", "goodput_bytes") / scenario["tcp"]["segment_data_bytes"]
    assert [round(float(each)) for each in segments] == [0, *flights]


def test_the_fluid_engine_refuses_the_profile_by_name() -> None:
    scenario = LinuxCase("alone", "reno").scenario(1)
    with pytest.raises(
        NotApplicableError, match=r"^tcp\.profile: linux-6: the fluid engine has hosts of Linux 2\.6\.3x only"
    ):
        check(scenario, "fluid")
    del scenario["tcp"]["profile"]
    with pytest.raises(NotApplicableError, match=r"^tcp\.rack: "):
        check(scenario, "fluid")
    scenario["flows"][0]["traffic"]["congestion"] = "cubic"
    with pytest.raises(NotApplicableError, match=r"^flows\[0\]\.traffic\.congestion: .* CUBIC"):
        check(scenario, "fluid")


def test_reductions_of_two_kernels_do_not_mix() -> None:
    scenario = LinuxCase("alone", "reno").scenario(1)
    scenario["tcp"]["rate_halving"] = True
    with pytest.raises(ScenarioError, match=r"^tcp\.rate_halving: .* set it to false"):
        check(scenario)
