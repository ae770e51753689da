"""Processor and memory of Junos routers: zero is no load, but a part that says nothing."""

import pytest

from hntes.platforms.junos.load import LOAD
from hntes.platforms.load import LoadUnknownError, Part, RouterLoad, load_of

RE0, RE1, FPC0, PIC = (9, 1, 0, 0), (9, 2, 0, 0), (7, 1, 0, 0), (8, 1, 1, 0)
NAMES = {RE0: "Routing Engine 0", RE1: "Routing Engine 1", FPC0: "FPC 0", PIC: "PIC 0"}


def test_the_highest_of_routing_engines_and_line_cards() -> None:
    answers = {
        "jnxOperatingDescr": NAMES,
        "jnxOperatingCPU": {RE0: "12", RE1: "88", FPC0: "21", PIC: "99"},
        "jnxOperatingBuffer": {RE0: "41", RE1: "0", FPC0: "67", PIC: "99"},
    }
    assert load_of(LOAD, answers) == RouterLoad(Part("Routing Engine 1", 88), Part("FPC 0", 67))


def test_a_router_all_of_whose_parts_say_zero_is_not_an_idle_one() -> None:
    answers = {
        "jnxOperatingDescr": NAMES,
        "jnxOperatingCPU": {RE0: "12"},
        "jnxOperatingBuffer": {RE0: "0", FPC0: "0"},
    }
    with pytest.raises(LoadUnknownError, match="tells of no memory"):
        load_of(LOAD, answers)
