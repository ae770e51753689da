"""The process's single Spark session: started on first use, with properties for reproducible results and security."""

import contextlib
import importlib.util
import os
import re
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hntes.etl.errors import EtlError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INSTALL = "install Spark's parts with: pip install 'hntes[spark]'"
_CONNECT_MODULES = ("pandas", "grpc", "grpc_status", "google.rpc", "zstandard")
_REACH_LIMIT_S = 10.0


class SparkError(EtlError):
    """Spark is missing, cannot be reached, or could not do what was asked."""


@dataclass(frozen=True)
class SparkOptions:
    """Master and sizes of Spark; memory in MB, `master` as Spark writes it (local[2], spark://..., sc://...)."""

    master: str = "local[2]"
    driver_memory_mb: int = 1024
    executor_memory_mb: int = 1024
    shuffle_partitions: int = 16
    max_result_rows: int = 2_000_000
    conf: dict[str, str] = field(default_factory=dict)
    executor_wait_s: float = 120.0
    query_limit_s: float = 3600.0

    @property
    def is_connect(self) -> bool:
        return self.master.startswith("sc://")

    @property
    def is_local(self) -> bool:
        return self.master.startswith("local")


def spark_conf(options: SparkOptions) -> dict[str, str]:
    """All properties of the session, the operator's own included.

    Small parts are packed: a task reads up to maxPartitionBytes of them, and opening one counts as 256 KiB.
    """
    conf = {
        "spark.app.name": "hntes",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.shuffle.partitions": str(options.shuffle_partitions),
        "spark.sql.files.maxPartitionBytes": str(64 << 20),
        "spark.sql.files.openCostInBytes": str(256 << 10),
        # a missing or damaged part is an error, never fewer flows
        "spark.sql.files.ignoreMissingFiles": "false",
        "spark.sql.files.ignoreCorruptFiles": "false",
        # sorted results come partition by partition, not through one heap in the driver
        "spark.sql.execution.topKSortFallbackThreshold": "10000",
    }
    if not options.is_connect:
        conf |= {
            "spark.master": options.master,
            "spark.driver.memory": f"{options.driver_memory_mb}m",
            "spark.executor.memory": f"{options.executor_memory_mb}m",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
        }
    if options.is_local:
        conf |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return conf | options.conf


class SparkHandle:
    """Starts the session when it is first asked for; at most one handle of a process has one at a time."""

    _owner: "SparkHandle | None" = None
    _lock = threading.RLock()

    def __init__(self, options: SparkOptions) -> None:
        self.options = options
        self._session: SparkSession | None = None
        self._scratch: Path | None = None

    @property
    def session(self) -> "SparkSession":
        """The running session.

        Raises:
            SparkError: pyspark or Java is missing, the master does not answer, or no executor came.
        """
        with SparkHandle._lock:
            if self._session is None:
                if SparkHandle._owner is not None:
                    other = SparkHandle._owner.options.master
                    raise SparkError(f"this process has a Spark session on {other} already; close it first")
                self._session = _start(self.options)
                SparkHandle._owner = self
            return self._session

    @property
    def scratch(self) -> Path:
        """A folder for what the executors fetch from here; it goes with the session."""
        with SparkHandle._lock:
            if self._scratch is None:
                self._scratch = Path(tempfile.mkdtemp(prefix="hntes-spark-"))
            return self._scratch

    def close(self) -> None:
        """Stops the session, if there is one; the next use starts another."""
        with SparkHandle._lock:
            if self._session is not None:
                self._session.stop()
                self._session = None
                SparkHandle._owner = None
            if self._scratch is not None:
                shutil.rmtree(self._scratch)
                self._scratch = None


