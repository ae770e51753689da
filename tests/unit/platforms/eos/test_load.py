"""Memory of EOS routers: what the kernel gives back on demand is not taken."""

import pytest

from hntes.platforms.eos.load import LOAD
from hntes.platforms.load import Answers, LoadUnknownError, Part, load_of

RAM = "1.3.6.1.2.1.25.2.1.2"


def answers(**used: int) -> Answers:
    """Rows of 8,152,456 kB, as a switch of 8 GB has; by name: kB used."""
    names = dict(enumerate(used, 1))
    return {
        "hrProcessorLoad": {(1,): "5", (2,): "40"},
        "hrStorageType": {(row,): RAM for row in names},
        "hrStorageDescr": {(row,): name.replace("_", " ") for row, name in names.items()},
        "hrStorageSize": {(row,): "8152456" for row in names},
        "hrStorageUsed": {(row,): str(used[name]) for row, name in names.items()},
    }


def test_buffers_and_page_cache_are_taken_off() -> None:
    found = load_of(LOAD, answers(**{"RAM": 7_376_060, "RAM (Buffers)": 288_472, "RAM (Cache)": 2_984_372}))
    assert found.cpu == Part("hrProcessorLoad.2", 40)
    assert found.memory == Part("RAM", pytest.approx(100 * 4_103_216 / 8_152_456))


def test_memory_without_rows_of_buffers_counts_as_it_is() -> None:
    assert load_of(LOAD, answers(RAM=8_152_456)).memory == Part("RAM", 100)


def test_a_main_memory_that_is_not_told_is_not_an_empty_one() -> None:
    for lost in ("hrStorageUsed", "hrStorageSize", "hrStorageDescr"):
        with pytest.raises(LoadUnknownError, match="tells of no memory"):
            load_of(LOAD, {**answers(RAM=1), lost: {}})
