"""The archive of the package that executors get: a process that has nothing else reads files as the driver does."""

import os
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from hntes.etl.engines.executor_task import pack_code, packed, result
from hntes.etl.engines.here import ThisMachine
from hntes.etl.ingest.content import content_of
from hntes.etl.ingest.readers import ClusterReader, LocalReader, ReadTask
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.nfdump import unchecked
from hntes.etl.sources.nfcapd.probe import REFERENCE_FILE
from hntes.etl.sources.nfcapd.source import NfcapdSource
from hntes.settings.ingest import Ingest

WORK = """
import pickle, sys
folder = sys.argv[1]
sys.path.insert(0, folder)
import hntes
from hntes.etl.engines.executor_task import answers
assert hntes.__file__.startswith(folder), hntes.__file__
work, count = pickle.load(sys.stdin.buffer)
found = [batch.column("answer")[0].as_py() for batch in answers(work, range(count))]
sys.stdout.buffer.write(pickle.dumps(found))
"""


class Executor(ThisMachine):
    """A process of the unpacked archive, whose programs are those of a folder."""

    def __init__(self, code: Path, programs: str) -> None:
        self._code, self._programs = code, programs

    def each(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        """Does the tasks in one slice."""
        done = subprocess.run(
            [sys.executable, "-c", WORK, str(self._code)],
            input=pickle.dumps((packed(function, tasks), len(tasks))),
            stdout=subprocess.PIPE,
            env={"PATH": self._programs},
            cwd=self._code,
            check=True,
        )
        return map(result, pickle.loads(done.stdout))  # noqa: S301 - of the process above


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("executor")
    pack_code(folder / "code.zip")
    with zipfile.ZipFile(folder / "code.zip") as archive:
        archive.extractall(folder / "code")
    return folder / "code"


@pytest.fixture
def tasks(tmp_path: Path) -> list[ReadTask]:
    """A file that was cut off, as by a full disk, and the whole one."""
    made = []
    for name, content in (("cut", REFERENCE_FILE.read_bytes()[:-200]), ("whole", REFERENCE_FILE.read_bytes())):
        path = tmp_path / name
        path.write_bytes(content)
        source, claims = NfcapdSource(unchecked("nfdump")), (RouterExporters("r1"),)
        made.append(
            ReadTask(path, content_of(path), source, tmp_path / "lake", name, claims, 300_000, day=date(2026, 11, 20))
        )
    return made


def test_an_executors_nfdump_is_checked_and_asked_for_a_file_that_was_cut_off(
    code: Path, tasks: list[ReadTask]
) -> None:
    executor = Executor(code, os.environ["PATH"])
    cut, whole = ClusterReader(executor, LocalReader()).read(tasks)
    assert "nfdump cannot open it" in cut.reason
    assert cut.is_final
    assert (whole.reason, whole.read_records) == ("", 45)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", "there is no such program; install the package nfdump"),
        ('#!/bin/sh\necho "nfdump: Version: 1.8.2"\n', "is version 1.8.2; known are 1.7.1 and later 1.7 versions"),
        ('#!/bin/sh\necho "nfdump: Version: 1.7.9"\n', "does not read the reference file"),
    ],
    ids=["missing", "too new", "wrong"],
)
def test_an_executor_without_an_nfdump_that_can_be_used_sets_that_file_aside_until_the_next_run(
    code: Path, tasks: list[ReadTask], tmp_path: Path, lines: str, said: str
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    if lines:
        (programs / "nfdump").write_text(lines)
        (programs / "nfdump").chmod(0o755)
    executor = Executor(code, str(programs))
    cut, whole = ClusterReader(executor, LocalReader()).read(tasks)
    assert "the native reader refuses it" in cut.reason
    assert "nfdump cannot be used on the machine that read it" in cut.reason
    assert said in cut.reason
    assert not cut.is_final
    assert (whole.reason, whole.read_records) == ("", 45)


def test_what_the_driver_found_of_its_own_nfdump_is_not_taken_for_an_executors(
    code: Path, tasks: list[ReadTask], tmp_path: Path
) -> None:
    source = NfcapdSource().configured(Ingest(reader="nfdump"))
    executor = Executor(code, str(tmp_path / "nowhere"))
    for found in ClusterReader(executor, LocalReader()).read([replace(task, source=source) for task in tasks]):
        assert found.reason.startswith("nfdump cannot be used on the machine that read it")
        assert not found.is_final
