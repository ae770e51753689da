"""The demonstration's nights with their lake in a bucket of MinIO, by each engine: what they are with a folder."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import minio, spark
from tests.support.installation import Installation
from tests.support.lake_on_s3 import hashes_in_folder, hashes_on, in_bucket, in_ledger
from tests.support.spark_cluster import standalone_cluster
from tests.support.spark_site import LIMIT_S, site_here, spark_site
from tests.support.state import differences, state_of, without_surroundings

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(bool(minio.missing()), reason=minio.missing() or "there is one"),
]
NIGHTS = ("2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23")
ROUTERS = 3


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[minio.Minio]:
    for name, value in minio.KEYS.items():
        monkeypatch.setenv(name, value)
    with minio.minio(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Installation, list[int]]:
    """All nights on one machine with a lake in a folder, and how each ended."""
    made = site_here(tmp_path_factory.mktemp("plain"), ROUTERS).hntes
    return made, nights(made)


def nights(site: Installation) -> list[int]:
    """Runs them, each in a process of its own, as cron does; their exit statuses."""
    return [
        subprocess.run(site.command("nightly", "--day", day), timeout=LIMIT_S, check=False).returncode for day in NIGHTS
    ]


def test_nights_on_one_machine_are_those_of_a_folder(
    server: minio.Minio, plain: tuple[Installation, list[int]], tmp_path: Path
) -> None:
    same(server, site_here(tmp_path / "site", ROUTERS, **in_bucket(server.endpoint, minio.BUCKET)).hntes, plain)


@pytest.mark.skipif(bool(spark.missing()), reason=spark.missing() or "all is there")
def test_nights_on_a_cluster_are_those_of_a_folder(
    server: minio.Minio, plain: tuple[Installation, list[int]], tmp_path: Path
) -> None:
    with standalone_cluster(workers=2, worker_memory_mb=512) as master:
        same(
            server,
            spark_site(tmp_path / "site", master, ROUTERS, **in_bucket(server.endpoint, minio.BUCKET)).hntes,
            plain,
        )


def same(server: minio.Minio, site: Installation, plain: tuple[Installation, list[int]]) -> None:
    """Runs the nights, and fails unless parts, rows and outputs are those of the folder's."""
    expected, ended = plain
    assert nights(site) == ended
    written = hashes_on(server.endpoint, minio.BUCKET)
    assert written
    assert written == hashes_in_folder(expected.lake)
    assert set(written) == in_ledger(site)
    assert hashes_on(server.endpoint, minio.BUCKET, kind="set_aside") == hashes_in_folder(expected.lake, "set_aside")
    here, there = (without_surroundings(state_of(each.database_url, each.output)) for each in (site, expected))
    assert differences(here, there) == []
