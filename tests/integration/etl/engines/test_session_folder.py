"""The folder of a Spark session in TMPDIR: one that a killed process left is removed by the next, of any session."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hntes.etl.engines.session import SparkHandle, SparkOptions
from tests.support.installation import ROOT

# Puts a file into its session's folder, and works on until it is killed.
WORK = """
import time
from hntes.etl.engines.session import SparkHandle, SparkOptions
handle = SparkHandle(SparkOptions("spark://h:7077"))
folder = handle.scratch
(folder / "hntes-code.zip").write_bytes(bytes(1000))
print(folder, flush=True)
time.sleep(600)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """TMPDIR."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def begun() -> tuple[Path, "subprocess.Popen[str]"]:
    process = subprocess.Popen([sys.executable, "-c", WORK], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    return Path(process.stdout.readline().strip()), process


def test_the_folder_of_a_killed_process_is_removed_and_that_of_one_at_work_stays(place: Path) -> None:
    (killed, first), (kept, second) = begun(), begun()
    try:
        first.kill()
        first.communicate()
        assert {killed.parent, kept.parent} == {place}
        assert killed.exists()
        handle = SparkHandle(SparkOptions("spark://h:7077"))
        mine = handle.scratch
        assert not killed.exists()
        assert (kept / "hntes-code.zip").exists()
        assert handle.scratch == mine
        handle.close()
        assert list(place.iterdir()) == [kept]
        # the next session of the handle has another
        assert handle.scratch.exists()
        handle.close()
    finally:
        second.kill()
        second.communicate()
