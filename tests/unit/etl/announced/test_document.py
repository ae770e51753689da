"""JSON from anybody: its size, depth, numbers and text have bounds."""

import json
from pathlib import Path

import pytest

from hntes.etl.announced.document import MAX_MESSAGE_BYTES, message_of, objects_of
from hntes.etl.announced.endpoints import read_endpoints
from hntes.etl.announced.experiments import Experiments, read_experiments
from hntes.etl.announced.source import AnnouncedError, MalformedError


@pytest.mark.parametrize("line", [
    b'{"a": 1}', b'<134>1 2026-11-24T10:00:00Z h flowd - firefly-json - {"a": 1}\n',
    b'<134>1  h flowd-go - firefly-json - {"a": 1}', b'Nov 24 10:00:00 h flowd: {"a":1}', b'{"a": "1"}',
    b'{"a": 1, "b": "' + b"[" * 5000 + b'"}', b'{"a": 1, "b": "\\"' + b"{" * 50 + b'"}',
])  # fmt: skip
def test_a_message_may_have_a_header_and_brackets_in_texts(line: bytes) -> None:
    assert message_of(line).count("a") == 1


@pytest.mark.parametrize("line", [
    b"", b"text", b"[1]", b'"{}"', b'{"a": NaN}', b'{"a": -Infinity}', b'{"a": 1', b'{"a": 1}{"a": 2}',
    b'{"a": "\xff"}', b"{" + b'"a":{' * 16 + b"}" * 17, b'{"a": ' + b"[" * 100_00 + b"]" * 100_00 + b"}",
    b" " * 1100 + b'{"a": 1}', b'{"a": "' + b"x" * MAX_MESSAGE_BYTES + b'"}',
])  # fmt: skip
def test_anything_else_is_malformed(line: bytes) -> None:
    with pytest.raises(MalformedError):
        message_of(line)


def test_numbers_of_many_digits_cost_nothing_and_are_out_of_range() -> None:
    found = message_of(b'{"a": ' + b"9" * 60_000 + b"}")
    with pytest.raises(MalformedError, match="a must be a whole number from 0 to"):
        found.count("a")


def test_times_are_utc_without_an_offset_and_within_a_century() -> None:
    found = message_of(
        b'{"a": "2026-11-24 10:00:00.5", "b": "2026-11-24T11:00:00.500+01:00", "c": 1795514400500, "d": ""}'
    )
    assert found.moment_ms("a") == found.moment_ms("b") == found.moment_ms("c") == 1_795_514_400_500
    assert found.moment_ms("d") is None
    assert found.moment_ms("e") is None


def test_a_file_is_one_document_or_a_list() -> None:
    assert [one.count("a") for one in objects_of(b'[{"a": 1}, {"a": 2}]', 100)] == [1, 2]
    assert [one.count("a") for one in objects_of(b'{"a": 1}', 100)] == [1]
    with pytest.raises(MalformedError, match="bytes, more than"):
        objects_of(b" " * 3 + b'{"a": 1}', 5)


def test_the_registry_names_experiments_and_activities(tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    activities = [{"activityName": "T0 Export", "activityId": 20}]
    path.write_text(json.dumps({"experiments": [{"expName": "atlas", "expId": 2, "activities": activities}]}))
    found = read_experiments(path)
    assert (found.name(2), found.activity_name(2, 20), found.number("ATLAS")) == ("atlas", "T0 Export", 2)
    assert (found.name(3), found.activity_name(2, 21), found.number("cms")) == ("experiment 3", "activity 21", 0)
    assert (found.activity_number(2, "t0 export"), found.activity_number(3, "T0 Export")) == (20, 0)
    assert Experiments().name(14) == "xenon"  # https://scitags.org/api.json, expId 14
    for text in (
        "[]",
        '{"experiments": [{"expName": "a\\u001b[2J", "expId": 1}]}',
        '{"experiments": [{"expId": 512}]}',
        "x",
    ):
        path.write_text(text)
        with pytest.raises(AnnouncedError, match=r"api\.json: is no registry of SciTags"):
            read_experiments(path)


def test_endpoints_are_lines_of_prefix_and_names(tmp_path: Path) -> None:
    path = tmp_path / "endpoints"
    path.write_text("# ours\n198.51.100.0/24 A.example.org b.example.org  # two\n2001:db8::/64 a.example.org.\n\n")
    found = read_endpoints(path)
    assert [str(one) for one in found.prefixes("a.EXAMPLE.org")] == ["198.51.100.0/24", "2001:db8::/64"]
    assert [str(one) for one in found.prefixes("[2001:db8::7]")] == ["2001:db8::7/128"]
    assert [str(one) for one in found.prefixes("::ffff:192.0.2.1")] == ["192.0.2.1/32"]
    assert found.prefixes("c.example.org") == found.prefixes("") == ()
    for line in ("198.51.100.1/24 a", "a 198.51.100.0/24", "198.51.100.0/24"):
        path.write_text(f"\n{line}\n")
        with pytest.raises(AnnouncedError, match=r"endpoints line 2: .*write PREFIX NAME"):
            read_endpoints(path)
    with pytest.raises(AnnouncedError, match="no file of at most"):
        read_endpoints(tmp_path / "gone")
