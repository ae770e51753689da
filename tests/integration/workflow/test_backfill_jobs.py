"""The processes of a backfill are as many as the machine has room for."""

from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from hntes.etl.workers import killed_pool
from hntes.workflow.stages import backfill
from hntes.workflow.stages.job_budget import Machine
from tests.support.installation import installation_in


@pytest.mark.parametrize(
    ("machine", "processes"), [(Machine(32, 1100), 2), (Machine(3, 64_000), 3), (Machine(32, None), 8)]
)
def test_processors_and_memory_bound_its_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: Machine, processes: int
) -> None:
    asked = []

    def pool(workers: int) -> AbstractContextManager[ProcessPoolExecutor]:
        asked.append(workers)
        return killed_pool(1)

    monkeypatch.setattr(backfill, "killed_pool", pool)
    monkeypatch.setattr(Machine, "here", lambda: machine)
    site = installation_in(tmp_path, routers=1)
    backfill.run_backfill(site.settings, (), [], 8, lambda _: None)
    assert asked == [processes]