def _start(options: SparkOptions) -> "SparkSession":
    _check_installed(options)
    if options.master.startswith("spark://"):
        # Executors call back: on a machine in several networks, where the master is reached is where they are, too.
        # Spark would take whichever address the host's name has; what its own settings say goes before both.
        # As a name as well: Spark would look the address up, and find its own name to have several addresses.
        own = _address_towards(options.master)
        os.environ.setdefault("SPARK_LOCAL_IP", own)
        os.environ.setdefault("SPARK_LOCAL_HOSTNAME", own)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if options.is_local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    builder = builder.remote(options.master) if options.is_connect else builder
    for key, value in spark_conf(options).items():
        builder = builder.config(key, value)
    expected: tuple[type[Exception], ...] = (OSError, *spark_errors())
    try:
        session = builder.getOrCreate()
    except expected as cause:
        raise SparkError(f"Spark did not start on {options.master}: {message(cause)}") from cause
    if options.master.startswith("spark://"):
        _check_executors(session, options)
    return session


def _check_installed(options: SparkOptions) -> None:
    if importlib.util.find_spec("pyspark") is None or importlib.util.find_spec("sqlglot") is None:
        raise SparkError(f'the settings ask for Spark (analytics.kind = "spark") and pyspark is missing; {INSTALL}')
    if options.is_connect:
        missing = [name for name in _CONNECT_MODULES if not _is_there(name)]
        if missing:
            raise SparkError(
                f"Spark Connect ({options.master}) needs the Python modules {', '.join(missing)}; "
                "install them with: pip install 'hntes[spark-connect]'"
            )
        return
    home = os.environ.get("JAVA_HOME")
    java = Path(home) / "bin" / "java" if home else shutil.which("java")
    if java is None or not Path(java).is_file():
        where = f"JAVA_HOME names {home}, which has no bin/java" if home else "there is no java on PATH"
        raise SparkError(f"Spark needs Java 17 or later and {where}; install the package default-jre-headless")


def _is_there(module: str) -> bool:
    with contextlib.suppress(ModuleNotFoundError):
        return importlib.util.find_spec(module) is not None
    return False


def _address_towards(master: str) -> str:
    """This machine's address on the way to the master. Spark itself would try for minutes, and then say less."""
    problems = []
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), _REACH_LIMIT_S) as connection:
                own: str = connection.getsockname()[0]
                return own
        except OSError as cause:
            problems.append(f"{address}: {cause.strerror or cause}")
    raise SparkError(
        f"no Spark master answers ({'; '.join(problems)}); is it running, and is analytics.spark.master correct?"
    )


def _check_executors(session: "SparkSession", options: SparkOptions) -> None:
    """Waits for an executor, since the first query on a cluster without free workers would wait forever."""
    with cancelled_after(session, options.executor_wait_s) as expired:
        try:
            session.range(1).count()
        except Exception as cause:
            session.stop()
            if not expired.is_set():
                raise
            raise SparkError(
                f"{options.master}: no executor with {options.executor_memory_mb} MB came within "
                f"{options.executor_wait_s:.0f} s; check the cluster's workers, "
                "or lower analytics.spark.executor_memory_mb"
            ) from cause


@contextlib.contextmanager
def cancelled_after(session: "SparkSession", limit_s: float, is_connect: bool = False) -> Iterator[threading.Event]:
    """Cancels the session's work after a timeout; sets the event if it did."""
    expired = threading.Event()

    def cancel() -> None:
        expired.set()
        if is_connect:
            session.interruptAll()
        else:
            session.sparkContext.cancelAllJobs()

    timer = threading.Timer(limit_s, cancel)
    timer.start()
    try:
        yield expired
    finally:
        timer.cancel()
        timer.join()


def spark_errors() -> tuple[type[Exception], ...]:
    """What Spark raises: Java's own errors reach Python as py4j's, which share no base class with PySpark's."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError


def message(problem: BaseException) -> str:
    """An error of Spark in one line: without Java's stack, and with the end of a Python traceback only."""
    text = re.split(r"\n\s+at |\nJVM stacktrace|\nDriver stacktrace", str(problem))[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if any(line.startswith("Traceback") for line in lines):
        return lines[-1][:500]
    # py4j's own first line names a Java method, which says nothing
    useful = [line.removeprefix(": ") for line in lines if not line.startswith("An error occurred while calling")]
    return useful[0][:500] if useful else type(problem).__name__
