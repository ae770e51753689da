"""Processor and memory of SR OS routers: an idle processor says zero, and both halves of the memory are needed."""

import pytest

from hntes.platforms.load import Answers, LoadUnknownError, Part, RouterLoad, load_of
from hntes.platforms.sros.load import LOAD

ANSWERS: Answers = {
    "sgiCpuUsage": {(0,): "0"},
    "sgiKbMemoryUsed": {(0,): "3000000"},
    "sgiKbMemoryAvailable": {(0,): "5000000"},
}


def test_memory_in_pools_counts_against_what_is_left_for_them() -> None:
    assert load_of(LOAD, ANSWERS) == RouterLoad(Part("sgiCpuUsage.0", 0), Part("sgiKbMemoryUsed.0", 37.5))


def test_what_is_in_use_says_nothing_without_what_is_left() -> None:
    with pytest.raises(LoadUnknownError, match="tells of no memory"):
        load_of(LOAD, {**ANSWERS, "sgiKbMemoryAvailable": {}})
