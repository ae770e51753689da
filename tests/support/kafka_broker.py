"""A broker of Apache Kafka on this machine, of the jars that support/kafka/pom.xml names; needs Java 17 and Maven."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.certificates import self_signed
from tests.support.waiting import wait_until

PASSWORD = "of-the-test"
_CLUSTER = "rMmppG5LTu2CfRp0sfkHSw"
_HERE = Path(__file__).parent / "kafka"


@dataclass
class Broker:
    """Its listeners, and what is in its folder."""

    plain: str
    secure: str
    ca_file: Path
    command: list[str]
    log: Path

    @contextmanager
    def running(self) -> Iterator[None]:
        """Runs it until the end of the block."""
        with self.log.open("ab") as log, subprocess.Popen(self.command, stdout=log, stderr=log) as process:
            try:
                wait_until(lambda: self._answers() or process.poll() is not None, "the broker answers", 120)
                assert process.poll() is None, self.log.read_text()[-4000:]
                yield
            finally:
                process.terminate()
                process.wait(60)

    def _answers(self) -> bool:
        from confluent_kafka import KafkaException

        try:
            return bool(self.admin().list_topics(timeout=2).brokers)
        except KafkaException:
            return False

    def admin(self) -> Any:
        from confluent_kafka.admin import AdminClient

        return AdminClient({"bootstrap.servers": self.plain, "log_level": 0})

    def make_topic(self, name: str, partitions: int, **config: str) -> None:
        from confluent_kafka.admin import NewTopic  # type: ignore[attr-defined]

        named = {key.replace("_", "."): value for key, value in config.items()}
        admin = self.admin()  # ends with what it was asked for if nothing holds it
        for made in admin.create_topics([NewTopic(name, partitions, 1, config=named)]).values():
            made.result(30)


def prepared(folder: Path) -> Broker:
    """A broker that has been formatted and does not run; skips the test where it cannot be had."""
    jars = _jars(folder)
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(3)]
        plain, secure, controller = (one.getsockname()[1] for one in sockets)
    ca_file = _certificate(folder)
    settings = (_HERE / "broker.properties").read_text(encoding="utf-8").format(
        plain=plain, secure=secure, controller=controller, keystore=folder / "keystore.pem", password=PASSWORD,
        logs=folder / "logs",
    )  # fmt: skip
    (folder / "broker.properties").write_text(settings, encoding="utf-8")
    java = ["java", "-Xmx512m", "-cp", jars]
    subprocess.run(
        [*java, "kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", folder / "broker.properties"],
        check=True, capture_output=True,
    )  # fmt: skip
    command = [*java, "kafka.Kafka", str(folder / "broker.properties")]
    return Broker(f"127.0.0.1:{plain}", f"127.0.0.1:{secure}", ca_file, command, folder / "broker.log")


def _jars(folder: Path) -> str:
    if shutil.which("java") is None or shutil.which("mvn") is None:
        pytest.skip("a broker of Kafka needs Java and Maven")
    found = folder / "classpath"
    done = subprocess.run(
        ["mvn", "-q", "-B", "-f", _HERE / "pom.xml", "dependency:build-classpath", f"-Dmdep.outputFile={found}"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"Maven cannot get the broker: {done.stdout[-200:]}")
    return found.read_text(encoding="utf-8")


def _certificate(folder: Path) -> Path:
    """Of the broker, signed by itself."""
    certificate, key = self_signed(folder)
    (folder / "keystore.pem").write_text(key.read_text() + certificate.read_text())
    return certificate
