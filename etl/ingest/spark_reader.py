"""Flow files read by a Spark cluster: each file one task, the same code and the same parts as on one machine.

Tasks write parts and report what they read; the driver alone owns the ledger. Names of parts follow from content, so a
task that runs twice writes the same file twice. Executors need nfdump, and the flow folders and the lake under the same
paths as the driver.
"""

import functools
import json
import socket
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hntes.etl.engines.session import SparkError, SparkHandle, spark_errors, told
from hntes.etl.errors import NfdumpError
from hntes.etl.ingest.decode import Evidence
from hntes.etl.ingest.readers import ReadTask, run_task
from hntes.etl.ingest.result import ReadFile
from hntes.etl.lake.part import Part
from hntes.etl.sources.nfcapd.nfdump import Nfdump, probe_version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[3]
# What a task imports of this program.
_SHIPPED = ("*.py", "etl/**/*.py")
# Files read before their results are stored: what a killed run has to read again.
FILES_PER_JOB = 256


class SparkReader:
    """Reads flow files as tasks of a Spark session."""

    def __init__(self, handle: SparkHandle) -> None:
        self._handle = handle
        self._shipped_to: SparkSession | None = None

    def read(self, tasks: Sequence[ReadTask]) -> Iterator[ReadFile]:
        """One result per task, in the order of the tasks.

        Raises:
            SparkError: an executor has no nfdump, another one than the driver, or does not see the same files; or
                Spark failed.
        """
        for begin in range(0, len(tasks), FILES_PER_JOB):
            yield from self._job(tasks[begin : begin + FILES_PER_JOB])

    def prepare(self, files: int, size_bytes: int) -> bool:  # noqa: ARG002 - the protocol's
        """Does nothing: the session is there, or begins with the first job. Hashes are taken here."""
        return False

    def _job(self, tasks: Sequence[ReadTask]) -> Iterator[ReadFile]:
        session = self._handle.session
        from pyspark.sql.functions import udf

        try:
            if self._shipped_to is not session:
                _ship_code(self._handle)
                self._shipped_to = session
            # one row per partition, so that each file is a task of its own
            numbers = session.range(0, len(tasks), 1, len(tasks))
            read = udf(_task_function(list(tasks)), "string", useArrow=False).asNondeterministic()
            answers = numbers.select("id", read("id").alias("answer")).collect()
        except spark_errors() as cause:
            raise SparkError(f"Spark could not read the flow files: {told(cause)}") from cause
        for number, text in sorted(answers):
            answer = json.loads(text)
            if answer["problem"]:
                raise SparkError(f"the executor on {answer['host']}: {answer['problem']}")
            yield _checked(tasks[number], answer["host"], _from_document(answer["read"]))


def _task_function(tasks: list[ReadTask]) -> Callable[[int], str]:
    def read(number: int) -> str:
        return _answer(tasks[number])

    return read


def _answer(task: ReadTask) -> str:
    """Runs on an executor: what is wrong with its machine is reported, anything else fails the task."""
    answer: dict[str, Any] = {"host": socket.gethostname(), "problem": "", "read": None}
    try:
        _check_nfdump(task.nfdump)
    except NfdumpError as problem:
        return json.dumps(answer | {"problem": str(problem)})
    return json.dumps(answer | {"read": asdict(run_task(task))}, default=str)


@functools.lru_cache(maxsize=4)
def _check_nfdump(nfdump: Nfdump) -> None:
    """The driver tried its nfdump on the reference file; the same version here reads the same."""
    version = probe_version(nfdump.program)
    if version != nfdump.version:
        raise NfdumpError(
            f"nfdump is {'.'.join(map(str, version))} here and {nfdump.version_text} on the driver; "
            "install one version on all machines"
        )


def _from_document(fields: dict[str, Any]) -> ReadFile:
    return ReadFile(
        **fields
        | {
            "parts": tuple(Part(**part | {"day": date.fromisoformat(part["day"])}) for part in fields["parts"]),
            "counts": tuple((router, outcome, n, octets) for router, outcome, n, octets in fields["counts"]),
            "evidence": tuple(Evidence(**one) for one in fields["evidence"]),
            "warnings": tuple(fields["warnings"]),
        }
    )


def _checked(task: ReadTask, host: str, result: ReadFile) -> ReadFile:
    """A file or a part that is on one machine only must not enter the ledger as changed, gone or read."""
    advice = "mount the flow folders and the lake under the same paths on all machines of the cluster"
    if not result.sha256 and task.path.is_file():
        raise SparkError(f"{task.path}: the executor on {host} cannot open this file, this machine can; {advice}")
    for part in result.parts:
        if not (task.lake / part.name).is_file():
            raise SparkError(
                f"{task.lake / part.name}: written by the executor on {host}, not to be seen here; {advice}"
            )
    return result


def _ship_code(handle: SparkHandle) -> None:
    """Gives the executors the driver's code, so that they never run another version of it."""
    package = handle.scratch / "hntes-etl.zip"
    _pack_code(package)
    if handle.options.is_connect:
        handle.session.addArtifacts(str(package), pyfile=True)
    else:
        before = list(sys.path)
        handle.session.sparkContext.addPyFile(str(package))
        sys.path[:] = before  # Spark adds it to the driver's as well, which has this code already


def _pack_code(package: Path) -> None:
    with zipfile.ZipFile(package, "w") as archive:
        for pattern in _SHIPPED:
            for source in sorted((ROOT / "hntes").glob(pattern)):
                archive.write(source, source.relative_to(ROOT).as_posix())
