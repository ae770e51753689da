"""Policers of three colours from text to plan, on each platform; what is not simulated is named."""

from collections.abc import Callable
from typing import Any

import pytest

from hntes.gate import NotJudgedError, PlannedPort, planned_ports
from hntes.gate.policing import MOMENTARY_NOTE
from hntes.platforms.parse import parse_config
from hntes.settings.plans import ThreeColorMarker
from hntes.simulator import EarlyDrops, MarkerPlan
from hntes.simulator.testbed.marker_plan import Colour
from tests.support.gate_subjects import replaced, small_model, subject_of

YELLOW, RED = EarlyDrops("yellow", 50, 100), EarlyDrops("red", 0, 100)


def marker_of(**changes: Any) -> ThreeColorMarker:
    return ThreeColorMarker.model_validate({"kind": "three_color_marker"} | changes)


def planned(
    platform: str,
    plan: ThreeColorMarker | None = None,
    edit: Callable[[str], str] = lambda text: text,
    rate_bps: int = 10**10,
) -> PlannedPort:
    subject = subject_of(small_model(platform, plan or marker_of(), rate_bps=rate_bps), edit)
    model = parse_config(subject.platform, subject.text, subject.interfaces, is_whole=True)
    (port,) = planned_ports(model, subject.pairs, alpha_queue=4, port_buffer_ms=100)
    return port


def early(port: PlannedPort) -> dict[Colour, EarlyDrops]:
    (alpha,) = (queue for queue in port.plan.queues if queue.name == "alpha")
    assert not any(queue.early_drops for queue in port.plan.queues if queue is not alpha)
    return {each.colour: each for each in alpha.early_drops}


@pytest.mark.parametrize("platform", ["junos", "iosxe"])
def test_the_default_marker_is_two_rates_and_two_ramps(platform: str) -> None:
    port = planned(platform)
    # a policer a pair on Junos, one for all pairs on Cisco
    assert port.plan.marker == MarkerPlan(1e9, 31_000, 62_000, platform == "junos", 2e9)
    assert port.plan.policer is None
    assert early(port) == {"yellow": YELLOW, "red": RED}
    assert (MOMENTARY_NOTE in port.notes) == (platform == "iosxe")


@pytest.mark.parametrize("platform", ["junos", "iosxe"])
def test_red_packets_that_are_discarded_meet_no_curve(platform: str) -> None:
    port = planned(platform, marker_of(marker="single_rate", red_action="discard"))
    assert port.plan.marker == MarkerPlan(1e9, 31_000, 62_000, platform == "junos", None, "mark", "drop")
    assert early(port) == {"yellow": YELLOW}


def test_rates_and_bursts_are_scaled_with_the_port() -> None:
    assert planned("junos", rate_bps=5 * 10**9).plan.marker == MarkerPlan(2e9, 62_000, 124_000, True, 4e9)


def test_a_filter_specific_marker_meters_all_pairs_together() -> None:
    port = planned("junos", edit=replaced("three-color-policer hntes-marker {\n", MARKER_OF_THE_FILTER))
    assert port.plan.marker == MarkerPlan(1e9, 31_000, 62_000, False, 2e9)


MARKER_OF_THE_FILTER = "three-color-policer hntes-marker {\n            filter-specific;\n"
GREEN_RAMP = "drop-profile-map loss-priority low protocol any drop-profile hntes-occupancy;\n            "


def test_green_packets_have_a_ramp_if_the_text_gives_them_one() -> None:
    edit = replaced(
        "drop-profile-map loss-priority medium-high", GREEN_RAMP + "drop-profile-map loss-priority medium-high"
    )
    found = early(planned("junos", edit=edit))
    assert found == {"green": EarlyDrops("green", 0, 100), "yellow": YELLOW, "red": RED}


def test_a_colour_that_is_passed_on_unmarked_is_dropped_by_a_full_queue_only() -> None:
    port = planned("iosxe", edit=replaced("violate-action set-discard-class-transmit 3", "violate-action transmit"))
    assert port.plan.marker is not None
    assert port.plan.marker.red == "mark"
    assert early(port) == {"yellow": YELLOW}


def test_thresholds_are_shares_of_the_queue() -> None:
    # 10 Gb/s, 100 ms, 55%: 45833 packets of 1500 bytes
    edit = replaced("random-detect discard-class 2 22916 45833 1", "random-detect discard-class 2 9167 32083 1")
    assert early(planned("iosxe", edit=edit))["yellow"] == EarlyDrops("yellow", 20.0, 70.0)


def red_to_best_effort(text: str) -> str:
    """The policer marks the queue in the place of the class: 4 for green packets, 0 for red ones."""
    by_policer = replaced("conform-action transmit", "conform-action set-qos-transmit 4")(text)
    by_policer = replaced("  set qos-group 4\n", "")(by_policer)
    return replaced("violate-action set-discard-class-transmit 3", "violate-action set-qos-transmit 0")(by_policer)


REFUSED: dict[str, tuple[str, ThreeColorMarker, Callable[[str], str], str]] = {
    "averages of unknown weight": (
        "iosxr", marker_of(), lambda text: text, "average of unknown weight",
    ),
    "a slow average": (
        "iosxe", marker_of(), replaced("weighting-constant 1\n", "weighting-constant 9\n"), "of unknown weight",
    ),
    "is colour-aware": (
        "junos", marker_of(), replaced("color-blind", "color-aware"), "hntes-marker is colour-aware",
    ),
    "a colour that moves": (
        "iosxe", marker_of(), red_to_best_effort, "moves packets of a colour to another queue",
    ),
    "green packets that are discarded": (
        "iosxe", marker_of(), replaced("conform-action transmit", "conform-action drop"),
        "changes packets within its rate",
    ),
    "a curve that is bent": (
        "junos", marker_of(), replaced("drop-probability [ 0 0 100 ]", "drop-probability [ 0 20 100 ]"),
        "loss priority medium-high are not simulated",
    ),
    "a curve beyond the queue": (
        "iosxe", marker_of(), replaced("discard-class 2 22916 45833 1", "discard-class 2 22916 60000 1"),
        "loss priority medium-high are not simulated",
    ),
    "a colour without thresholds": (
        "iosxe", marker_of(), replaced("  random-detect discard-class 2 22916 45833 1\n", ""),
        "loss priority medium-high has thresholds that the text does not state",
    ),
    "an excess burst of less than two packets": (
        "junos", marker_of(excess_burst_bytes=3_000), lambda text: text.replace("burst-size 3000", "burst-size 2900"),
        "two packets",
    ),
    "a peak below the committed rate": (
        "junos", marker_of(), replaced("peak-information-rate 2000000000", "peak-information-rate 900000000"),
        "below the committed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_simulator_does_not_have_is_named_and_not_approximated(name: str) -> None:
    platform, plan, edit, told = REFUSED[name]
    with pytest.raises(NotJudgedError, match=told):
        planned(platform, plan, edit)
