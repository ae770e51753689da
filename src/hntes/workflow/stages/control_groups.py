"""What control groups leave of this machine to this process: a container's, a systemd unit's, and those above."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_MOUNTED = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


def free_memory_bytes() -> int | None:
    """The least that a group of this process has left, with what the kernel can drop; None without a limit."""
    found = [
        _left_bytes(group / "memory.max", group / "memory.current", group / "memory.stat", "inactive_file")
        for group in _groups("")
    ] + [
        # of version 1
        _left_bytes(
            group / "memory.limit_in_bytes", group / "memory.usage_in_bytes", group / "memory.stat",
            "total_inactive_file",
        )
        for group in _groups("memory")
    ]  # fmt: skip
    return min((each for each in found if each is not None), default=None)


def processors() -> int | None:
    """The least processors whose time a group of this process may take, at least one; None without a limit."""
    quotas = [kernel_text(group / "cpu.max").split() for group in _groups("")]
    quotas += [
        [*kernel_text(group / "cpu.cfs_quota_us").split(), *kernel_text(group / "cpu.cfs_period_us").split()]
        for group in _groups("cpu")
    ]
    limits = [max(1, int(each[0]) // int(each[1])) for each in quotas if len(each) == 2 and each[0].isdigit()]
    return min(limits, default=None)


def kernel_text(path: Path) -> str:
    """Of a file of the kernel; "" where there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def _groups(controller: str) -> Iterator[Path]:
    """The folders of this process's group and of all above it, as far as they are seen here.

    `controller` is one of version 1; "" stands for version 2, which has them all in one tree.
    """
    for line in kernel_text(_OWN).splitlines():
        _, controllers, path = line.split(":", 2)
        if controller not in controllers.split(","):
            continue
        # a container may see the name that its host has for it, and only its own folders: then those alone count
        own = PurePosixPath(path if ".." not in path else "/").relative_to("/")
        for each in (own, *own.parents):
            yield _MOUNTED / controller / each


def _left_bytes(most: Path, used: Path, statistics: Path, dropped: str) -> int | None:
    limit, taken = kernel_text(most).strip(), kernel_text(used).strip()
    if not (limit.isdigit() and taken.isdigit()):
        return None
    # files that the kernel keeps and can drop
    kept = dict(line.split() for line in kernel_text(statistics).splitlines()).get(dropped, "0")
    return int(limit) - int(taken) + int(kept)
