"""A night's jobs: a folder that hangs leaves its place to the next, one that is read keeps it; a kill ends one job."""

import os
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from logging import WARNING, makeLogRecord
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from hntes.workflow.context import Context, opened
from hntes.workflow.stages import night_jobs, places
from hntes.workflow.stages.beside import Beside
from hntes.workflow.stages.job_budget import Machine
from hntes.workflow.stages.lane import Ended, Step
from hntes.workflow.stages.night import Night
from hntes.workflow.stages.signs import Reading
from tests.support.installation import ROOT, Installation, installation_in
from tests.support.prepared_nights import NIGHT

SILENT_S, LIMIT_S = 0.3, 3.0
FREE_MIB = 4096
FLOWS = ROOT / "demo" / "flows"
# What a folder's piece does with its messages; the pieces of routers and of other folders end at once.
Doing = Callable[[Connection], None]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setattr(places, "SILENT_S", SILENT_S)
    monkeypatch.setattr(Machine, "here", lambda: Machine(2, FREE_MIB))
    return installation_in(tmp_path, routers=5)


def hang(_: Connection) -> None:
    """Says nothing until long after the limit."""
    time.sleep(10 * LIMIT_S)


def complain(messages: Connection) -> None:
    """Logs again and again that it waits, until nobody listens: at the limit."""
    with suppress(OSError):
        while True:
            messages.send(makeLogRecord({"name": "hntes.warning", "msg": "no answer", "levelno": WARNING}))
            time.sleep(SILENT_S / 3)


def read_slowly(messages: Connection) -> None:
    """Reads files for several times as long as one that is silent is waited for."""
    for _ in range(10):
        messages.send(Reading())
        time.sleep(SILENT_S / 3)
    messages.send(Ended())


def die_in_a_message(messages: Connection) -> None:
    """Announces a message of 1 MiB, of which a pipe takes 64 KiB at once, and is killed after the first of it."""
    os.write(messages.fileno(), struct.pack("!i", 1 << 20) + bytes(1000))
    messages.close()


def run(
    site: Installation, monkeypatch: pytest.MonkeyPatch, jobs: int, doing: dict[str, Doing]
) -> tuple[Night, list[str]]:
    """The night, and its pieces in the order in which they ended; `doing` by the folder's name."""
    order: list[str] = []

    def begin(_context: Context, _day: date, step: Step) -> Beside:
        ours, theirs = Pipe(duplex=False)
        work = doing.get(step.folder.name) if not step.router else None
        if work is None:
            theirs.send(Ended())
        else:
            threading.Thread(target=work, args=(theirs,), daemon=True).start()
        return Beside(ours, lambda: None, "was ended")

    monkeypatch.setattr(night_jobs, "lane_in_process", begin)
    with opened(site.settings) as context:
        routers = context.chosen(())
        assert [router.flow_folder.name for router in routers] == ["r1", "r2", "r3", "r4", "r5"]
        night = night_jobs.run_night_jobs(
            context, date.fromisoformat(NIGHT), routers, jobs, LIMIT_S, lambda _done, _all, name: order.append(name)
        )
    return night, [Path(name).name for name in order]


def test_more_folders_that_hang_than_jobs_hold_up_nobody(
    site: Installation, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    night, order = run(site, monkeypatch, 2, dict.fromkeys(("r1", "r2", "r4"), hang))
    assert order == ["r3", "r3", "r5", "r5", "r1", "r2", "r4"]
    assert night.failures.keys() == {"r1", "r2", "r4"}
    assert all(f"more than {LIMIT_S:.0f} s" in reason for reason in night.failures.values())
    told = [record.getMessage() for record in caplog.records if "no file was read for" in record.getMessage()]
    assert [text.partition(":")[0] for text in told] == [f"{FLOWS}/{name}" for name in ("r1", "r2", "r4")]


def test_a_folder_that_only_complains_is_not_read(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    night, order = run(site, monkeypatch, 1, {"r1": complain})
    assert order == ["r2", "r2", "r3", "r3", "r4", "r4", "r5", "r5", "r1"]
    assert night.failures.keys() == {"r1"}


def test_without_memory_the_next_waits_for_the_limit(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Machine, "here", lambda: Machine(2, 511))
    night, order = run(site, monkeypatch, 2, {"r1": hang})
    assert order[0] == "r1"
    assert night.failures.keys() == {"r1"}


def test_a_folder_that_is_read_keeps_its_place(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    night, order = run(site, monkeypatch, 1, {"r1": read_slowly})
    assert order[:2] == ["r1", "r1"]
    assert night.failures == {}


@pytest.mark.parametrize("die", [die_in_a_message, Connection.close], ids=["in a message", "between messages"])
def test_a_piece_that_is_killed_fails_alone(site: Installation, monkeypatch: pytest.MonkeyPatch, die: Doing) -> None:
    night, order = run(site, monkeypatch, 1, {"r2": die})
    assert order == ["r1", "r1", "r2", "r3", "r3", "r4", "r4", "r5", "r5"]
    assert night.failures.keys() == {"r2"}
    assert "its process ended by itself" in night.failures["r2"]
