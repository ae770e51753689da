"""A topic of Apache Kafka, read by the library confluent-kafka (librdkafka).

Partitions are assigned here and no offset is committed there: the files know how far they were read.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hntes.etl.fetch.errors import FetchError, OffsetGoneError
from hntes.etl.fetch.topic import Bounds, Message

if TYPE_CHECKING:
    from hntes.settings.fetch import Kafka

PASSWORD_VARIABLE, KEY_PASSWORD_VARIABLE = "HNTES_KAFKA_PASSWORD", "HNTES_KAFKA_KEY_PASSWORD"
_ANSWER_S = 15.0
# Messages that the library has fetched and we have not taken.
_QUEUED_KIB = 16 * 1024
_FETCHED_BYTES = 8 << 20
_ANSWER_BYTES = 64 << 20

Say = Callable[[str], None]


class KafkaTopic:
    """A topic and its connections. `say` takes a sentence when the cluster does not answer, and when it does again.

    Raises:
        FetchError: the library is not installed, a secret is missing, or the cluster cannot be reached.
    """

    def __init__(self, options: Kafka, topic: str, say: Say) -> None:
        try:
            self._library: Any = import_module("confluent_kafka")
        except ImportError:
            raise FetchError("consuming needs confluent-kafka: install the extra `kafka` of hntes") from None
        self._topic, self._say = topic, say
        # what is wrong, and the words of the library, which differ from one attempt to the next
        self._problem, self._words, self._is_read = 0, "", False
        wanted = configuration(options, os.environ) | {"error_cb": self._note, "logger": _silent()}
        try:
            self._consumer = self._library.Consumer(wanted)
        except self._library.KafkaException as cause:
            raise FetchError(f"kafka: {_words(cause)}") from cause
        self._cluster = str(self._described().cluster_id)
        self._incarnation = self._identifier(wanted)

    @property
    def cluster(self) -> str:
        """The identifier that the cluster was formatted with."""
        return self._cluster

    @property
    def incarnation(self) -> str:
        """The identifier that the topic got when it was made (Kafka 2.8 and later)."""
        return self._incarnation

    def partitions(self) -> frozenset[int]:
        """See `Topic`."""
        found = self._described().topics[self._topic]
        if found.error is not None:
            raise FetchError(f"kafka: topic {self._topic}: {found.error.str()}")
        return frozenset(found.partitions)

    def bounds(self) -> dict[int, Bounds]:
        """See `Topic`."""
        return {partition: self._bounds_of(partition) for partition in sorted(self.partitions())}

    def read_from(self, offsets: Mapping[int, int]) -> None:
        """See `Topic`."""
        of = self._library.TopicPartition
        self._is_read = True
        self._consumer.assign([of(self._topic, partition, offset) for partition, offset in sorted(offsets.items())])

    def take(self, most: int, wait_s: float) -> list[Message]:
        """See `Topic`."""
        try:
            found = self._consumer.consume(most, wait_s)
        except self._library.KafkaException as cause:
            raise FetchError(f"kafka: topic {self._topic}: {_words(cause)}") from cause
        taken = [message for one in found if (message := self._message(one)) is not None]
        if taken and self._problem:
            self._say("kafka: messages come again")
            self._problem, self._words = 0, ""
        return taken

    def behind(self, offsets: Mapping[int, int]) -> int:
        """See `Topic`."""
        of = self._library.TopicPartition
        ends = {
            partition: self._consumer.get_watermark_offsets(of(self._topic, partition), cached=True)
            for partition in offsets
        }
        # below zero: not known yet
        return sum(max(0, end[1] - offsets[partition]) for partition, end in ends.items() if end)

    def close(self) -> None:
        """Ends the connections."""
        self._consumer.close()

    def _described(self) -> Any:
        try:
            return self._consumer.list_topics(self._topic, timeout=_ANSWER_S)
        except self._library.KafkaException as cause:
            if not self._is_read:
                self._consumer.poll(0)  # has the library say what it met; later it would take a message
            raise FetchError(f"kafka: no answer: {self._words or _words(cause)}") from cause

    def _identifier(self, wanted: Mapping[str, Any]) -> str:
        own = ("enable.auto", "auto.", "fetch.", "queued.", "isolation", "group.id")
        admin: Any = import_module("confluent_kafka.admin")
        client = admin.AdminClient({name: value for name, value in wanted.items() if not name.startswith(own)})
        asked = client.describe_topics(self._library.TopicCollection([self._topic]), request_timeout=_ANSWER_S)
        try:
            return str(asked[self._topic].result(2 * _ANSWER_S).topic_id)
        except (self._library.KafkaException, TimeoutError) as cause:
            words = _words(cause) if isinstance(cause, self._library.KafkaException) else "no answer"
            raise FetchError(f"kafka: topic {self._topic}: {words}") from cause

    def _bounds_of(self, partition: int) -> Bounds:
        where = self._library.TopicPartition(self._topic, partition)
        try:
            return Bounds(*self._consumer.get_watermark_offsets(where, timeout=_ANSWER_S))
        except self._library.KafkaException as cause:
            raise FetchError(f"kafka: topic {self._topic}, partition {partition}: {_words(cause)}") from cause

    def _message(self, found: Any) -> Message | None:
        if (problem := found.error()) is None:
            kind, time_ms = found.timestamp()
            known = None if kind == self._library.TIMESTAMP_NOT_AVAILABLE else time_ms
            return Message(found.partition(), found.offset(), known, found.value())
        if problem.code() in (
            self._library.KafkaError._AUTO_OFFSET_RESET,
            self._library.KafkaError.OFFSET_OUT_OF_RANGE,
        ):
            raise OffsetGoneError(f"partition {found.partition()}: {problem.str()}")
        if problem.fatal():
            raise FetchError(f"kafka: topic {self._topic}: {problem.str()}")
        self._note(problem)
        return None

    def _note(self, problem: Any) -> None:
        """The library goes on trying; it is said once."""
        self._words = str(problem.str())
        if problem.code() not in (self._problem, self._library.KafkaError._ALL_BROKERS_DOWN):
            self._problem = problem.code()
            self._say(f"kafka: {self._words}")


def configuration(options: Kafka, environment: Mapping[str, str]) -> dict[str, Any]:
    """The properties of the library.

    Raises:
        FetchError: a secret is missing.

    Source: CONFIGURATION.md of librdkafka.
    """
    wanted: dict[str, Any] = {
        "bootstrap.servers": ",".join(options.brokers),
        "client.id": "hntes",
        # asked for by the library; no group is joined
        "group.id": "hntes",
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "auto.offset.reset": "error",
        "isolation.level": "read_committed",
        "queued.max.messages.kbytes": _QUEUED_KIB,
        "fetch.max.bytes": _FETCHED_BYTES,
        "receive.message.max.bytes": _ANSWER_BYTES,
        "security.protocol": options.security,
    }
    if options.security.startswith("sasl"):
        wanted |= {
            "sasl.mechanism": options.mechanism.upper(),
            "sasl.username": options.user,
            "sasl.password": _secret(environment, PASSWORD_VARIABLE),
        }
    if options.security.endswith("ssl"):
        wanted["ssl.endpoint.identification.algorithm"] = "https"
        if options.ca_file:
            wanted["ssl.ca.location"] = str(options.ca_file)
        if options.certificate_file:
            wanted["ssl.certificate.location"] = str(options.certificate_file)
            wanted["ssl.key.location"] = str(options.key_file)
            if password := environment.get(KEY_PASSWORD_VARIABLE):
                wanted["ssl.key.password"] = password
    return wanted


def _secret(environment: Mapping[str, str], variable: str) -> str:
    if value := environment.get(variable):
        return value
    raise FetchError(f"the environment variable {variable} is not set; it has the password of kafka.user")


def _words(cause: Any) -> str:
    return str(cause.args[0].str())


def _silent() -> logging.Logger:
    """What the library logs is said by its errors, too."""
    logger = logging.getLogger("hntes.kafka")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
