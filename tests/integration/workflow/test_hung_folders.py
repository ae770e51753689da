"""A night's jobs: a folder that hangs leaves its place to the next, one that is read keeps it; a kill ends one job."""

import os
import re
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from itertools import count
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


def shares(
    site: Installation, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], jobs: int
) -> list[tuple[str, int | None]]:
    """The pieces of a night on 64 processors, in their order: folder or router, and how many workers each may have."""
    asked: list[tuple[str, int | None]] = []

    def begin(context: Context, _day: date, step: Step) -> Beside:
        asked.append((step.router or step.folder.name, context.most_workers))
        ours, theirs = Pipe(duplex=False)
        theirs.send(Ended())
        return Beside(ours, lambda: None, "was ended")

    monkeypatch.setattr(night_jobs, "lane_in_process", begin)
    monkeypatch.setattr(Machine, "here", lambda: Machine(64, 64_000))
    with opened(site.settings) as context:
        night_jobs.run_night_jobs(context, date.fromisoformat(NIGHT), context.chosen(names), jobs, LIMIT_S)
    return asked


@pytest.mark.parametrize(
    ("names", "jobs", "workers"), [(("r1",), 64, 64), (("r1", "r2"), 64, 32), (("r1", "r2"), 1, 64), ((), 4, 16)]
)
def test_processors_are_shared_by_as_many_pieces_as_there_can_be(
    site: Installation, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], jobs: int, workers: int
) -> None:
    assert {each for _, each in shares(site, monkeypatch, names, jobs)} == {workers}


def test_one_folder_of_many_routers_has_all_processors(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    routers = ("r1", "r2", "r3", "r4", "r5")
    numbers = count(1)

    def shared(_: re.Match[str]) -> str:
        return f'flow_folder = "{ROOT}/demo/flows/r1"\nexporters = ["198.19.251.{next(numbers)}"]\n'

    site.settings.write_text(re.sub(r"flow_folder = .*\n", shared, site.settings.read_text()))
    folder, *others = shares(site, monkeypatch, (), 8)
    assert folder == ("r1", 64)
    assert others == [(name, 64 // 5) for name in routers]


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
