"""The jobs that fit a machine."""

import logging
from pathlib import Path

import pytest

from hntes.workflow.stages import job_budget
from hntes.workflow.stages.job_budget import Machine, jobs_within


@pytest.mark.parametrize(
    ("memory_mib", "wanted", "jobs"),
    [(None, 8, 8), (64_000, 8, 8), (2_100, 8, 4), (100, 8, 1), (-5, 2, 1), (100, 1, 1)],
)
def test_jobs_are_as_many_as_memory_has_room_for(
    memory_mib: int | None, wanted: int, jobs: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "hntes.warning"):
        assert jobs_within(Machine(16, memory_mib), wanted) == jobs
    assert bool(caplog.records) == (jobs < wanted)


def test_jobs_are_as_many_as_processors(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "hntes.warning"):
        assert jobs_within(Machine(4, None), 256) == 4
        assert jobs_within(Machine(4, 1_024), 256) == 2
        assert jobs_within(Machine(4, 64_000), 4) == 4
        assert jobs_within(Machine(4, 64_000), 32, is_cluster=True) == 32
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        "4 of 256 jobs at once", "4 of 256 jobs at once", "memory for 2 of 4 jobs",
    ]  # fmt: skip


def test_a_container_has_less_than_its_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_budget, "_GROUP", tmp_path)
    monkeypatch.setattr(job_budget, "_MEMORY", tmp_path / "meminfo")
    (tmp_path / "meminfo").write_text("MemTotal: 9000000 kB\nMemAvailable:    8388608 kB\n")
    assert Machine.here().memory_mib == 8192
    for name, text in {"cpu.max": "100000 100000", "memory.max": f"{3 << 30}", "memory.current": f"{2 << 30}"}.items():
        (tmp_path / name).write_text(f"{text}\n")
    (tmp_path / "memory.stat").write_text(f"anon 5\ninactive_file {1 << 30}\n")
    assert Machine.here() == Machine(1, 2048)
    (tmp_path / "cpu.max").write_text("max 100000\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert Machine.here().memory_mib == 8192
