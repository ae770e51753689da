"""Hosts of Linux 6: held to what the kernel itself did, where that costs little, and refused by the fluid engine."""

from statistics import median
from typing import Any

import numpy as np
import pytest

from hntes.papers.cells import assess
from hntes.papers.linux.cases import LinuxCase
from hntes.papers.linux.paper import LINUX
from hntes.simulator import ScenarioError
from hntes.simulator import run as run_scenario
from tests.support.scenarios import check, document_of, run


def _verdicts(case: LinuxCase, parameters: dict[str, Any] | None = None, seeds: int = 1) -> dict[str, str]:
    results = [run_scenario(case.scenario(seed, parameters)) for seed in range(1, seeds + 1)]
    assert all(result.imbalances == () for result in results)
    told = {}
    for cell in LINUX.cells(case.experiment_name):
        if (cell.configuration, cell.variant) == (case.configuration, case.variant):
            values = [LINUX.measure(cell.measure, case, result) for result in results]
            told[cell.measure] = assess(cell, median(values), min(values), max(values)).word
    return told


@pytest.mark.parametrize("configuration", ["reno", "cubic", "htcp-12-mb", "htcp-50-ms"])
def test_a_flow_alone_does_as_in_the_kernel(configuration: str) -> None:
    verdicts = _verdicts(LinuxCase("alone", configuration))
    assert verdicts == dict.fromkeys(verdicts, "reproduced")


@pytest.mark.parametrize(
    ("experiment", "configuration"),
    [
        ("bbr", "alone-20-ms-queue-20-ms"),
        ("bbr", "join-80-ms-queue-55-ms"),
        ("streams", "cubic-4-20-ms"),
        ("streams", "cubic-4-80-ms"),
        ("bbr3", "alone-80-ms-queue-20-ms"),
        ("bbr3", "join-20-ms-queue-20-ms"),
    ],
)
def test_bbr_and_parallel_streams_do_as_in_the_kernel(experiment: str, configuration: str) -> None:
    verdicts = _verdicts(LinuxCase(experiment, configuration), seeds=1 if configuration.startswith("cubic") else 3)
    assert verdicts == dict.fromkeys(verdicts, "reproduced")


@pytest.mark.parametrize("configuration", ["shared-htcp-2500-mbps", "scavenger-htcp-mtu-1500", "htcp-6-mb"])
def test_processes_sleep_and_token_buckets_choose_as_in_the_kernel(configuration: str) -> None:
    verdicts = _verdicts(LinuxCase("further", configuration))
    assert set(verdicts.values()) <= {"reproduced", "reported"}


def test_exact_datagrams_find_the_queue_full_that_the_kernels_do_not() -> None:
    case = LinuxCase("further", "shared-htcp-2500-mbps")
    lost = []
    for slack_us in (50, 0):
        scenario = document_of(case.scenario(1))
        scenario["flows"][1]["traffic"]["wakeup_slack_us"] = slack_us
        lost.append(sum(run(scenario).flows["udp"].dropped_pkts.values()))
    # The kernel: 3 of 45,776.
    assert lost[0] <= 5
    assert lost[1] > 100


def test_a_queue_of_ten_ms_is_left_in_one_of_two_ways_by_single_segments() -> None:
    """A buffer a packet larger decides whether the first recovery ends in another one, as in the kernel."""
    found = []
    for packets in (0, 1, 9, 10):
        scenario = document_of(LinuxCase("alone", "cubic-50-ms").scenario(1))
        scenario["ports"][0]["buffer_bytes"] += packets * 9_038
        found.append(run(scenario).flows["tcp1"].goodput_bytes * 8 / 15e9)
    again = [goodput for goodput in found if goodput < 0.8]
    once = [goodput for goodput in found if goodput >= 0.8]
    # The kernel: 0.716 Gb/s.
    assert again == pytest.approx([0.716] * len(again), rel=0.01)
    assert once == pytest.approx([0.948] * len(once), rel=0.01)
    assert again
    assert once


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
    scenario = document_of(LinuxCase("alone", configuration).scenario(1))
    round_trip_s = 0.2
    _delay(scenario, "ds1", round_trip_s * 1e6)
    scenario |= {"duration_s": (len(flights) + 1) * round_trip_s, "interval_s": round_trip_s}
    result = run(scenario)
    segments = result.of_flow("tcp1", "goodput_bytes") / scenario["tcp"]["segment_data_bytes"]
    assert [round(float(each)) for each in segments] == [0, *flights]


def _delay(scenario: dict[str, Any], name: str, round_trip_us: float) -> None:
    host = next(host for host in scenario["hosts"] if host["name"] == name)
    host["delay_emulator"]["delay_us"] = round_trip_us


def _unlike_flows(packets_more: int) -> tuple[float, float]:
    """H-TCP at 2 ms, at 50 ms from 4 s on, segment by segment over a link: the first's Gb/s, when it loses again."""
    scenario = document_of(LinuxCase("two", "similar-rtt-1-gbps").scenario(1))
    _delay(scenario, "ds2", 50_000.0)
    scenario["ports"][0]["buffer_bytes"] += packets_more * 9_038
    del scenario["ports"][0]["token_bucket_bytes"]
    for host in scenario["hosts"]:
        host["segmentation_offload"] = False
    result = run(scenario)
    losses_s = np.flatnonzero(result.of_flow("tcp1", "retransmitted_pkts")) * result.interval_s
    return result.flows["tcp1"].goodput_bytes * 8 / 20e9, float(losses_s[losses_s > 8][0])


@pytest.mark.slow
def test_two_unlike_flows_share_in_one_of_two_ways_by_a_single_overflow() -> None:
    """A packet more or less of buffer decides whether a second recovery follows the first one at 5 s."""
    found = [_unlike_flows(packets) for packets in (0, 1, 5, 6)]
    again = [goodput for goodput, lost_s in found if lost_s > 10.2]
    once = [goodput for goodput, lost_s in found if lost_s <= 10.2]
    # The kernel: 0.475 Gb/s, and a loss at 10.4 s.
    assert again == pytest.approx([0.475] * len(again), rel=0.01)
    assert once == pytest.approx([0.533] * len(once), rel=0.01)
    assert again
    assert once


def test_reductions_of_two_kernels_do_not_mix() -> None:
    scenario = document_of(LinuxCase("alone", "reno").scenario(1))
    scenario["tcp"]["rate_halving"] = True
    with pytest.raises(ScenarioError, match=r"^tcp\.rate_halving: .* set it to false"):
        check(scenario)
