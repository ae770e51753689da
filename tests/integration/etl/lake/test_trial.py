"""The trial of a store is refused where a night would be, leaves nothing, and disturbs no other."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hntes.etl.errors import LakeAwayError, LakeError
from hntes.etl.lake.store import Store, part_name, store_of
from hntes.etl.lake.trial import NAME, try_out
from hntes.etl.lake.url import LakeUrl, S3Options
from tests.support.fake_s3 import BUCKET, FakeS3, Query, fake_s3

KEY = f"lake/{NAME}"
PART = f"lake/{part_name('r1', date(2026, 11, 20), 'a')}"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeS3]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "hntes")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not a secret")
    with fake_s3() as made:
        made.objects[PART] = b"a part"
        yield made


@pytest.fixture
def store(bucket: FakeS3, tmp_path: Path) -> Store:
    return store_of(LakeUrl(f"s3://{BUCKET}/lake", tmp_path / "state", S3Options(bucket.endpoint, tls=False)))


def without_folders(bucket: FakeS3) -> dict[str, bytes]:
    """The objects but those, of no bytes, that pyarrow makes of the folder of what it has removed."""
    return {key: content for key, content in bucket.objects.items() if not key.endswith("/")}


def test_keys_that_may_do_all_leave_nothing(bucket: FakeS3, store: Store) -> None:
    try_out(store)
    assert [method for method, key in bucket.requests if key == KEY and method != "HEAD"] == ["PUT", "GET", "DELETE"]
    assert without_folders(bucket) == {PART: b"a part"}
    assert [part.name for part in store.parts()] == [PART.removeprefix("lake/")]


@pytest.mark.parametrize(("method", "act"), [("PUT", "write"), ("GET", "read"), ("DELETE", "remove")])
def test_what_keys_may_not_do_is_named(bucket: FakeS3, store: Store, method: str, act: str) -> None:
    bucket.answer = lambda asked, key, _: (403, "AccessDenied") if (asked, key) == (method, KEY) else None
    with pytest.raises(LakeError, match=rf"its keys may not do this.*this was to {act} s3://{BUCKET}/lake/\{NAME}"):
        try_out(store)
    assert (KEY in bucket.objects) == (act == "remove")
    bucket.answer = lambda *_: None
    try_out(store)
    assert without_folders(bucket) == {PART: b"a part"}


def test_a_store_that_is_away_stays_one(bucket: FakeS3, store: Store) -> None:
    bucket.answer = lambda *_: (503, "SlowDown")
    with pytest.raises(LakeAwayError, match="this was to write"):
        try_out(store)


def test_a_trial_beside_another_is_none_of_its_faults(bucket: FakeS3, store: Store) -> None:
    def removed(method: str, key: str, _: Query) -> None:
        if (method, key) == ("HEAD", KEY):
            bucket.objects.pop(key, None)

    bucket.answer = removed
    try_out(store)
    assert without_folders(bucket) == {PART: b"a part"}


def test_a_shared_file_system_is_tried_likewise(tmp_path: Path) -> None:
    try_out(store_of(LakeUrl(f"file://{tmp_path}/lake", tmp_path / "state")))
    assert list((tmp_path / "lake").iterdir()) == []
