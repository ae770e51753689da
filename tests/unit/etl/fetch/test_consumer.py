"""Consuming a topic into files of slots."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hntes.etl.fetch import consumer as module
from hntes.etl.fetch.consumer import Consumer
from hntes.etl.fetch.errors import FetchError
from hntes.etl.fetch.slot_files import SlotFiles
from hntes.settings.fetch import Kafka
from tests.support.fake_topic import FakeTopic, identifiers, stored

# 2026-11-20 12:00 UTC, the begin of a slot
NOON_MS = 1_795_176_000_000
SLOT_S = 300


class Site:
    """One folder, a topic, a clock that stands, and what was said."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.topic, self.now_ms = folder, FakeTopic(), NOON_MS
        self.said: list[str] = []
        self.options = Kafka.model_validate({"brokers": ["127.0.0.1:9092"], "topics": {"flows": folder}})

    def consume(self, steps: int = 5, then: Callable[[], None] = lambda: None) -> None:
        """One process that takes some steps and is stopped."""
        with SlotFiles(self.folder, self.topic.cluster, "flows", self.topic.incarnation) as files:
            made = Consumer(
                self.topic, files, self.options, SLOT_S, lambda: self.now_ms, self.said.append, lambda _: None
            )
            then()
            left = iter(range(steps))
            made.run(lambda: next(left, None) is None)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "flows")


def row(number: int) -> bytes:
    return json.dumps({"id": number}).encode()


def test_a_message_is_in_the_file_of_its_slot_and_nothing_is_read_twice(site: Site) -> None:
    site.topic.send(row(1), NOON_MS - 2 * 300_000)
    site.topic.send(row(2), NOON_MS - 1 * 300_000 + 299_999, partition=1)
    site.consume()
    site.topic.send(row(3), NOON_MS)
    site.consume()
    site.consume()
    assert stored(site.folder) == {
        "flows.000002.20261120T115000Z.json.zst": ['{"id": 1}'],
        # sent within the last minute: of the present slot
        "flows.000002.20261120T120000Z.json.zst": ['{"id": 2}'],
        "flows.000003.20261120T120000Z.json.zst": ['{"id": 3}'],
    }


def test_the_time_of_a_message_without_one_or_of_the_future_is_that_of_its_arrival(site: Site) -> None:
    for time_ms in (None, -1, NOON_MS + 10**9):
        site.topic.send(row(1), time_ms)
    site.consume()
    assert list(stored(site.folder)) == ["flows.000002.20261120T120000Z.json.zst"]


def test_files_come_at_the_end_of_a_slot(site: Site) -> None:
    site.topic.send(row(1), NOON_MS)
    seen: list[int] = []

    def look(now_ms: int) -> Callable[[], int]:
        def clock() -> int:
            seen.append(len(stored(site.folder)))
            return now_ms

        return clock

    with SlotFiles(site.folder, "c1", "flows", "1") as files:
        made = Consumer(site.topic, files, site.options, SLOT_S, look(NOON_MS), site.said.append)
        made.step()
        assert set(seen) == {0}
        made.clock = look(NOON_MS + 299_999)
        made.step()
        assert not stored(site.folder)
        made.clock = look(NOON_MS + 300_000)
        made.step()
        assert len(stored(site.folder)) == 1


def test_lines_of_one_message_are_rows_and_what_is_no_object_counts_as_malformed(site: Site) -> None:
    for value in (
        b'{"id": 1}\n{"id": 2}\n',
        b"",
        None,
        b"\xff\x00protobuf",
        b"[1]",
        b'{"a": "' + b"x" * 70_000 + b'"}',
    ):
        site.topic.send(value, NOON_MS)
    site.consume()
    (lines,) = stored(site.folder).values()
    assert [json.loads(line) for line in lines[:2]] == [{"id": 1}, {"id": 2}]
    texts = [json.loads(line) for line in lines[2:]]
    assert [text.partition(": ")[0] for text in texts] == [f"partition 0, offset {n}" for n in (3, 4, 5)]
    assert "\\xff" in texts[0]
    assert max(map(len, lines)) < 400
    assert site.said == ["5 rows in 1 file, 3 malformed; 0 messages behind"]


def test_malformed_rows_come_last_so_that_the_source_of_the_file_is_known(site: Site) -> None:
    for number in range(30):
        site.topic.send(b"no JSON", NOON_MS)
        site.topic.send(row(number), NOON_MS)
    site.consume()
    (lines,) = stored(site.folder).values()
    assert [line[0] for line in lines] == ["{"] * 30 + ['"'] * 30


def test_a_new_topic_is_begun_where_the_settings_say(site: Site) -> None:
    site.topic.send(row(1), NOON_MS)
    site.options = site.options.model_copy(update={"start": "latest"})
    site.consume(then=lambda: site.topic.send(row(2), NOON_MS))
    assert identifiers(site.folder) == {2: 1}
    # and what comes while no consumer runs is not passed over by the next one
    site.topic.send(row(3), NOON_MS)
    site.consume()
    assert identifiers(site.folder) == {2: 1, 3: 1}


