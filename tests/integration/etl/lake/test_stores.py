"""Every kind of lake: what a killed run may have left there, of its own flow folder alone; days and their parts."""

import os
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hntes.etl.lake.part import folder_tag
from hntes.etl.lake.shared import SharedStore
from hntes.etl.lake.store import Leavings, Store, part_name, set_aside_name, store_of
from hntes.etl.lake.url import LakeUrl, S3Options
from tests.support.fake_s3 import BUCKET, fake_s3

DAY = date(2026, 11, 20)
TAG, OTHER = folder_tag(Path("/flows/r1")), folder_tag(Path("/flows/r2"))
ASIDE = frozenset({set_aside_name(f"{TAG}-aaaa-bbbb", DAY), set_aside_name(f"{TAG}-cccc-bbbb", DAY)})
MINE = {
    part_name("r1", DAY, f"{TAG}-aaaa-bbbb"),
    f"flows/router=r1/day={DAY}/.{TAG}-cccc-bbbb.parquet.4711.tmp",
    set_aside_name(f"{TAG}-cccc-bbbb", DAY),
}
OTHERS = {
    part_name("r2", DAY, f"{OTHER}-aaaa-bbbb"),
    # a name that ends in what the first folder's names begin with
    part_name("r1", DAY, f"{OTHER}-aaaaaaaa{TAG}-bbbb"),
    set_aside_name(f"{OTHER}-{TAG}-bbbb", DAY),
    set_aside_name(f"{OTHER}-{TAG}-bbbb", None),
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
    assert store.left_by(Leavings(TAG, 0, ("r1",), (DAY, DAY), ASIDE)) == set()
    assert list(store.parts()) == []
    assert store.missing(MINE) == MINE


def test_all_of_a_folder_is_found_and_nothing_of_others(store: Store) -> None:
    put(store, MINE | OTHERS)
    assert store.left_by(Leavings(TAG, 0, ("r1",))) == MINE
    assert store.left_by(Leavings(TAG, 0, ("r1",), (DAY, DAY), ASIDE)) == MINE
    assert store.remove(sorted(MINE)) == 3
    assert store.remove(sorted(MINE)) == 0
    assert store.missing(OTHERS) == set()
    assert store.left_by(Leavings(TAG, 0, ("r1",))) == set()


def test_of_many_parts_a_thousand_at_a_time_are_removed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    names, removed = 20_000, 0
    waiting: list[int] = []

    def remove(_store: object, _name: str) -> bool:
        nonlocal removed
        if not waiting:
            time.sleep(0.5)  # in which all that may be drawn ahead is
        removed += 1
        waiting.append(drawn - removed)
        return True

    drawn = 0

    def all_names() -> Iterator[str]:
        nonlocal drawn
        for number in range(names):
            drawn += 1
            yield part_name("r1", DAY, str(number))

    monkeypatch.setattr(SharedStore, "_remove", remove)
    monkeypatch.setattr(Path, "unlink", lambda path: remove(store, str(path)))
    assert store.remove(all_names()) == names
    assert max(waiting) < names / 4


def test_days_and_their_parts_are_found_by_day(store: Store) -> None:
    days = [date(2026, 11, 18), DAY, date(2026, 11, 24)]
    names = {(router, day): part_name(router, day, f"{TAG}-a-b") for router in ("r1", "r2") for day in days}
    put(store, {*names.values(), set_aside_name(f"{TAG}-c-d", DAY), set_aside_name(f"{TAG}-c-d", None)})
    assert store.days() == set(days)
    assert {part.name for part in store.parts()} == set(names.values())
    assert {part.name for part in store.parts(until=DAY)} == {name for (_, day), name in names.items() if day <= DAY}
    assert {part.name for part in store.parts(since=DAY)} == {name for (_, day), name in names.items() if day >= DAY}
    assert {part.name for part in store.parts(DAY, DAY)} == {names["r1", DAY], names["r2", DAY]}
    assert {part.bytes for part in store.parts()} == {len(names["r1", DAY])}


def test_what_was_set_aside_is_found_by_day_and_of_former_versions_by_the_day_of_its_writing(store: Store) -> None:
    assert list(store.set_aside()) == []
    days = [date(2020, 11, 18), date(2020, 11, 19), date(2020, 11, 24)]
    names = {day: set_aside_name(f"{TAG}-a-b", day) for day in days}
    former = set_aside_name(f"{TAG}-c-d", None)
    put(store, {*names.values(), former, part_name("r1", days[0], f"{TAG}-a-b")})
    # `former` is written now: years later
    assert {part.name for part in store.set_aside()} == {*names.values(), former}
    assert {part.name for part in store.set_aside(until=days[1])} == {names[days[0]], names[days[1]]}
    assert {part.name for part in store.set_aside(since=days[1])} == {names[days[1]], names[days[2]], former}
    assert [(part.name, part.day) for part in store.set_aside(days[1], days[1])] == [(names[days[1]], days[1])]
    assert {part.bytes for part in store.set_aside(days[2])} == {len(names[days[0]])}
    assert store.days() == {days[0]}


def test_what_a_killed_run_of_a_former_version_set_aside_is_found_where_its_mark_is_empty(store: Store) -> None:
    former = set_aside_name(f"{TAG}-cccc-bbbb", None)
    put(store, MINE | {former})
    assert store.left_by(Leavings(TAG, 0, ("r1",))) == MINE | {former}


def test_a_part_is_written_without_a_look_at_the_others_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(tmp_path)
    put(store, MINE)
    with monkeypatch.context() as patched:
        for name in ("listdir", "scandir"):
            patched.setattr(os, name, lambda path: pytest.fail(f"{path} is listed"))
        put(store, MINE)
    assert store.missing(MINE) == set()


def test_folders_that_people_put_beside_those_of_days_are_none(store: Store) -> None:
    name = part_name("r1", DAY, f"{TAG}-a-b")
    put(store, {name, name.replace(f"day={DAY}", f"day={DAY}.old"), name.replace(f"day={DAY}", "day=before")})
    assert store.days() == {DAY}
    assert [part.name for part in store.parts()] == [name]
    assert [part.name for part in store.parts(DAY, DAY)] == [name]
    assert store.left_by(Leavings(TAG, 0, ("r1",), (DAY, DAY), ASIDE)) == {name}
