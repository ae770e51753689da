"""The contract of every source of interface counters."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hntes.etl.counters.registry import configured_source, installed_counter_sources
from hntes.etl.counters.source import CounterSourceError, IntervalOctets
from hntes.settings.counters import Counters
from tests.contract.counters.samples import SOURCES, Row, Tried

MIDNIGHT_MS = 1_795_478_400_000
TEN_MS = MIDNIGHT_MS + 36_000_000
ROWS: Sequence[Row] = [
    *((TEN_MS + 60_000 * n, "r1", "1", 1000 * n, 10**12 + 7 * n) for n in range(5)),
    *((TEN_MS + 300_000 * n, "r1", "xe-0/0/2.0", 5, None) for n in range(3)),
    *((TEN_MS + 60_000 * n, "r2", "1", 99 * n, 99 * n) for n in range(5)),
    # an hour without polls, then a restart
    *((TEN_MS + 3_840_000 + 60_000 * n, "r1", "1", 50 * n, 60 * n) for n in range(3)),
    # across midnight
    *((MIDNIGHT_MS + 86_400_000 + 60_000 * n, "r1", "7", 5 + n, 10 + 2 * n) for n in (-2, -1, 0, 1)),
]


@pytest.fixture(params=SOURCES)
def tried(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tried]:
    make: Any = SOURCES[request.param]
    with make(ROWS, tmp_path) as made:
        yield made


def of(found: Sequence[IntervalOctets], interface: str, direction: str) -> list[tuple[int, int, int]]:
    chosen = (each for each in found if (each.interface, each.direction) == (interface, direction))
    return [((one.start_ms - TEN_MS) // 1000, (one.end_ms - TEN_MS) // 1000, one.octets) for one in chosen]


def test_every_installed_source_is_tried_here(tmp_path: Path) -> None:
    names = set()
    for make in SOURCES.values():
        with make(ROWS, tmp_path) as made:  # type: ignore[attr-defined]
            names.add(made.source.name)
    assert set(installed_counter_sources()) == names


def test_octets_are_those_between_polls(tried: Tried) -> None:
    found = tried.source.read("r1", MIDNIGHT_MS, MIDNIGHT_MS + 86_400_000)
    minutes = [(60 * n, 60 * n + 60) for n in range(4)]
    restarted = [(3840, 3900), (3900, 3960)]
    assert of(found, "1", "in") == [(*at, 1000) for at in minutes] + [(*at, 50) for at in restarted]
    assert of(found, "1", "out") == [(*at, 7) for at in minutes] + [(*at, 60) for at in restarted]
    assert of(found, "xe-0/0/2.0", "in") == [(0, 300, 0), (300, 600, 0)]
    assert of(found, "xe-0/0/2.0", "out") == []
    assert {octets for _, _, octets in of(tried.source.read("r2", MIDNIGHT_MS, TEN_MS + 10**6), "1", "in")} == {99}


def test_intervals_are_ordered_and_do_not_overlap(tried: Tried) -> None:
    found = tried.source.read("r1", MIDNIGHT_MS, MIDNIGHT_MS + 2 * 86_400_000)
    assert list(found) == sorted(found)
    for one, other in pairwise(found):
        is_same = (one.interface, one.direction) == (other.interface, other.direction)
        assert one.start_ms < one.end_ms
        assert not is_same or one.end_ms <= other.start_ms


def test_only_the_time_asked_for_is_given(tried: Tried) -> None:
    found = tried.source.read("r1", TEN_MS + 60_000, TEN_MS + 180_000)
    assert of(found, "1", "in") == [(60, 120, 1000), (120, 180, 1000)]
    night = tried.source.read("r1", MIDNIGHT_MS + 86_000_000, MIDNIGHT_MS + 87_000_000)
    assert [(one.direction, one.octets) for one in night] == [("in", 1)] * 3 + [("out", 2)] * 3


def test_an_unknown_router_has_none(tried: Tried) -> None:
    assert list(tried.source.read("r9", MIDNIGHT_MS, MIDNIGHT_MS + 86_400_000)) == []


def test_a_source_that_cannot_be_read_says_so(tried: Tried) -> None:
    with pytest.raises(CounterSourceError, match=r"gone\b|broken\.parquet|127\.0\.0\.1:9"):
        tried.broken.read("r1", MIDNIGHT_MS, MIDNIGHT_MS + 86_400_000)


def test_a_source_that_is_not_installed_is_named_with_those_that_are() -> None:
    with pytest.raises(CounterSourceError, match="'telegraf' is not installed; installed: file, prometheus, snmp"):
        configured_source(Counters(source="telegraf"))
