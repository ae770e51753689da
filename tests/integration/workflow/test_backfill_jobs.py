"""The parts of a backfill: as many as there is room for, one that is killed alone, a cluster's in one session."""

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from functools import partial
from pathlib import Path

import pytest

from hntes.sql import changes
from hntes.sql.session import reading
from hntes.workflow import answering_folders
from hntes.workflow.context import Context, opened
from hntes.workflow.stages import backfill, places
from hntes.workflow.stages.backfill_parts import BackfillPart, Part, run_parts
from hntes.workflow.stages.job_budget import Machine
from hntes.workflow.stages.signs import Signs
from tests.support.dead_server import can_be_dead, dead_server
from tests.support.installation import ROOT, demo_installation, installation_in
from tests.support.stand_in_cluster import ON_A_CLUSTER, stand_in

NIGHT = date(2026, 11, 20)
PATIENCE_S = 60.0
LIMIT_S = 4.0
FLOWS = ROOT / "demo" / "flows"


# (processors, free MiB), and what of it the parts get: how many may be at once, and workers of each of the three
# folders, of the twelve days of routers, and of the three routers
@pytest.mark.parametrize(
    ("machine", "jobs", "workers"),
    [
        (Machine(32, 1100), 2, (16, 16, 16)),
        (Machine(3, 64_000), 3, (1, 1, 1)),
        (Machine(32, None), 8, (10, 4, 10)),
    ],
)
def test_they_share_processors_and_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: Machine, jobs: int, workers: tuple[int, int, int]
) -> None:
    asked = []
    days = tuple(NIGHT + timedelta(days=number) for number in range(4))

    def take_note(_context: Context, parts: Iterable[Part], jobs: int, _limit_s: float) -> None:
        waiting = deque(parts)
        while waiting:
            part = waiting.popleft()
            asked.append((jobs, part.workers))
            waiting.extend(part.then(BackfillPart(0, {}, days=days)))

    monkeypatch.setattr(backfill, "run_parts", take_note)
    monkeypatch.setattr(Machine, "here", lambda: machine)
    site = demo_installation(tmp_path, routers=3)
    backfill.run_backfill(site.settings, (), days, 8, lambda _: None)
    folder, day, router = workers
    assert asked == [(jobs, folder)] * 3 + [(jobs, day)] * 12 + [(jobs, router)] * 3


def count(_context: Context, _signs: Signs, number: int) -> BackfillPart:
    """A part that counts; the one without a number is killed, as by a kernel without memory."""
    if not number:
        os.kill(os.getpid(), signal.SIGKILL)
    return BackfillPart(number, {})


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_that_is_killed_fails_alone_and_by_its_name(tmp_path: Path, jobs: int) -> None:
    found = ran(
        tmp_path, {name: partial(count, number=number) for name, number in (("a", 3), ("b", 0), ("c", 4))}, jobs
    )
    assert (found.pop("a"), found.pop("c")) == (BackfillPart(3, {}), BackfillPart(4, {}))
    assert found["b"].failures.keys() == {"b"}
    assert "its process ended by itself" in found["b"].failures["b"]


def test_each_day_of_one_may_take_as_long_as_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch)
    over = threading.Event()

    def many_days(_context: Context, signs: Signs) -> BackfillPart:
        for _ in range(8):
            time.sleep(LIMIT_S / 4)
            signs.has_done_day()
        return BackfillPart(8, {})

    def long_day(_context: Context, _signs: Signs) -> BackfillPart:
        over.wait()
        return BackfillPart(1, {})

    try:
        found = ran(tmp_path, {"many": many_days, "long": long_day}, 2, LIMIT_S, **ON_A_CLUSTER)
    finally:
        over.set()
    assert found["many"] == BackfillPart(8, {})
    how = "is left alone until this command ends; run the backfill again"
    assert found["long"].failures == {"long": f"a day of it took more than {LIMIT_S:.0f} s, and it {how}"}


def ran(
    folder: Path,
    works: dict[str, Callable[[Context, Signs], BackfillPart]],
    jobs: int,
    limit_s: float = PATIENCE_S,
    **replaced: str,
) -> dict[str, BackfillPart]:
    """The results of parts by their names; `replaced` exchanges texts in the settings."""
    found = {}

    def part(name: str, work: Callable[[Context, Signs], BackfillPart]) -> Part:
        def then(result: BackfillPart) -> list[Part]:
            found[name] = result
            return []

        return Part(name, work, then)

    with opened(installation_in(folder, routers=1, **replaced).settings) as context:
        run_parts(context, [part(name, work) for name, work in works.items()], jobs, limit_s)
    return found


def test_on_a_cluster_they_share_one_session_that_waits_for_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stand_in(monkeypatch)
    site = demo_installation(tmp_path, routers=2, **ON_A_CLUSTER)
    done = backfill.run_backfill(site.settings, (), [NIGHT], 2, lambda _: None)
    assert (done.failures, done.proposals) == ({}, 2)
    # as after a night, the head of the audit log is written down
    anchors = (site.output.parent / "var" / "audit-anchors.log").read_text()
    assert site.json("audit", "--head")["hash"] in anchors
    (session,) = made
    assert all(session.patient)
    # the look at the cluster, and at least the files of two folders and two stages of two routers
    assert len(session.patient) >= 1 + 2 + 4


@pytest.mark.skipif(not can_be_dead(), reason="fanotify needs CAP_SYS_ADMIN")
def test_folders_that_do_not_answer_fail_alone_and_take_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hung = [tmp_path / name for name in ("dead1", "dead2")]
    replaced = {}
    for number, folder in enumerate(hung, start=1):
        folder.mkdir()
        replaced[f'"{FLOWS}/r{number}"'] = f'"{folder}"'
    site = demo_installation(tmp_path / "site", **replaced)
    for module in (answering_folders, backfill):
        monkeypatch.setattr(module, "NOTICE_S", 2.0)
    with dead_server(*hung):
        begun_s = time.monotonic()
        done = backfill.run_backfill(site.settings, (), [NIGHT], 1, lambda _: None)
        # parts that read would wait for them for ten minutes each
        assert time.monotonic() - begun_s < PATIENCE_S
    reason = "no answer for 2 s; does its file server answer? Then run the backfill again"
    assert done.failures == {str(folder): reason for folder in hung}
    assert done.proposals == 1
    with opened(site.settings) as context, reading(context.database) as session:
        assert [len(changes.nightly_changes(session, name)) for name in ("r1", "r2", "r3")] == [0, 0, 1]


@pytest.mark.skipif(not can_be_dead(), reason="fanotify needs CAP_SYS_ADMIN")
def test_a_folder_that_hangs_below_its_top_holds_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hung = tmp_path / "flows"
    (hung / "2026").mkdir(parents=True)
    site = demo_installation(tmp_path / "site", **{f'"{FLOWS}/r1"': f'"{hung}"'})
    monkeypatch.setattr(places, "SILENT_S", 2.0)
    monkeypatch.setattr(Machine, "here", lambda: Machine(1, None))
    proposed: list[str] = []
    with dead_server(hung / "2026") as server:

        def hear(line: str) -> None:
            if "change proposed" in line:
                proposed.append(line.partition(":")[0])
            if len(proposed) == 2:  # all that there is to do without it
                server.back()

        done = backfill.run_backfill(site.settings, (), [NIGHT], 1, hear)
    assert (sorted(proposed), proposed[-1]) == (["r1", "r2", "r3"], "r1")
    assert done.failures == {}
    assert done.noted[f"{hung} {NIGHT}"] == "no flow file of this day"
