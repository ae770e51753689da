"""Every kind of lake: what a killed run may have left there, of its own flow folder alone; days and their parts."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hntes.etl.lake.part import folder_tag
from hntes.etl.lake.store import Leavings, Store, part_name, set_aside_name, store_of
from hntes.etl.lake.url import LakeUrl, S3Options
from tests.support.fake_s3 import BUCKET, fake_s3

DAY = date(2026, 11, 20)
TAG, OTHER = folder_tag(Path("/flows/r1")), folder_tag(Path("/flows/r2"))
STEMS = frozenset({f"{TAG}-aaaa-bbbb", f"{TAG}-cccc-bbbb"})
MINE = {
    part_name("r1", DAY, f"{TAG}-aaaa-bbbb"),
    f"flows/router=r1/day={DAY}/.{TAG}-cccc-bbbb.parquet.4711.tmp",
    set_aside_name(f"{TAG}-cccc-bbbb"),
}
OTHERS = {
    part_name("r2", DAY, f"{OTHER}-aaaa-bbbb"),
    # a name that ends in what the first folder's names begin with
    part_name("r1", DAY, f"{OTHER}-aaaaaaaa{TAG}-bbbb"),
    set_aside_name(f"{OTHER}-{TAG}-bbbb"),
}


@pytest.fixture(params=["folder", "shared", "objects"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    if request.param == "folder":
        yield store_of(tmp_path)
    elif request.param == "shared":
        yield store_of(LakeUrl(f"file://{tmp_path}/lake", tmp_path / "state"))
    else:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "hntes")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not a secret")
        with fake_s3() as bucket:
            yield store_of(LakeUrl(f"s3://{BUCKET}/lake", tmp_path, S3Options(bucket.endpoint, tls=False)))


def put(store: Store, names: set[str]) -> None:
    for name in names:
        with store.writing(name) as stream:
            stream.write(name.encode())


def test_a_lake_that_is_not_there_yet_has_nothing(store: Store) -> None:
    assert store.left_by(Leavings(TAG, 0, ("r1",))) == set()
    assert store.left_by(Leavings(TAG, 0, ("r1",), (DAY, DAY), STEMS)) == set()
    assert list(store.parts()) == []
    assert store.missing(MINE) == MINE


def test_all_of_a_folder_is_found_and_nothing_of_others(store: Store) -> None:
    put(store, MINE | OTHERS)
    assert store.left_by(Leavings(TAG, 0, ("r1",))) == MINE
    assert store.left_by(Leavings(TAG, 0, ("r1",), (DAY, DAY), STEMS)) == MINE
    assert store.remove(sorted(MINE)) == 3
    assert store.remove(sorted(MINE)) == 0
    assert store.missing(OTHERS) == set()
    assert store.left_by(Leavings(TAG, 0, ("r1",))) == set()


def test_days_and_their_parts_are_found_by_day(store: Store) -> None:
    days = [date(2026, 11, 18), DAY, date(2026, 11, 24)]
    names = {(router, day): part_name(router, day, f"{TAG}-a-b") for router in ("r1", "r2") for day in days}
    put(store, {*names.values(), set_aside_name(f"{TAG}-c-d")})
    assert store.days() == set(days)
    assert {part.name for part in store.parts()} == set(names.values())
    assert {part.name for part in store.parts(until=DAY)} == {name for (_, day), name in names.items() if day <= DAY}
    assert {part.name for part in store.parts(since=DAY)} == {name for (_, day), name in names.items() if day >= DAY}
    assert {part.name for part in store.parts(DAY, DAY)} == {names["r1", DAY], names["r2", DAY]}
    assert {part.bytes for part in store.parts()} == {len(names["r1", DAY])}


def test_folders_that_people_put_beside_those_of_days_are_none(store: Store) -> None:
    name = part_name("r1", DAY, f"{TAG}-a-b")
    put(store, {name, name.replace(f"day={DAY}", f"day={DAY}.old"), name.replace(f"day={DAY}", "day=before")})
    assert store.days() == {DAY}
    assert [part.name for part in store.parts()] == [name]
    assert [part.name for part in store.parts(DAY, DAY)] == [name]
    assert store.left_by(Leavings(TAG, 0, ("r1",), (DAY, DAY), STEMS)) == {name}
