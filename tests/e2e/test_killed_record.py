"""Ingest, night, approval, delivery and prune, each killed right before durable writes and run again.

The end is that of an undisturbed run, the audit log is whole, and no decision is without its text.
"""

import shutil
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from tests.support.databases import vouch_for_shared_runs
from tests.support.installation import Installation, demo_installation
from tests.support.killed_nights import KilledNights, killed_nights
from tests.support.state import State

NIGHT = "2026-11-23"
KILLS, KILLS_OF_CAMPAIGN = 36, 1000
REFUSED = 4
VERIFY = ("audit", "--verify")
_RETENTION = "[retention]\nlake_days = 1\nreport_days = 1\ncandidate_days = 1\n\n[review]"


@dataclass(frozen=True)
class Step:
    """One command at one moment, the installation before it, and what it leaves when nothing disturbs it."""

    command: str
    arguments: tuple[str, ...]
    now_ms: int
    before: Path
    writes: int
    after: State


@dataclass(frozen=True)
class Site:
    """An installation at one path, in which commands are run by forks."""

    installation: Installation
    runs: KilledNights

    @property
    def folder(self) -> Path:
        return self.installation.settings.parent

    def run(self, step_arguments: Sequence[str], now_ms: int, kill_at: int | None = None) -> tuple[int, int]:
        settings = str(self.installation.settings)
        return self.runs.run("--settings", settings, *step_arguments, kill_at=kill_at, now_ms=now_ms)

    def back_to(self, snapshot: Path) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(snapshot, self.folder)


@contextmanager
def prepared(folder: Path) -> Iterator[tuple[Site, list[Step]]]:
    """A site, and the steps from empty to pruned."""
    retention = {"[review]": _RETENTION, "[ingest]": "[ingest]\nworkers = 1"}
    installation = demo_installation(folder / "site", **retention)
    with killed_nights() as runs:
        site = Site(installation, runs)
        yield site, list(_steps(site, folder))


def _steps(site: Site, folder: Path) -> Iterator[Step]:
    then, later = (int(datetime(2026, month, 24, tzinfo=UTC).timestamp()) * 1000 for month in (11, 12))
    of_router = ("--router", "r1")
    # This night by itself has another peak than after those before it, so other simulations. They are run once.
    snapshot = folder / "empty"
    shutil.copytree(site.folder, snapshot)
    assert site.run(("nightly", "--day", NIGHT, *of_router), then)[0] == 0
    site.back_to(snapshot)
    vouch_for_shared_runs(site.installation.database_url)
    for number, command in enumerate(("stage ingest", "nightly", "change approve", "router deliver", "data prune")):
        arguments = [*command.split(), *(() if command == "data prune" else of_router)]
        if command in ("stage ingest", "nightly"):
            arguments += ["--day", NIGHT]
        if command == "change approve":
            with patch("hntes.clock.now_ms", return_value=then):  # when it waits; today it may have expired
                (waiting,) = site.installation.json("change", "list")
            arguments += ["--hash", waiting["candidate_hash"], "--who", "anna"]
        now_ms = later if command == "data prune" else then
        before = folder / f"before{number}"
        shutil.copytree(site.folder, before)
        status, writes = site.run(arguments, now_ms)
        assert status == 0, arguments
        assert writes > 0, arguments
        assert site.run(VERIFY, now_ms)[0] == 0, arguments
        yield Step(command, tuple(arguments), now_ms, before, writes, _comparable(site.installation.state()))


def _comparable(state: State) -> State:
    """Without the temporary file of a write that was under way, and how often pruning was begun."""
    files, tables = state["files"], state["tables"]
    assert isinstance(files, dict)
    assert isinstance(tables, dict)
    kept = {
        name: {path: content for path, content in folder.items() if not path.endswith(".tmp")}
        for name, folder in files.items()
    }
    events = [row for row in tables["audit_event"] if "'prune'" not in row]
    return {"files": kept, "tables": tables | {"audit_event": events}}


def _kill(site: Site, step: Step, moments: Sequence[int]) -> int:
    """Kills the command at each of these writes in turn, where it still has that many; then runs it to its end.

    Returns how often it was killed.
    """
    site.back_to(step.before)
    ends = [site.run(step.arguments, step.now_ms, moment)[0] for moment in moments]
    assert ends[0] == -signal.SIGKILL
    assert set(ends) <= {-signal.SIGKILL, 0, REFUSED}
    status, _ = site.run(step.arguments, step.now_ms)
    # An approval that was recorded right before the kill is recorded.
    assert status in ((0, REFUSED) if step.command == "change approve" else (0,))
    what = f"{step.command} killed before durable writes {moments} of {step.writes}"
    assert _comparable(site.installation.state()) == step.after, what
    # Of the other steps the log is, row for row, the one that was verified.
    if step.command == "data prune":
        assert site.run(VERIFY, step.now_ms)[0] == 0, what
    return ends.count(-signal.SIGKILL)


def _run_campaign(folder: Path, kills: int, chance: Random) -> None:
    with prepared(folder) as (site, steps):
        every = [(step, moment) for step in steps for moment in range(step.writes)]
        assert len(every) > 20
        done = sum(_kill(site, step, (moment,)) for step, moment in every)
        assert done == len(every) < kills
        while done < kills:
            step = chance.choice(steps)
            done += _kill(site, step, [chance.randrange(step.writes) for _ in range(chance.randint(2, 3))])


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_kill_before_each_durable_write(tmp_path: Path) -> None:
    """Each durable write once; then two or three in a row, the same ones every time."""
    _run_campaign(tmp_path, KILLS, Random(20261123))


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_a_thousand_kills(tmp_path: Path, chance: Random) -> None:
    _run_campaign(tmp_path, KILLS_OF_CAMPAIGN, chance)
