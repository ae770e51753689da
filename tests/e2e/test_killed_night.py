"""A night that is killed at any moment, from outside, and run again ends as if nothing had happened.

Kills at each durable write are in test_killed_record.py.
"""

import re
import signal
import subprocess
import time
from pathlib import Path
from random import Random

import pytest

from tests.support.installation import ROOT, Installation, demo_installation
from tests.support.postgres import Server
from tests.support.state import State

NIGHT = "2026-11-20"
KILLS = 20
AFTER_S = (1.6, 2.4)
# What files.py says a killed write may leave beside its file, until the next write after an hour.
LEFTOVER = re.compile(r"\.(.+)\.[0-9a-f]{16}\.tmp")


def site(folder: Path, database_url: str | None = None, workers: int = 2) -> Installation:
    """All sites lie in a folder of the same name, since lake and ledger know their flow folders by path."""
    changes = {"[ingest]": f"[ingest]\nworkers = {workers}"}
    return demo_installation(folder / "site", database_url, **changes)


def without_leftovers(state: State, kills: int = 1) -> State:
    """At most one write was under way at each kill, so at most as many files are left over."""
    files = state["files"]
    assert isinstance(files, dict)
    found = [path for folder in files.values() for path in folder if LEFTOVER.fullmatch(Path(path).name)]
    assert len(found) <= kills, found
    return {
        **state,
        "files": {
            name: {path: content for path, content in folder.items() if path not in found}
            for name, folder in files.items()
        },
    }


def start(installation: Installation) -> "subprocess.Popen[bytes]":
    command = installation.command("nightly", "--day", NIGHT)
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_night_killed_at_random_moments_ends_like_an_undisturbed_one(tmp_path: Path, chance: Random) -> None:
    """From outside, and with two processes that read files."""
    # what is simulated is kept for all sites: the nights below are of one length
    site(tmp_path / "first").run("nightly", "--day", NIGHT)
    undisturbed = site(tmp_path / "undisturbed")
    begin = time.monotonic()
    assert start(undisturbed).wait(timeout=120) == 0
    duration = time.monotonic() - begin
    wanted = undisturbed.state()
    progress = set()
    for number in range(KILLS):
        killed = site(tmp_path / f"killed{number}")
        process = start(killed)
        # most of the first second is Python starting; the state changes after it
        after_s = duration * chance.uniform(0.2, 1.0)
        time.sleep(after_s)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        progress.add(len(list(killed.lake.rglob("*.parquet"))) + len(list(killed.output.rglob("*"))))
        killed.run("nightly", "--day", NIGHT)
        assert without_leftovers(killed.state()) == wanted, f"kill {number} after {after_s:.3f} s left another state"
    assert len(progress) > 2, f"all kills hit the same moment: {progress}; the test tests nothing"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_kills_one_after_the_other_do_no_harm(tmp_path: Path, postgresql_server: Server) -> None:
    """On PostgreSQL; kills at each durable write are on SQLite."""
    undisturbed = site(tmp_path / "undisturbed")
    undisturbed.run("nightly", "--day", NIGHT)
    with postgresql_server.database() as url:
        disturbed = site(tmp_path / "disturbed", url)
        for after_s in AFTER_S:
            process = start(disturbed)
            time.sleep(after_s)
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=60)
        disturbed.run("nightly", "--day", NIGHT)
        left = without_leftovers(disturbed.state(), kills=len(AFTER_S))
        assert left["files"] == undisturbed.state()["files"]