def test_with_latest_nothing_is_lost_if_the_first_consumer_is_killed_before_its_first_file(site: Site) -> None:
    site.options = site.options.model_copy(update={"start": "latest"})
    with SlotFiles(site.folder, "c1", "flows", "1") as files:
        Consumer(site.topic, files, site.options, SLOT_S, lambda: site.now_ms, site.said.append)
    site.topic.send(row(1), NOON_MS)
    site.consume()
    assert identifiers(site.folder) == {1: 1}


def test_a_new_partition_is_read_from_its_first_message(site: Site) -> None:
    site.options = site.options.model_copy(update={"start": "latest"})
    site.topic.send(row(1), NOON_MS)

    def grow() -> None:
        site.topic.send(row(2), NOON_MS, partition=7)
        site.now_ms += 300_000  # the slot ends

    site.consume(then=grow)
    assert identifiers(site.folder) == {2: 1}


def test_messages_that_the_topic_no_longer_has_are_told(site: Site) -> None:
    for number in range(10):
        site.topic.send(row(number), NOON_MS)
    site.consume()
    for number in range(10, 30):
        site.topic.send(row(number), NOON_MS)
    site.topic.low[0] = 25
    site.consume()
    assert identifiers(site.folder) == dict.fromkeys([*range(10), *range(25, 30)], 1)
    assert "partition 0: 15 messages lost: deleted in the topic before they were read" in site.said


def test_messages_that_are_deleted_while_it_reads_are_told(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 4)
    for number in range(10):
        site.topic.send(row(number), NOON_MS)
    with SlotFiles(site.folder, "c1", "flows", "1") as files:
        made = Consumer(site.topic, files, site.options, SLOT_S, lambda: NOON_MS, site.said.append)
        made.step()
        site.topic.low[0] = 8
        made.run(lambda: identifiers(site.folder).total() == 6 or not site.topic.behind(made._offsets))
    assert identifiers(site.folder) == dict.fromkeys([0, 1, 2, 3, 8, 9], 1)
    assert "partition 0: 4 messages lost: deleted in the topic before they were read" in site.said


def test_a_topic_that_was_made_anew_is_read_from_its_beginning(site: Site) -> None:
    for number in range(10):
        site.topic.send(row(number), NOON_MS)
    site.consume()
    site.topic = FakeTopic("2")
    for number in range(10, 25):
        site.topic.send(row(number), NOON_MS, number % 2)
    site.options = site.options.model_copy(update={"start": "latest"})
    site.consume()
    site.consume()
    assert identifiers(site.folder) == dict.fromkeys(range(25), 1)
    assert site.said.count("the topic was made anew: it is read from its beginning") == 1


def test_a_topic_that_ends_before_what_was_read_is_neither_read_twice_nor_passed_over(site: Site) -> None:
    for number in range(10):
        site.topic.send(row(number), NOON_MS)
    site.consume()
    back, site.topic.sent[0] = site.topic.sent[0], site.topic.sent[0][:4]
    with pytest.raises(FetchError, match="partition 0 ends at 4, but was read up to 10"):
        site.consume()
    site.topic.sent[0] = back
    site.topic.send(row(10), NOON_MS)
    site.consume()
    assert identifiers(site.folder) == dict.fromkeys(range(11), 1)


def test_a_full_folder_has_the_topic_wait(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.topic.send(row(1), NOON_MS)
    monkeypatch.setattr(SlotFiles, "stored_bytes", lambda _: 100 << 30)
    site.consume()
    site.consume()
    assert identifiers(site.folder) == {}
    assert site.said == [f"{site.folder} has 100 GiB: waiting until files are deleted there"] * 2
    monkeypatch.setattr(SlotFiles, "stored_bytes", lambda _: (100 << 30) - 1)
    site.consume()
    assert identifiers(site.folder) == {1: 1}


def test_what_waits_in_memory_or_is_open_is_bounded(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 1)
    most: list[tuple[int, int]] = []
    add = SlotFiles.add

    def watched(files: SlotFiles, slot_s: int, line: bytes, is_odd: bool = False) -> None:
        add(files, slot_s, line, is_odd)
        most.append((files.slots, files.bytes))

    monkeypatch.setattr(SlotFiles, "add", watched)
    monkeypatch.setattr(module, "_MOST_BYTES", 1000)
    for number in range(200):
        site.topic.send(row(number), NOON_MS - number * 300_000)
    for _ in range(50):
        site.topic.send(b"x" * 60, NOON_MS)
    site.consume(steps=300)
    assert max(slots for slots, _ in most) <= module._MOST_SLOTS
    assert max(waiting for _, waiting in most) < 1000 + 400
    assert identifiers(site.folder) == dict.fromkeys(range(200), 1)


def test_a_cluster_that_does_not_answer_between_two_slots_is_waited_for(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent() -> frozenset[int]:
        raise FetchError("kafka: no answer")

    site.topic.send(row(1), NOON_MS)

    def end_of_slot() -> None:
        site.now_ms += 300_000
        monkeypatch.setattr(site.topic, "partitions", silent)

    site.consume(then=end_of_slot)
    assert identifiers(site.folder) == {1: 1}
    assert "kafka: no answer" in site.said
