"""Commands that share a cluster, and a cluster that loses parts while they work: all end as on one machine."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hntes.workflow.errors import FAILED
from tests.support import minio, spark
from tests.support.installation import Installation
from tests.support.lake_on_s3 import hashes_in_folder, hashes_on, in_bucket, in_ledger
from tests.support.prepared_nights import NIGHT
from tests.support.spark_cluster import standalone_cluster
from tests.support.spark_site import LIMIT_S, SparkSite, kill, site_here, spark_site
from tests.support.state import State, differences, without_surroundings

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(bool(spark.missing()), reason=spark.missing() or "all is there"),
]
AWAY_S = 120.0
AIRFLOWS_DELAY_S = 60.0  # before the second attempt, docs/how-to/airflow.md


@pytest.fixture
def master(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A cluster of its own for each test, since some lose a worker; its workers have the keys of the object store."""
    for name, value in minio.KEYS.items():
        monkeypatch.setenv(name, value)
    with standalone_cluster(workers=2, worker_memory_mb=512) as address:
        yield address


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Four routers' flows, read and searched on one machine."""
    made = site_here(tmp_path_factory.mktemp("plain"), 4).hntes
    for router in ("r1", "r2", "r3", "r4"):
        made.run(*stage("ingest", router))
        made.run(*stage("detect", router))
    return made


def stage(name: str, router: str) -> tuple[str, ...]:
    return ("stage", name, "--day", NIGHT, "--router", router)


def begun(site: Installation, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(site.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended_well(command: "subprocess.Popen[str]") -> None:
    _, said = command.communicate(timeout=LIMIT_S)
    assert command.returncode == 0, said


def of_router(state: State, router: str) -> State:
    """What a state has of one router: the rows that name it, and the files of its folders."""
    tables, files = state["tables"], state["files"]
    assert isinstance(tables, dict)
    assert isinstance(files, dict)
    mine = {name: [row for row in rows if f"'{router}'" in row] for name, rows in tables.items()}
    lake = {path: digest for path, digest in files["lake"].items() if f"router={router}/" in path}
    return {"tables": mine, "files": {"lake": lake}}


def same(site: Installation, plain: Installation, routers: int) -> None:
    """Fails unless both have the same rows and parts of these routers, and some of each."""
    here, there = without_surroundings(site.state()), without_surroundings(plain.state())
    for number in range(1, routers + 1):
        mine, expected = of_router(here, f"r{number}"), of_router(there, f"r{number}")
        assert differences(mine, expected) == []
        assert expected["files"]["lake"]  # type: ignore[index]


@pytest.mark.parametrize("commands", [2, 4])
def test_commands_at_once_all_end_well(master: str, plain: Installation, tmp_path: Path, commands: int) -> None:
    """Four have more cores in mind than the cluster has: two wait for their turn."""
    site = spark_site(tmp_path, master, routers=commands).hntes
    for name in ("ingest", "detect"):
        running = [begun(site, *stage(name, f"r{number + 1}")) for number in range(commands)]
        for command in running:
            ended_well(command)
    same(site, plain, commands)


@pytest.mark.parametrize("lost", ["reader", "executor", "worker"])
def test_a_part_of_the_cluster_that_is_killed_costs_nothing(
    master: str, plain: Installation, tmp_path: Path, lost: str
) -> None:
    site = spark_site(tmp_path, master)
    command = _held_ingest(site)
    kill(getattr(site.held(), lost))
    site.release()
    ended_well(command)
    ended_well(begun(site.hntes, *stage("detect", "r1")))
    same(site.hntes, plain, 1)


def test_a_driver_that_is_killed_is_run_again(master: str, plain: Installation, tmp_path: Path) -> None:
    site = spark_site(tmp_path, master)
    command = _held_ingest(site)
    site.held()
    command.kill()
    command.communicate()
    site.release()
    for name in ("ingest", "detect"):
        ended_well(begun(site.hntes, *stage(name, "r1")))
    same(site.hntes, plain, 1)


@pytest.mark.skipif(bool(minio.missing()), reason=minio.missing() or "there is one")
def test_a_store_that_is_away_for_two_minutes_is_told_and_outlived(
    master: str, plain: Installation, tmp_path: Path
) -> None:
    with minio.minio(tmp_path) as server:
        site = spark_site(tmp_path / "cluster", master, **in_bucket(server.endpoint, minio.BUCKET))
        command = _held_ingest(site)
        site.held()
        server.kill()
        away_s = time.monotonic()
        site.release()
        _, said = command.communicate(timeout=LIMIT_S)
        assert (command.returncode, "cannot be reached or cannot answer now" in said) == (FAILED, True), said
        time.sleep(max(0.0, AWAY_S - (time.monotonic() - away_s)))
        server.start()
        time.sleep(max(0.0, AIRFLOWS_DELAY_S - (time.monotonic() - away_s)))
        for name in ("ingest", "detect"):
            ended_well(begun(site.hntes, *stage(name, "r1")))
        expected = {part: digest for part, digest in hashes_in_folder(plain.lake).items() if "router=r1/" in part}
        assert hashes_on(server.endpoint, minio.BUCKET) == expected
        assert in_ledger(site.hntes) == set(expected)
        assert site.hntes.json("flows", "--day", NIGHT, "--router", "r1") == plain.json(
            "flows", "--day", NIGHT, "--router", "r1"
        )


def _held_ingest(site: SparkSite) -> "subprocess.Popen[str]":
    site.hold()
    return begun(site.hntes, *stage("ingest", "r1"))
