"""A folder of announcements is read as far as its bounds."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pytest

from hntes.etl.announced import folder as bounds
from hntes.etl.announced.document import Fields
from hntes.etl.announced.endpoints import Endpoints
from hntes.etl.announced.experiments import Experiments
from hntes.etl.announced.folder import Counts, Limits, read_source
from hntes.etl.announced.source import AnnouncedError, Announcement, Names

DAY = date(2026, 11, 20)
NAMES = Names(Experiments({}, {}), Endpoints({}))


@dataclass
class Heard:
    """A source that keeps what each of its messages says, and takes none for a transfer."""

    name: str = "heard"
    said: list[int] = field(default_factory=list)

    def announcements(self, fields: Fields, _: Names) -> Iterator[Announcement]:
        self.said.append(fields.whole(0, 10**9, "number"))
        return iter(())


@pytest.fixture
def day(tmp_path: Path) -> Path:
    made = tmp_path / "heard" / DAY.isoformat()
    made.mkdir(parents=True)
    return made


def read(day: Path, read_bytes: int = 10**9) -> tuple[list[int], Counts]:
    heard = Heard()
    found = read_source(day.parents[1], heard, NAMES, DAY, Limits(read_bytes, 100), lambda _: False)
    return heard.said, found.counts


def test_more_files_than_the_bound_are_refused_by_their_folder(day: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bounds._MAX_FILES == 10_000
    monkeypatch.setattr(bounds, "_MAX_FILES", 3)
    for number in range(3):
        (day / f"{number}.jsonl").write_text(json.dumps({"number": number}))
    assert read(day)[0] == [0, 1, 2]
    (day / "3.jsonl").touch()
    with pytest.raises(AnnouncedError, match=rf"{day}: has 4 files, more than 3; join some of them"):
        read(day)


def test_a_document_beyond_the_bound_is_counted_and_costs_no_other(day: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bounds._MAX_DOCUMENT_BYTES == 64 * 2**20
    monkeypatch.setattr(bounds, "_MAX_DOCUMENT_BYTES", 4096)
    (day / "a.json").write_text(json.dumps([{"number": 1, "filling": "x" * 4096}]))
    (day / "b.json").write_text(json.dumps([{"number": 2}]))
    said, counts = read(day)
    assert said == [2]
    assert (counts.files, counts.messages, counts.malformed) == (2, 2, 1)


def test_what_is_beyond_the_bytes_of_a_day_is_counted_unread(day: Path) -> None:
    lines = [json.dumps({"number": number}) + "\n" for number in range(10)]
    (day / "a.jsonl").write_text("".join(lines))
    said, counts = read(day, read_bytes=len("".join(lines[:4])))
    assert said == [0, 1, 2, 3]
    assert counts.unread_bytes == len("".join(lines[4:]))
