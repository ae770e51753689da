"""An object store that is killed during writes and reads: nothing half is there, the repeated night is the same."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from hntes.etl.errors import LakeAwayError
from hntes.etl.lake.objects import ObjectStore
from hntes.etl.lake.store import store_of
from hntes.workflow.errors import FAILED
from tests.support import minio
from tests.support.installation import Installation, installation_in
from tests.support.lake_on_s3 import hashes_in_folder, hashes_on, in_ledger, installation_on
from tests.support.minio import Minio
from tests.support.prepared_nights import NIGHT

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(bool(minio.missing()), reason=minio.missing() or "there is one"),
]
KILLS = 6
AWAY = "cannot be reached or cannot answer now"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Minio]:
    for name, value in minio.KEYS.items():
        monkeypatch.setenv(name, value)
    with minio.minio(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    made = installation_in(tmp_path_factory.mktemp("plain") / "site", routers=1)
    for stage in ("ingest", "detect", "measure"):
        made.run(*stage_of(stage))
    return made


def stage_of(name: str) -> tuple[str, ...]:
    return ("stage", name, "--day", NIGHT, "--router", "r1")


def killing_at(number: int, server: Minio, then: Callable[..., object]) -> Callable[..., object]:
    """A function as it is, but the server is killed while its call of that number is under way or about to be."""
    calls = [0]

    def run(*arguments: object) -> object:
        calls[0] += 1
        if calls[0] == number:
            server.kill()
        return then(*arguments)

    return run


def test_a_night_whose_writes_are_cut_off_ends_like_a_folders(
    server: Minio, plain: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Random
) -> None:
    expected = hashes_in_folder(plain.lake)
    site = installation_on(server.endpoint, minio.BUCKET, tmp_path / "site")
    upload = ObjectStore._upload
    for kill in range(KILLS):
        with monkeypatch.context() as patch:
            patch.setattr(ObjectStore, "_upload", killing_at(chance.randint(1, 2), server, upload))
            begun_s = time.monotonic()
            failed = site.run(*stage_of("ingest"), expect=FAILED)
        assert AWAY in failed.stderr, f"kill {kill}"
        assert time.monotonic() - begun_s < 60
        server.start()
        there = hashes_on(server.endpoint, minio.BUCKET)
        assert there.items() <= expected.items(), "an object is whole or absent"
        if there == expected:
            break
    for stage in ("ingest", "detect", "measure"):
        site.run(*stage_of(stage))
    assert hashes_on(server.endpoint, minio.BUCKET) == expected
    assert in_ledger(site) == set(expected)
    assert site.json("flows", "--day", NIGHT) == plain.json("flows", "--day", NIGHT)


def test_a_night_whose_reads_are_cut_off_ends_like_a_folders(
    server: Minio, plain: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = installation_on(server.endpoint, minio.BUCKET, tmp_path / "site")
    site.run(*stage_of("ingest"))
    copy = ObjectStore._copy
    for stage in ("detect", "measure"):
        for number in (1, 2):
            with monkeypatch.context() as patch:
                patch.setattr(ObjectStore, "_copy", killing_at(number, server, copy))
                assert AWAY in site.run(*stage_of(stage), expect=FAILED).stderr
            server.start()
        site.run(*stage_of(stage))
    assert hashes_on(server.endpoint, minio.BUCKET) == hashes_in_folder(plain.lake)
    assert site.json("flows", "--day", NIGHT) == plain.json("flows", "--day", NIGHT)


def test_a_large_object_whose_upload_is_cut_off_is_the_old_one_or_the_new_one(
    server: Minio, tmp_path: Path, chance: Random
) -> None:
    store = store_of(server.lake(tmp_path))
    name = f"flows/router=r1/day={NIGHT}/large.parquet"
    old, new = b"o" * (20 << 20), chance.randbytes(200 << 20)
    cut = 0
    for _ in range(KILLS):
        with store.writing(name) as stream:
            stream.write(old)
        killing = threading.Timer(chance.uniform(0.05, 1.0), server.kill)
        try:
            with store.writing(name) as stream:
                stream.write(new)
                killing.start()
        except LakeAwayError:
            cut += 1
        killing.join()
        server.start()
        (part,) = store.parts()
        assert part.bytes in (len(old), len(new))
    assert cut > 0, "each upload was over before its server was killed"
