"""The database on a full disk: the cause is named, and what the message says makes room for `hntes data prune`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.installation import Installation, installation_in
from tests.support.small_disk import can_mount, fill, small_disk

pytestmark = pytest.mark.skipif(not can_mount(), reason="mount needs CAP_SYS_ADMIN")


@pytest.fixture
def disk() -> Iterator[Path]:
    with small_disk() as folder:
        yield folder


@pytest.fixture
def site(disk: Path) -> Installation:
    """Database and cached simulations share the disk; of the latter, one is older than they are kept."""
    simulations = disk / "simulations"
    simulations.mkdir()
    for name in ("old", "new"):
        (simulations / name).write_bytes(bytes(200_000))
    os.utime(simulations / "old", (0, 0))
    retention = "[retention]\nsimulation_days = 400\n\n[review]"
    made = installation_in(disk / "site", routers=1, **{"../var/simulations": str(simulations), "[review]": retention})
    gone = [path for kind in made.json("data", "prune", "--dry-run") for path in kind["files"]]
    assert gone == [str(simulations / "old")]
    return made


def test_it_is_named_with_what_may_be_deleted_and_then_prune_runs(site: Installation, disk: Path) -> None:
    fill(disk)
    failed = site.run("data", "prune", expect=1)
    assert failed.stderr.startswith(f"hntes: database {disk}/site/hntes.db: its disk is full (")
    assert "`paths.simulations`" in failed.stderr
    (disk / "simulations" / "new").unlink()
    site.run("data", "prune")
    assert not (disk / "simulations" / "old").exists()
    (event,) = site.json("audit", "--kind", "prune")
    assert event["detail"] == "simulations: 1 file, 200000 bytes"
