"""Commands whose output goes nowhere: a full disk, a reader that left, streams that were closed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.installation import ROOT, Installation, demo_installation

# More lines than a pipe and a buffer hold, after which the command does what it is for.
LONG = """
import sys
from hntes.cli import cli, output
import click
@click.command()
def long():
    for number in range(100_000):
        output.line(f"line {number}")
    output.note("all done")
cli.LazyGroup.get_command = lambda *_: long
cli.main(["long"])
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    made = demo_installation(tmp_path_factory.mktemp("streams") / "site")
    made.run("change", "list")  # makes the database
    return made


def shell(site: Installation, words: str, *, buffered: bool) -> subprocess.CompletedProcess[str]:
    """One line of a shell in which `hntes` is that of the installation."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    if not buffered:
        environment["PYTHONUNBUFFERED"] = "1"
    hntes = f'hntes() {{ "{sys.executable}" -m hntes --settings "{site.settings}" "$@"; }}; set -o pipefail; '
    return subprocess.run(
        ["bash", "-c", hntes + words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("buffered", [True, False])
def test_a_full_disk_is_told_by_a_sentence_and_status_1(site: Installation, buffered: bool) -> None:
    done = shell(site, "hntes metrics >/dev/full", buffered=buffered)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "hntes: standard output: No space left on device; some results were not printed; the command itself completed"
    ]


@pytest.mark.parametrize("buffered", [True, False])
def test_a_reader_that_left_is_no_failure(site: Installation, buffered: bool) -> None:
    done = shell(site, "hntes metrics | (exec <&-; sleep 2)", buffered=buffered)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_goes_on_when_its_reader_left(tmp_path: Path) -> None:
    program = tmp_path / "long.py"
    program.write_text(LONG, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", f'set -o pipefail; "{sys.executable}" "{program}" | head -1'],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "line 0\n", "all done\n")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_nothing(site: Installation, closed: str) -> None:
    done = shell(site, f"hntes change list {closed}", buffered=True)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


def test_a_status_that_says_more_is_kept(site: Installation) -> None:
    done = shell(site, "hntes change show --router nowhere >/dev/full", buffered=True)
    assert done.returncode == 1
    assert done.stderr.startswith("hntes: router 'nowhere' is not in the settings")
