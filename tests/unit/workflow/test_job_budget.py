"""The jobs that fit a machine."""

import logging
import os
from pathlib import Path

import pytest

from hntes.workflow.stages import control_groups, job_budget
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


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the control groups of a machine that has 8 GiB free."""
    monkeypatch.setattr(control_groups, "_MOUNTED", tmp_path / "cgroup")
    monkeypatch.setattr(control_groups, "_OWN", tmp_path / "own")
    monkeypatch.setattr(job_budget, "_MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)))
    (tmp_path / "meminfo").write_text("MemTotal: 9000000 kB\nMemAvailable:    8388608 kB\n")
    return tmp_path / "cgroup"


def put(group: Path, **texts: str) -> None:
    """Writes a group's files; in their names _ stands for a dot."""
    group.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (group / name.replace("_", ".", 1)).write_text(f"{text}\n")


def test_a_container_has_less_than_its_machine(groups: Path) -> None:
    assert Machine.here() == Machine(16, 8192)
    (groups.parent / "own").write_text("0::/\n")
    put(groups, cpu_max="100000 100000", memory_max=f"{3 << 30}", memory_current=f"{2 << 30}")
    put(groups, memory_stat=f"anon 5\ninactive_file {1 << 30}")
    assert Machine.here() == Machine(1, 2048)
    put(groups, cpu_max="max 100000", memory_max="max")
    assert Machine.here() == Machine(16, 8192)


def test_a_unit_and_its_slice_have_less_than_their_machine(groups: Path) -> None:
    """MemoryMax= and CPUQuota= of a service are in its own group; the least on the way up counts."""
    (groups.parent / "own").write_text("0::/system.slice/hntes.service\n")
    put(groups, cpu_max="max 100000")
    unit = groups / "system.slice" / "hntes.service"
    put(unit, cpu_max="350000 100000", memory_max=f"{4 << 30}", memory_current=f"{1 << 30}")
    assert Machine.here() == Machine(3, 3072)
    put(unit.parent, cpu_max="50000 100000", memory_max=f"{8 << 30}", memory_current=f"{6 << 30}")
    assert Machine.here() == Machine(1, 2048)
    put(groups / "user.slice", cpu_max="10000 100000", memory_max="1", memory_current="0")
    assert Machine.here() == Machine(1, 2048)


def test_groups_of_version_1(groups: Path) -> None:
    (groups.parent / "own").write_text("9:name=systemd:/box/hntes\n5:memory:/box/hntes\n2:cpu,cpuacct:/box\n0::/\n")
    unlimited = "9223372036854771712"
    put(groups / "memory", memory_limit_in_bytes=unlimited, memory_usage_in_bytes=f"{1 << 30}")
    put(groups / "memory" / "box" / "hntes", memory_limit_in_bytes=unlimited, memory_usage_in_bytes=f"{1 << 30}")
    put(groups / "cpu" / "box", cpu_cfs_quota_us="-1", cpu_cfs_period_us="100000")
    assert Machine.here() == Machine(16, 8192)
    put(groups / "memory" / "box", memory_limit_in_bytes=f"{5 << 30}", memory_usage_in_bytes=f"{4 << 30}")
    put(groups / "memory" / "box", memory_stat=f"inactive_file 7\ntotal_inactive_file {512 << 20}")
    put(groups / "cpu" / "box", cpu_cfs_quota_us="200000")
    assert Machine.here() == Machine(2, 1536)


def test_a_container_that_sees_the_name_of_its_group_and_only_its_own_folders(groups: Path) -> None:
    for path in ("/docker/0123", "/../../docker/0123"):
        (groups.parent / "own").write_text(f"4:memory:{path}\n0::{path}\n")
        put(groups / "memory", memory_limit_in_bytes=f"{2 << 30}", memory_usage_in_bytes=f"{1 << 30}")
        put(groups, cpu_max="200000 100000")
        assert Machine.here() == Machine(2, 1024)
