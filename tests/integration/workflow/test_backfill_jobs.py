"""The parts of a backfill: as many as there is room for, one that is killed alone, a cluster's in one session."""

import os
import signal
import time
from collections.abc import Mapping
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hntes.sql import changes
from hntes.sql.session import reading
from hntes.workflow import answering_folders
from hntes.workflow.context import Context, opened
from hntes.workflow.stages import backfill
from hntes.workflow.stages.backfill_parts import BackfillPart, Part, run_parts
from hntes.workflow.stages.job_budget import Machine
from tests.support.dead_server import can_be_dead, dead_server
from tests.support.installation import ROOT, demo_installation, installation_in
from tests.support.stand_in_cluster import ON_A_CLUSTER, stand_in

NIGHT = date(2026, 11, 20)
PATIENCE_S = 60.0
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

    def take_note(context: Context, parts: Mapping[Any, Part], jobs: int) -> dict[Any, BackfillPart]:
        asked.append((jobs, context.most_workers))
        return {key: BackfillPart(0, {}) for key in parts}

    monkeypatch.setattr(backfill, "run_parts", take_note)
    monkeypatch.setattr(Machine, "here", lambda: machine)
    site = demo_installation(tmp_path, routers=3)
    days = [NIGHT + timedelta(days=number) for number in range(4)]
    backfill.run_backfill(site.settings, (), days, 8, lambda _: None)
    assert asked == [(jobs, each) for each in workers]


def count(_context: Context, number: int) -> BackfillPart:
    """A part that counts; the one without a number is killed, as by a kernel without memory."""
    if not number:
        os.kill(os.getpid(), signal.SIGKILL)
    return BackfillPart(number, {})


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_that_is_killed_fails_alone_and_by_its_name(tmp_path: Path, jobs: int) -> None:
    site = installation_in(tmp_path, routers=1)
    parts = {name: Part(name, partial(count, number=number)) for name, number in (("a", 3), ("b", 0), ("c", 4))}
    with opened(site.settings) as context:
        found = run_parts(context, parts, jobs)
    assert list(found) == ["a", "b", "c"]
    assert (found["a"], found["c"]) == (BackfillPart(3, {}), BackfillPart(4, {}))
    assert found["b"].failures.keys() == {"b"}
    assert "its process ended by itself" in found["b"].failures["b"]


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
