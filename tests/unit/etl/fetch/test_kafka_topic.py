"""The client of Kafka: its configuration, and that no message is taken but by `take`."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hntes.etl.fetch import kafka_topic as module
from hntes.etl.fetch.errors import FetchError, OffsetGoneError
from hntes.etl.fetch.kafka_topic import KafkaTopic, configuration
from hntes.etl.fetch.topic import Message
from hntes.settings.fetch import Kafka


class Problem:
    def __init__(self, code: int, words: str) -> None:
        self._code, self._words = code, words

    def code(self) -> int:
        return self._code

    def str(self) -> str:
        return self._words

    def fatal(self) -> bool:
        return False


class Library:
    """confluent_kafka with one partition of five messages; `down`: its broker answers nothing but what was fetched."""

    TIMESTAMP_NOT_AVAILABLE = 0
    TopicCollection = list

    class KafkaException(Exception):  # noqa: N818 - the library's names
        pass

    class KafkaError:
        _AUTO_OFFSET_RESET, OFFSET_OUT_OF_RANGE, _ALL_BROKERS_DOWN, _TRANSPORT = -140, 1, -187, -195

    class TopicPartition:
        def __init__(self, topic: str, partition: int, offset: int = 0) -> None:
            self.topic, self.partition, self.offset = topic, partition, offset

    def __init__(self) -> None:
        self.down = False
        self.waiting: list[Any] = [self.message(offset) for offset in range(5)]

    def message(self, offset: int, problem: Problem | None = None) -> Any:
        return SimpleNamespace(
            error=lambda: problem, partition=lambda: 0, offset=lambda: offset, timestamp=lambda: (1, 5),
            value=lambda: b"{}",
        )  # fmt: skip

    def Consumer(self, wanted: dict[str, Any]) -> "Library":  # noqa: N802
        self.note = wanted["error_cb"]
        return self

    def AdminClient(self, wanted: dict[str, Any]) -> "Library":  # noqa: N802
        assert "error_cb" in wanted
        return self

    def describe_topics(self, names: list[str], request_timeout: float) -> Any:  # noqa: ARG002 - the library's
        return {name: SimpleNamespace(result=lambda _: SimpleNamespace(topic_id="id")) for name in names}

    def list_topics(self, name: str, timeout: float) -> Any:  # noqa: ARG002 - the library's
        if self.down:
            raise self.KafkaException(Problem(self.KafkaError._TRANSPORT, "transport failure"))
        topic = SimpleNamespace(error=None, partitions={0: None})
        return SimpleNamespace(cluster_id="c1", topics={name: topic})

    def get_watermark_offsets(self, where: Any, timeout: float = 0, cached: bool = False) -> tuple[int, int]:  # noqa: ARG002
        return 0, 5

    def assign(self, partitions: list[Any]) -> None:
        self.assigned = [(one.partition, one.offset) for one in partitions]

    def consume(self, most: int, wait_s: float) -> list[Any]:  # noqa: ARG002 - it waits for nothing
        taken, self.waiting = self.waiting[:most], self.waiting[most:]
        return taken

    def poll(self, wait_s: float) -> Any:
        return next(iter(self.consume(1, wait_s)), None)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    made = Library()
    monkeypatch.setattr(module, "import_module", lambda _: made)
    return made


def _options(**more: Any) -> Kafka:
    return Kafka.model_validate({"brokers": ["127.0.0.1:9092"], "topics": {"flows": Path("flows")}} | more)


def test_a_cluster_that_does_not_answer_costs_no_message(library: Library) -> None:
    topic = KafkaTopic(_options(), "flows", lambda _: None)
    topic.read_from({0: 0})
    assert library.assigned == [(0, 0)]
    library.down = True
    with pytest.raises(FetchError, match="no answer: transport failure"):
        topic.partitions()
    assert topic.take(10, 0) == [Message(0, offset, 5, b"{}") for offset in range(5)]


def test_errors_between_messages_are_said_once_and_an_offset_that_is_gone_ends_the_reading(library: Library) -> None:
    said: list[str] = []
    topic = KafkaTopic(_options(), "flows", said.append)
    broken = Problem(Library.KafkaError._TRANSPORT, "broken after 1 ms")
    library.waiting[1:1] = [library.message(0, broken), library.message(0, broken)]
    assert [one.offset for one in topic.take(10, 0)] == [0, 1, 2, 3, 4]
    assert said == ["kafka: broken after 1 ms", "kafka: messages come again"]
    library.waiting = [library.message(0, Problem(Library.KafkaError._AUTO_OFFSET_RESET, "out of range"))]
    with pytest.raises(OffsetGoneError, match="out of range"):
        topic.take(10, 0)


def test_nothing_is_committed_and_a_lost_offset_is_an_error() -> None:
    made = configuration(_options(), {})
    assert (made["enable.auto.commit"], made["auto.offset.reset"]) == (False, "error")
    assert not [name for name in made if name.startswith(("sasl", "ssl"))]


def test_secrets_come_from_the_environment() -> None:
    secure = _options(security="sasl_ssl", user="hntes", ca_file="ca.pem", certificate_file="a.pem", key_file="a.key")
    with pytest.raises(FetchError, match="HNTES_KAFKA_PASSWORD is not set"):
        configuration(secure, {})
    made = configuration(secure, {"HNTES_KAFKA_PASSWORD": "one", "HNTES_KAFKA_KEY_PASSWORD": "two"})
    assert (made["sasl.password"], made["ssl.key.password"], made["sasl.mechanism"]) == ("one", "two", "SCRAM-SHA-512")
    assert made["ssl.endpoint.identification.algorithm"] == "https"


@pytest.mark.parametrize(
    "wrong",
    [
        {"brokers": []}, {"brokers": ["host"]}, {"brokers": ["host:1,other:2"]}, {"topics": {}},
        {"topics": {"../flows": "flows"}}, {"topics": {".flows": "flows"}}, {"topics": {"a": "flows", "b": "flows"}},
        {"security": "sasl_ssl"}, {"certificate_file": "a.pem"}, {"user": "a b"},
    ],
)  # fmt: skip
def test_settings_that_cannot_be_meant_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        _options(**wrong)
