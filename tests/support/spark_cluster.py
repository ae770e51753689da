"""A Spark standalone cluster on the loopback address: a master and workers on ports that nobody else has."""

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

START_LIMIT_S = 120.0
# The driver must be found by executors on the loopback address, as everything here.
LOOPBACK_CONF = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


@contextmanager
def standalone_cluster(workers: int = 2, worker_memory_mb: int = 1024) -> Iterator[str]:
    """The address (spark://127.0.0.1:PORT) of a running cluster, one core a worker; ended and removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="hntes-spark-"))
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
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _start(log: Path, kind: str, *arguments: str) -> "subprocess.Popen[bytes]":
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
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
