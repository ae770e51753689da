"""Topics of a real broker are consumed whole, whatever is killed meanwhile; needs Java and Maven."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hntes.etl.fetch.slot_files import STATE_NAME
from hntes.etl.ingest.flow_file import read_file
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.registry import discover
from tests.support.fake_topic import stored
from tests.support.kafka_broker import PASSWORD, Broker, prepared
from tests.support.row_files import MadeFlow, goflow2_row
from tests.support.settings_file import MINIMAL
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]
pytest.importorskip("confluent_kafka", reason="needs the extra kafka")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Broker:
    return prepared(tmp_path_factory.mktemp("kafka"))


class Consumption:
    """`hntes data consume` of one topic, with files of two seconds."""

    def __init__(self, folder: Path, servers: str, topic: str, more: str = "") -> None:
        self.flows, self.topic = folder / "flows", topic
        self._settings = folder / "hntes.toml"
        kafka = f'[kafka]\nbrokers = ["{servers}"]\ntopics = {{ {topic} = "{self.flows}" }}\n{more}\n'
        self._settings.write_text(f"[ingest]\nrotation_s = 2\n{kafka}{MINIMAL}", encoding="utf-8")
        self._folder, self._starts = folder, 0

    def start(self, **environment: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "hntes", "--settings", str(self._settings), "data", "consume"]
        self._starts += 1
        with self._log.open("wb") as log:
            return subprocess.Popen(command, stderr=log, env={**os.environ, **environment})

    def wait_until_begun(self, process: "subprocess.Popen[bytes]") -> None:
        """Until the process that was started last reads the topic, or has ended."""
        wait_until(lambda: "is consumed into" in self.said() or process.poll() is not None, "the topic is read")

    def said(self) -> str:
        """By the process that was started last."""
        return self._log.read_text(encoding="utf-8")

    @property
    def _log(self) -> Path:
        return self._folder / f"consumer{self._starts}.log"

    def numbers(self) -> Counter[int]:
        rows = (json.loads(line) for lines in stored(self.flows).values() for line in lines)
        return Counter(row["sequence_num"] for row in rows)

    def consumed(self) -> int:
        path = self.flows / STATE_NAME
        return sum(json.loads(path.read_bytes())["offsets"].values()) if path.exists() else 0

    def until(self, messages: int, **environment: str) -> None:
        """Runs it until so many messages are in files, and stops it."""
        process = self.start(**environment)
        try:
            self.wait_until_begun(process)
            wait_until(lambda: self.consumed() == messages or process.poll() is not None, "all is consumed", 120)
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0, self.said()[-2000:]


def row(number: int) -> bytes:
    now_ms = time.time_ns() // 1_000_000
    flow = dataclasses.replace(MadeFlow(), first_ms=now_ms - 900, last_ms=now_ms, source=f"198.18.0.{number % 250}")
    return json.dumps(goflow2_row(flow) | {"sequence_num": number}).encode()


@contextmanager
def producing(broker: Broker, topic: str, count: int, per_s: int) -> Iterator[threading.Event]:
    """Sends so many rows beside the block, exactly once each; the event is set when all are in the topic."""
    from confluent_kafka import Producer

    producer: Any = Producer(
        {"bootstrap.servers": broker.plain, "enable.idempotence": True, "linger.ms": 20, "log_level": 0,
         "message.timeout.ms": 300_000}
    )  # fmt: skip
    done = threading.Event()

    def send() -> None:
        for number in range(count):
            producer.produce(topic, row(number))
            if number % (per_s // 20) == 0:
                producer.poll(0.05)
        if producer.flush(120) == 0:
            done.set()

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield done
    finally:
        thread.join()


def test_kills_of_consumer_and_broker_at_random_moments_neither_lose_nor_double_a_row(
    tmp_path: Path, broker: Broker, chance: Random
) -> None:
    count, kills = 45_000, 15
    at = Consumption(tmp_path, broker.plain, "killed")
    with broker.running():
        broker.make_topic("killed", 6)
    between = 0
    with broker.running(), producing(broker, "killed", count, 300) as all_sent:
        for _ in range(kills):
            process = at.start()
            if chance.random() < 0.8:  # the others are killed while they start
                at.wait_until_begun(process)
            time.sleep(chance.uniform(0, 4))
            process.kill()
            process.wait()
            between += 0 < at.consumed() < count
        assert all_sent.wait(240)
    # the topic has all of them; the broker ends and comes again while they are consumed
    with broker.running():
        process = at.start()
        at.wait_until_begun(process)
    with broker.running():
        time.sleep(chance.uniform(0, 4))
    process.kill()
    process.wait()
    with broker.running():
        at.until(count)
        sent = _in_topic(broker, "killed", count)
    print(f"{kills} kills, {between} of them between the first file and the last")
    assert between >= 3
    assert Counter(sent.values()) == dict.fromkeys(range(count), 1)
    found = at.numbers()
    assert {place: number for place, number in sent.items() if found[number] != 1} == {}
    assert found.total() == count
    assert _ingested(at.flows, tmp_path / "lake") == count


def _in_topic(broker: Broker, topic: str, count: int) -> dict[tuple[int, int], int]:
    """The number of the row at each partition and offset, read by a plain consumer."""
    from confluent_kafka import Consumer, TopicPartition

    plain: Any = Consumer({"bootstrap.servers": broker.plain, "group.id": "oracle", "log_level": 0})
    plain.assign([TopicPartition(topic, partition, 0) for partition in range(6)])
    found: dict[tuple[int, int], int] = {}

    def read() -> bool:
        for one in plain.consume(10_000, 1.0):
            if not one.error():
                found[one.partition(), one.offset()] = json.loads(one.value())["sequence_num"]
        return len(found) == count

    wait_until(read, "the topic is read")
    plain.close()
    return found


def _ingested(folder: Path, lake: Path) -> int:
    source = discover(folder)[0]
    assert source.name == "goflow2"
    records = 0
    for number, file in enumerate(discover(folder)[1].files):
        result = read_file(folder / file.path, source, lake, str(number), [RouterExporters("r1")], 2000)
        assert not result.reason, result.reason
        records += sum(part.records for part in result.parts)
    return records


def test_tls_with_a_password_and_what_is_said_where_they_are_wrong(tmp_path: Path, broker: Broker) -> None:
    secure = f'security = "sasl_ssl"\nmechanism = "plain"\nuser = "hntes"\nca_file = "{broker.ca_file}"\n'
    at = Consumption(tmp_path, broker.secure, "secured", secure)
    with broker.running():
        broker.make_topic("secured", 2)
        with producing(broker, "secured", 100, 1000) as all_sent:
            assert all_sent.wait(60)
        at.until(100, HNTES_KAFKA_PASSWORD=PASSWORD)
        assert at.numbers() == dict.fromkeys(range(100), 1)
        assert _refusal(at, HNTES_KAFKA_PASSWORD="wrong").count("Authentication failed")
        assert "HNTES_KAFKA_PASSWORD is not set" in _refusal(at)
        foreign = Consumption(tmp_path, broker.secure, "secured", secure.replace(str(broker.ca_file), "/etc/hostname"))
        assert "ssl.ca.location" in _refusal(foreign, HNTES_KAFKA_PASSWORD=PASSWORD)
        unknown = Consumption(tmp_path, broker.plain, "nothing")
        assert "topic nothing" in _refusal(unknown)
    assert "no answer" in _refusal(Consumption(tmp_path, broker.plain, "secured"))


def _refusal(at: Consumption, **environment: str) -> str:
    assert at.start(**environment).wait(60) == 1
    said = at.said()
    assert "Traceback" not in said
    return said


def test_messages_that_the_topic_deleted_are_told(tmp_path: Path, broker: Broker) -> None:
    from confluent_kafka import TopicPartition

    at = Consumption(tmp_path, broker.plain, "short")
    with broker.running():
        broker.make_topic("short", 1)
        with producing(broker, "short", 50, 1000) as all_sent:
            assert all_sent.wait(60)
        at.until(50)
        with producing(broker, "short", 100, 1000) as all_sent:
            assert all_sent.wait(60)
        admin = broker.admin()
        for done in admin.delete_records([TopicPartition("short", 0, 120)]).values():
            done.result(30)
        at.until(150)
    assert sum(at.numbers().values()) == 50 + 30
    assert "partition 0: 70 messages lost" in at.said()
