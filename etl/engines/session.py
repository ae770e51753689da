"""The process's single Spark session: started on first use, within the cores that it may take, closed to strangers."""

import contextlib
import importlib.util
import os
import re
import shutil
import socket
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hntes.etl.errors import EtlError
from hntes.etl.lake.scratch import SPARK, scratch_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INSTALL = "install Spark's parts with: pip install 'hntes[spark]'"
_CONNECT_MODULES = ("pandas", "grpc", "grpc_status", "google.rpc", "zstandard")
_REACH_LIMIT_S = 10.0


class SparkError(EtlError):
    """Spark is missing, or could not do what was asked."""


class SparkAwayError(SparkError):
    """Spark cannot be reached, has no executor free or lost some: it may work later."""


@dataclass(frozen=True)
class SparkOptions:
    """Master and sizes of Spark; memory in MB, `master` as Spark writes it (local[2], spark://..., sc://...).

    Of a standalone cluster at most `max_cores` are taken. `executor_wait_s`: for the first executor, while others may
    have the cores; `job_wait_s`: of a job, once all executors are gone. Of Spark Connect the waits are the server's.
    """

    master: str = "local[2]"
    driver_memory_mb: int = 1024
    executor_memory_mb: int = 1024
    max_cores: int = 4
    executor_wait_s: float = 1800.0
    job_wait_s: float = 120.0
    conf: dict[str, str] = field(default_factory=dict)

    @property
    def is_connect(self) -> bool:
        return self.master.startswith("sc://")

    @property
    def is_standalone(self) -> bool:
        return self.master.startswith("spark://")

    @property
    def is_local(self) -> bool:
        return self.master.startswith("local")

    @property
    def cores(self) -> int | None:
        """The tasks that run side by side at most; None: the cluster decides."""
        if self.is_standalone:
            return self.max_cores
        if not self.is_local:
            return None
        named = self.master.removeprefix("local").strip("[]")
        return os.cpu_count() or 1 if named == "*" else int(named or 1)


def spark_conf(options: SparkOptions) -> dict[str, str]:
    """All properties of the session, the operator's own included."""
    conf = {"spark.app.name": "hntes"}
    if not options.is_connect:
        conf |= {
            "spark.master": options.master,
            "spark.driver.memory": f"{options.driver_memory_mb}m",
            "spark.executor.memory": f"{options.executor_memory_mb}m",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
            # a standalone cluster gives an application all its cores, and the next one waits for them
            "spark.cores.max": str(options.max_cores),
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
        self._with_session = contextlib.ExitStack()

    @property
    def session(self) -> "SparkSession":
        """The running session.

        Raises:
            SparkError: pyspark or Java is missing, or the master does not answer.
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
                self._scratch = self._with_session.enter_context(scratch_folder(SPARK))
            return self._scratch

    def close(self) -> None:
        """Stops the session, if there is one; the next use starts another."""
        with SparkHandle._lock:
            if self._session is not None:
                session, self._session = self._session, None
                SparkHandle._owner = None
                # where Java has died, nothing is left to be stopped
                with contextlib.suppress(OSError, *spark_errors()):
                    session.stop()
            self._with_session.close()
            self._scratch = None


def _start(options: SparkOptions) -> "SparkSession":
    _check_installed(options)
    if options.is_standalone:
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
        return builder.getOrCreate()
    except expected as cause:
        raise SparkAwayError(f"Spark did not start on {options.master}: {message(cause)}") from cause


def _check_installed(options: SparkOptions) -> None:
    if importlib.util.find_spec("pyspark") is None:
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
    raise SparkAwayError(
        f"no Spark master answers ({'; '.join(problems)}); is it running, and is analytics.spark.master correct?"
    )


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
