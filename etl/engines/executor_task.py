"""What an executor of Spark does with its share of the work, and how the driver's code gets to it.

Python's pickle carries tasks and results: both ends run the same code, and who could answer with anything else runs his
own there already.
"""

import os
import pickle
import secrets
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

import hntes
from hntes.errors import HntesError
from hntes.etl.errors import LakeAwayError

# The executors' folder for the driver's code.
SHIPPED = "hntes-code"
ANSWERS = "number bigint, answer binary"
_SCHEMA = pa.schema([pa.field("number", pa.int64()), pa.field("answer", pa.binary())])


# The answer of this process once the lake's store has not answered it, by job.
_AWAY: dict[str, bytes] = {}


def packed(function: Callable[[Any], Any], tasks: Sequence[Any]) -> bytes:
    """A function and its tasks for the executors, as one job; what tasks share is in it once."""
    return pickle.dumps((secrets.token_hex(8), function, list(tasks)))


def on_executor(work: bytes, is_shipped: bool) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for mapInArrow, from the numbers of tasks to their answers.

    Pickled by value, since it is what makes the driver's code importable there: it names nothing of this module.
    """
    shipped = SHIPPED if is_shipped else ""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import sys

        if shipped:
            from pyspark import SparkFiles

            folder = f"{SparkFiles.getRootDirectory()}/{shipped}"
            if folder not in sys.path:
                # before a version that is installed there
                sys.path.insert(0, folder)
        from hntes.etl.engines.executor_task import answers

        for batch in batches:
            yield from answers(work, batch.column(0).to_pylist())

    return run


def answers(work: bytes, numbers: Sequence[int]) -> Iterator[pa.RecordBatch]:
    """The answers to the tasks of these numbers.

    What is wrong with data and files is an answer: another executor would find the same. Anything else fails the task,
    which Spark tries again.
    """
    job, function, tasks = pickle.loads(work)  # noqa: S301 - of this program, see above
    for number in numbers:
        answer = pa.array([_answer(job, function, tasks[number])])
        yield pa.RecordBatch.from_arrays([pa.array([number]), answer], schema=_SCHEMA)


def _answer(job: str, function: Callable[[Any], Any], task: Any) -> bytes:
    """Whether the task was done, and its result or what it raised.

    Each process of a job waits for a store that is away once: the job fails of the first such answer, and to wait again
    with each task takes hours. Spark gives further slices to the same processes.
    """
    if job in _AWAY:
        return _AWAY[job]
    try:
        answer = pickle.dumps((True, function(task)))
    except LakeAwayError as away:
        answer = _AWAY[job] = pickle.dumps((False, away))
    except (HntesError, OSError) as problem:
        answer = pickle.dumps((False, problem))
    return answer


def result(answer: bytes) -> Any:
    """What an executor answered.

    Raises:
        HntesError, OSError: as the task raised it.
    """
    is_done, value = pickle.loads(answer)  # noqa: S301 - of this program, see above
    if not is_done:
        raise value
    return value


def pack_code(archive: Path) -> None:
    """The whole package, with its data and its compiled module, as an archive that Spark unpacks on the executors."""
    root = Path(hntes.__file__).parent
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packing:
        # some of its folders are links in a working copy
        for folder, subfolders, names in os.walk(root, followlinks=True):
            # of this Python alone, and made again there
            subfolders[:] = [name for name in subfolders if name != "__pycache__"]
            for name in names:
                source = Path(folder) / name
                packing.write(source, f"hntes/{source.relative_to(root).as_posix()}")
