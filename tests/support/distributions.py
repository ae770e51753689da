"""nfcapd and nfdump of Debian releases, each in a root directory of its own (debootstrap, from its usual archive)."""

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.forger import Collector, wait_until_it_listens
from tests.support.replay import end_collector, wait_until_read

_LONGEST_S = 1200


class Distribution:
    """A release's base system with nfdump in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        told = self._run("nfdump", "-V").stdout
        found = re.search(r"(\d+)\.(\d+)\.(\d+)", told)
        assert found, told
        self.version = tuple(map(int, found.groups()))

    @contextmanager
    def collecting(self, into: Path, options: Iterable[str] = ()) -> Iterator[Collector]:
        """What is sent in the block becomes the flow file `into`."""
        inside = Path("/flows", into.name)
        outside = self.root / inside.relative_to("/")
        outside.mkdir(parents=True)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        folder_option = "-w" if self.version >= (1, 7) else "-l"
        command = ["nfcapd", "-t", "3600", "-b", "127.0.0.1", "-p", str(port), folder_option, str(inside), *options]
        with subprocess.Popen(self._inside(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            wait_until_it_listens(port)
            yield Collector(port)
            wait_until_read(port)
            end_collector(process)
            said, _ = process.communicate()
        files = sorted(outside.glob("nfcapd.[0-9]*"))
        assert len(files) == 1, f"nfcapd left {[file.name for file in files]}: {said.decode(errors='replace')}"
        shutil.copyfile(files[0], into)

    def summary(self, path: Path) -> dict[str, int]:
        """What its own nfdump says of a file (`nfdump -I`): flows, packets, bytes."""
        inside = self.root / "flows" / "listed"
        shutil.copyfile(path, inside)
        told = self._run("nfdump", "-r", "/flows/listed", "-I").stdout
        return {name.lower(): int(number) for name, number in re.findall(r"^(Flows|Packets|Bytes): (\d+)$", told, re.M)}

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._inside(list(command)), check=True, capture_output=True, text=True, timeout=60, errors="replace"
        )

    def _inside(self, command: list[str]) -> list[str]:
        return ["chroot", str(self.root), *command]


def distribution(release: str, folder: Path) -> Distribution:
    """That release below the folder; a reason to skip where it cannot be had."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("needs root and debootstrap")
    root = folder / release
    command = ["debootstrap", "--variant=minbase", "--include=nfdump", release, str(root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
    if done.returncode != 0 and not (root / "usr").exists():
        pytest.skip(f"{release} cannot be fetched: {(done.stdout + done.stderr).strip()[-200:]}")
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-500:]
    return Distribution(root)
