"""The folder of a topic: files and offsets are there together, or neither."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.fetch import slot_files as module
from hntes.etl.fetch.consumer import Consumer
from hntes.etl.fetch.errors import FetchError
from hntes.etl.fetch.slot_files import STATE_NAME, SlotFiles
from hntes.settings.fetch import Kafka
from tests.support.fake_topic import FakeTopic, identifiers, stored

NOON_MS = 1_795_176_000_000


class Killed(BaseException):
    """The process ends here."""


class Hooks:
    """Ends the process before or after the n-th call that changes the disk."""

    def __init__(self, patch: pytest.MonkeyPatch, at: int) -> None:
        self._left, self.calls = at, 0
        for owner, name in ((module, "write_bytes"), (module, "sync_file"), (module, "sync_folder"), (Path, "replace")):
            patch.setattr(owner, name, self._ending(getattr(owner, name)))

    def _ending(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def made(*given: Any, **named: Any) -> Any:
            self._tick()
            done = call(*given, **named)
            self._tick()
            return done

        return made

    def _tick(self) -> None:
        self.calls += 1
        self._left -= 1
        if self._left == 0:
            raise Killed


def _consume(folder: Path, topic: FakeTopic) -> None:
    options = Kafka.model_validate({"brokers": ["127.0.0.1:9092"], "topics": {"flows": folder}})
    with SlotFiles(folder, topic.cluster, "flows", topic.incarnation) as files:
        made = Consumer(topic, files, options, 300, lambda: NOON_MS, lambda _: None)
        left = iter(range(3))
        made.run(lambda: next(left, None) is None)


def _topic() -> FakeTopic:
    topic = FakeTopic()
    for number in range(20):
        topic.send(json.dumps({"id": number}).encode(), NOON_MS - (number % 3) * 300_000, number % 2)
    return topic


def test_a_kill_before_or_after_each_change_of_the_disk_neither_loses_nor_doubles_a_row(tmp_path: Path) -> None:
    for kill in count(1):
        folder, topic = tmp_path / str(kill), _topic()
        try:
            with pytest.MonkeyPatch.context() as patch:
                Hooks(patch, kill)
                _consume(folder, topic)
        except Killed:
            _consume(folder, topic)
            assert identifiers(folder) == dict.fromkeys(range(20), 1), kill
            assert not [path for path in folder.iterdir() if path.name.endswith(".tmp")]
        else:
            break
    assert kill > 20


@given(
    kills=st.lists(st.integers(1, 60), max_size=8),
    sent=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=40),
)
def test_any_number_of_kills_neither_loses_nor_doubles_a_row(
    tmp_path_factory: pytest.TempPathFactory, kills: list[int], sent: list[tuple[int, int]]
) -> None:
    folder, topic = tmp_path_factory.mktemp("topic"), FakeTopic()
    for number, (partition, slots_ago) in enumerate(sent):
        if kills and number % 5 == 4:
            try:
                with pytest.MonkeyPatch.context() as patch:
                    Hooks(patch, kills.pop())
                    _consume(folder, topic)
            except Killed:
                pass
        topic.send(json.dumps({"id": number}).encode(), NOON_MS - slots_ago * 300_000, partition)
    _consume(folder, topic)
    assert identifiers(folder) == dict.fromkeys(range(len(sent)), 1)


def test_a_second_consumer_is_refused(tmp_path: Path) -> None:
    with SlotFiles(tmp_path, "c1", "flows", "1"), pytest.raises(FetchError, match="another consumer writes there"):
        SlotFiles(tmp_path, "c1", "flows", "1")
    SlotFiles(tmp_path, "c1", "flows", "1").__exit__()


@pytest.mark.parametrize(("cluster", "topic"), [("c2", "flows"), ("c1", "other")])
def test_a_folder_of_another_topic_or_cluster_is_refused(tmp_path: Path, cluster: str, topic: str) -> None:
    with SlotFiles(tmp_path, "c1", "flows", "1") as files:
        files.commit({0: 1})
    with pytest.raises(FetchError, match="holds topic flows of cluster c1"):
        SlotFiles(tmp_path, cluster, topic, "1")


_OF_ANOTHER_FOLDER = (
    b'{"cluster": "c1", "topic": "flows", "incarnation": "1", "number": 1, "offsets": {}, "pending": [["a", "../b"]]}'
)


@pytest.mark.parametrize("content", [b"", b"{", b'{"cluster": "c1"}', b"\xff", _OF_ANOTHER_FOLDER])
def test_a_damaged_state_is_refused_and_stays(tmp_path: Path, content: bytes) -> None:
    (tmp_path / STATE_NAME).write_bytes(content)
    with pytest.raises(FetchError, match="damaged"):
        SlotFiles(tmp_path, "c1", "flows", "1")
    assert (tmp_path / STATE_NAME).read_bytes() == content


def test_no_file_is_replaced_even_if_the_state_was_lost(tmp_path: Path) -> None:
    for number in range(3):
        with SlotFiles(tmp_path, "c1", "flows", "1") as files:
            files.add(NOON_MS // 1000, b'{"id": %d}' % number)
            files.commit({0: number})
        (tmp_path / STATE_NAME).unlink()
    assert identifiers(tmp_path) == {0: 1, 1: 1, 2: 1}


def test_a_disk_that_is_full_is_an_error_and_what_was_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = _topic()
    with monkeypatch.context() as patch:
        patch.setattr(module, "sync_file", _full)
        with pytest.raises(FetchError, match="cannot be written"):
            _consume(tmp_path, topic)
    assert stored(tmp_path) == {}
    _consume(tmp_path, topic)
    assert identifiers(tmp_path) == dict.fromkeys(range(20), 1)


def _full(_: Path) -> None:
    raise OSError(28, "No space left on device")
