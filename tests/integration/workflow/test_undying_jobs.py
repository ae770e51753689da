"""Jobs that the kernel cannot end, as those that wait for a failing disk: the command ends with its status anyway."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hntes.etl.lake.part import folder_tag
from hntes.etl.locks import locked
from hntes.workflow.errors import FAILED
from tests.support.installation import ROOT, Installation, installation_in

INTERRUPTED = 130
LIMIT_S = 120.0
# a shell that starts the tests in the background has SIGINT ignored
UNDYING = """
import signal
import sys
from multiprocessing.process import BaseProcess
from hntes.cli.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)
BaseProcess.kill = lambda process: None
main(sys.argv[1:])
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Installation]:
    """Its one folder is kept by this process, so that whoever reads it waits for ten minutes."""
    found = installation_in(tmp_path, routers=1)
    with locked(found.lake / ".locks" / folder_tag(ROOT / "demo" / "flows" / "r1"), "test"):
        yield found


def begun(site: Installation, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", UNDYING, *site.command(*arguments)[3:]]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_night_ends_after_its_limit(site: Installation) -> None:
    with begun(site, "nightly", "--day", "2026-11-20", "--jobs", "2", "--limit-s", "1", "--json") as night:
        try:
            stdout, stderr = night.communicate(timeout=LIMIT_S)
        finally:
            night.kill()
    assert night.returncode == FAILED, stderr
    assert json.loads(stdout)["failures"] == {"r1": "it took more than 1 s and was ended; run the night again"}


def test_a_night_that_is_interrupted_ends_at_once(site: Installation) -> None:
    arguments = ("--log", "debug", "nightly", "--day", "2026-11-20", "--jobs", "2")
    with begun(site, *arguments) as night:
        try:
            assert night.stderr is not None
            next(line for line in night.stderr if '"ingest"' in line)
            night.send_signal(signal.SIGINT)
            _, stderr = night.communicate(timeout=LIMIT_S)
        finally:
            night.kill()
    assert night.returncode == INTERRUPTED, stderr
