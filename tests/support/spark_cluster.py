"""Spark's servers on the loopback address, on ports that nobody else has: a standalone cluster, or Spark Connect."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_LIMIT_S = 600.0
# The driver must be found by executors on the loopback address, as everything here.
LOOPBACK_CONF = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


@contextmanager
def standalone_cluster(workers: int = 2, worker_memory_mb: int = 1024) -> Iterator[str]:
    """The address (spark://127.0.0.1:PORT) of a running cluster, one core a worker; ended and removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="spark-cluster-"))
    processes: list[subprocess.Popen[bytes]] = []
    try:
        log = folder / "master.log"
        processes.append(_start(log, "master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"))
        address = _wait_for(log, re.compile(r"Starting Spark master at (spark://127\.0\.0\.1:\d+)"), processes[0])
        logs = [folder / f"worker{number}.log" for number in range(workers)]
        size = ["--cores", "1", "--memory", f"{worker_memory_mb}m"]
        place = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        for one in logs:
            processes.append(
                _start(one, "worker.Worker", *place, *size, "--work-dir", str(one.with_suffix("")), address)
            )
        for one, process in zip(logs, processes[1:], strict=True):
            _wait_for(one, re.compile(r"Successfully registered with (master spark://\S+)"), process)
        yield address
    finally:
        _end(processes, folder)


@contextmanager
def connect_server(memory_mb: int = 768) -> Iterator[str]:
    """The address (sc://127.0.0.1:PORT) of a running Spark Connect server with two threads of its own."""
    folder = Path(tempfile.mkdtemp(prefix="spark-connect-"))
    processes: list[subprocess.Popen[bytes]] = []
    conf = LOOPBACK_CONF | {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": "0",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
    }
    submit = ["--master", "local[2]", *(word for key, value in conf.items() for word in ("--conf", f"{key}={value}"))]
    submit += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    try:
        log = folder / "connect.log"
        processes.append(_start(log, "SparkSubmit", *submit, memory_mb=memory_mb))
        address = _wait_for(log, re.compile(r"Spark Connect server started at: (127\.0\.0\.1:\d+)"), processes[0])
        yield f"sc://{address}"
    finally:
        _end(processes, folder)


def _end(processes: "list[subprocess.Popen[bytes]]", folder: Path) -> None:
    for process in reversed(processes):
        process.terminate()
    for process in processes:
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    shutil.rmtree(folder, ignore_errors=True)


def _start(log: Path, kind: str, *arguments: str, memory_mb: int = 256) -> "subprocess.Popen[bytes]":
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": f"{memory_mb}m",
        # they run for seconds: Java's slower compiler costs more than it saves
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1",
        "PYSPARK_PYTHON": sys.executable,
        # for tasks of the tests themselves
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    # The signal ends the process when the test process is killed and cannot stop it.
    command = ["setpriv", "--pdeathsig", "TERM", "--", str(home / "bin" / "spark-class")]
    command += [f"org.apache.spark.deploy.{kind}", *arguments]
    with log.open("wb") as out:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment)


def _wait_for(log: Path, line: re.Pattern[str], process: "subprocess.Popen[bytes]") -> str:
    deadline = time.monotonic() + START_LIMIT_S
    while True:
        text = log.read_text(errors="replace")
        if found := line.search(text):
            return found[1]
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"Spark's {log.stem} did not start:\n{text[-2000:]}")
        time.sleep(0.1)
