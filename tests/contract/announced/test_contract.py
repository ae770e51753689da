"""The contract of every source of announcements."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.announced.document import Fields, message_of
from hntes.etl.announced.endpoints import Endpoints, read_endpoints
from hntes.etl.announced.experiments import MAX_ACTIVITY, MAX_EXPERIMENT, Experiments
from hntes.etl.announced.registry import installed_sources
from hntes.etl.announced.source import AnnouncedSource, Announcement, MalformedError, Names
from tests.contract.announced.samples import END_MS, ENDPOINTS, SAMPLES, START_MS, Sample

SOURCES = installed_sources()
NO_ENDPOINTS = Names(Experiments(), Endpoints(), 8)


@pytest.fixture(params=SOURCES)
def tried(request: pytest.FixtureRequest) -> tuple[AnnouncedSource, Sample]:
    return SOURCES[request.param], SAMPLES[request.param]


@pytest.fixture(scope="session")
def names(tmp_path_factory: pytest.TempPathFactory) -> Names:
    path = tmp_path_factory.mktemp("names") / "endpoints"
    path.write_text(ENDPOINTS)
    return Names(Experiments(), read_endpoints(path), 8)


def read(source: AnnouncedSource, message: object, names: Names) -> list[Announcement]:
    return list(source.announcements(message_of(json.dumps(message).encode()), names))


def test_a_source_has_the_name_of_its_entry_point() -> None:
    assert SOURCES.keys() == SAMPLES.keys()
    assert all(name == source.name for name, source in SOURCES.items())


def test_a_message_says_who_sent_to_whom_when_and_for_whom(tried: tuple[AnnouncedSource, Sample], names: Names) -> None:
    source, sample = tried
    (found,) = read(source, sample.message, names)
    assert [str(one) for one in found.sources] == [sample.source]
    assert [str(one) for one in found.destinations] == [sample.destination]
    assert (found.start_ms, found.end_ms) == (START_MS, END_MS)
    assert (found.experiment, found.sent_bytes, found.both_ways) == (
        sample.experiment, sample.sent_bytes, sample.both_ways,
    )  # fmt: skip


def test_a_message_says_the_same_each_time_and_without_known_endpoints_still_something(
    tried: tuple[AnnouncedSource, Sample], names: Names
) -> None:
    source, sample = tried
    assert read(source, sample.message, names) == read(source, sample.message, names)
    (found,) = read(source, sample.message, NO_ENDPOINTS)
    assert found.key == read(source, sample.message, names)[0].key


def test_other_messages_announce_nothing(tried: tuple[AnnouncedSource, Sample], names: Names) -> None:
    source, sample = tried
    assert [read(source, other, names) for other in sample.others] == [[] for _ in sample.others]


def test_what_is_out_of_range_is_malformed(tried: tuple[AnnouncedSource, Sample], names: Names) -> None:
    source, sample = tried
    for path, value in sample.broken:
        message = changed(sample.message, path, value)
        assert is_malformed(source, message, names), f"{source.name}: {path} = {str(value)[:40]} was taken"


def is_malformed(source: AnnouncedSource, message: object, names: Names) -> bool:
    try:
        read(source, message, names)
    except MalformedError:
        return True
    return False


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("name", SOURCES)
@given(data=st.data())
def test_any_change_of_any_field_is_taken_within_ranges_or_malformed(name: str, data: st.DataObject) -> None:
    """No other error, and nothing beyond what may be shown and stored."""
    source, sample = SOURCES[name], SAMPLES[name]
    path = data.draw(st.sampled_from(list(paths(sample.message))))
    message = changed(sample.message, path, data.draw(JSON))
    try:
        found = list(source.announcements(Fields(message), NO_ENDPOINTS))
    except MalformedError:
        return
    for one in found:
        assert 0 <= one.experiment <= MAX_EXPERIMENT
        assert 0 <= one.activity <= MAX_ACTIVITY
        assert all(size is None or 0 <= size < 2**63 for size in (one.sent_bytes, one.received_bytes))
        assert one.reference.isascii()
        assert not set(one.reference) & set("<>&\"' \n\\")


def paths(content: Any, before: tuple[str | int, ...] = ()) -> Any:
    """The paths of all values below."""
    entries = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for name, value in entries:
        yield (*before, name)
        yield from paths(value, (*before, name))


def changed(message: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    found = copy.deepcopy(message)
    place: Any = found
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return found
