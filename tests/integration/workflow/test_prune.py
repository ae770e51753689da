"""Pruning removes what the settings no longer keep, and nothing that is needed."""

import os
import tracemalloc
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, select, text

from hntes import clock
from hntes.etl.lake.folder import FolderStore
from hntes.etl.lake.store import Stored
from hntes.sql import audit
from hntes.sql.engine import open_database
from hntes.sql.errors import FullDiskError
from hntes.sql.ledger import FLOW_FILE, FLOW_FILE_PART
from hntes.workflow.context import opened
from hntes.workflow.reports.prune import MOST_NAMED, prunable, prune
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights

FAILED, PROBLEMS = 1, 3
FIRST = date.fromisoformat(NIGHT)
# The demonstration's pairs age after two days; a margin of eight is added.
KEPT_LAKE_DAYS = 10


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    made = prepared_nights.site(tmp_path / "site", router="r1")
    retention = "[retention]\nlake_days = 1\nreport_days = 1\ncandidate_days = 1\nsimulation_days = 1\n\n[review]"
    written = made.settings.read_text().replace("[review]", retention)
    simulations = tmp_path / "simulations"
    simulations.mkdir()
    (simulations / "old.parquet").touch()
    lines = [
        f'simulations = "{simulations}"' if line.startswith("simulations") else line for line in written.splitlines()
    ]
    made.settings.write_text("\n".join(lines) + "\n")
    with open_database(made.database_url).begin() as connection:  # tests look at it a year later
        connection.execute(text("UPDATE change SET expires_ms = 4102444800000"))
    for path in (tmp_path / "site").rglob("*"):
        if path.is_file():
            of_night = datetime(FIRST.year, FIRST.month, FIRST.day, 12, tzinfo=UTC).timestamp()
            os.utime(path, (of_night, of_night))
    return made


def on(monkeypatch: pytest.MonkeyPatch, day: date) -> None:
    now_ms = int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()) * 1000
    monkeypatch.setattr(clock, "now_ms", lambda: now_ms)


def approve(site: Installation) -> str:
    (entry,) = site.json("change", "list")
    site.run("change", "approve", "--router", "r1", "--hash", entry["candidate_hash"], "--who", "anna")
    return str(entry["candidate_hash"])


def files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and ".locks" not in path.parts
    }


def test_by_default_nothing_goes(
    tmp_path: Path, prepared_nights: PreparedNights, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    on(monkeypatch, date(2099, 1, 1))
    before = files(site.lake), files(site.output)
    site.run("data", "prune")
    assert (files(site.lake), files(site.output)) == before
    assert site.json("audit", "--kind", "prune") == []


def test_days_that_ageing_may_need_stay(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files(site.lake)
    on(monkeypatch, FIRST + timedelta(days=KEPT_LAKE_DAYS))
    site.run("data", "prune")
    assert files(site.lake) == before
    on(monkeypatch, FIRST + timedelta(days=KEPT_LAKE_DAYS + 1))
    site.run("data", "prune")
    assert not [name for name in files(site.lake) if name.startswith("flows/")]
    assert not list(site.lake.glob("flows/router=*/day=*"))


def test_an_old_day_that_was_just_read_stays_for_a_day(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    read, *others = sorted(site.lake.glob("flows/**/*.parquet"))
    assert others
    write_at(read, FIRST + timedelta(days=100))
    on(monkeypatch, FIRST + timedelta(days=101))
    site.run("data", "prune")
    assert list(site.lake.glob("flows/**/*.parquet")) == [read]
    on(monkeypatch, FIRST + timedelta(days=102))
    site.run("data", "prune")
    assert not read.exists()


MANY, MOST_BYTES = 60_000, 5_000_000


def test_the_names_of_all_parts_are_never_in_memory(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of 60,000 parts, of a hundred bytes each, would take 10 MB."""
    names = [f"flows/router={number:06d}/day={NIGHT}/{'0' * 50}.parquet" for number in range(MANY)]
    with open_database(site.database_url).begin() as connection:
        (folder, path) = connection.execute(select(FLOW_FILE.c.folder, FLOW_FILE.c.path).limit(1)).one()
        row = {"folder": folder, "path": path, "day": FIRST, "records": 1, "bytes": 1, "sha256": ""}
        for begin in range(0, MANY, 1000):
            some = names[begin : begin + 1000]
            connection.execute(insert(FLOW_FILE_PART), [row | {"router": name[13:19], "part": name} for name in some])
    del names

    def parts(_: FolderStore, until: date | None = None) -> Iterator[Stored]:
        for number in range(0 if until else MANY + 1):
            yield Stored(f"flows/router={number:06d}/day={NIGHT}/{'0' * 50}.parquet", FIRST, 1, 0.0)

    monkeypatch.setattr(FolderStore, "parts", parts)
    with opened(site.settings) as context:
        prunable(context)  # loads modules, and prepares statements
        tracemalloc.start()
        try:
            found = prunable(context)
            assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
        finally:
            tracemalloc.stop()
    (orphans,) = [one for one in found if one.what == "parts that no flow file has"]
    assert [Path(each).parent.parent.name for each in orphans.files] == [f"router={MANY:06d}"]


def test_the_first_pruning_of_an_old_lake_keeps_no_list_of_what_it_removes(
    site: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """60,000 parts of 300 routers and 200 flow files; as `Stored` and addresses they took 45 MB."""
    removed: list[int] = []

    def parts(_: FolderStore, until: date | None = None) -> Iterator[Stored]:
        for number in range(MANY if until else 0):
            router, file = divmod(number, 200)
            yield Stored(f"flows/router={router:06d}/day={NIGHT}/{file:064d}.parquet", FIRST, 1000, 0.0)

    def remove(_: FolderStore, names: Iterable[str]) -> int:
        of_folder = list(names)
        assert len({name.rpartition("/")[0] for name in of_folder}) == 1
        removed.append(len(of_folder))
        return len(of_folder)

    on(monkeypatch, FIRST + timedelta(days=365))
    monkeypatch.setattr(FolderStore, "parts", parts)
    monkeypatch.setattr(FolderStore, "remove", remove)
    with opened(site.settings) as context:
        prunable(context)  # loads modules, and prepares statements
        tracemalloc.start()
        try:
            found = prunable(context)
            prune(context, found)
            assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
        finally:
            tracemalloc.stop()
    (days,) = [one for one in found if one.what == "lake days"]
    assert (days.count, days.size_bytes, len(days.files)) == (MANY, MANY * 1000, MOST_NAMED)
    assert removed == [200] * 300
    (event,) = site.json("audit", "--kind", "prune")
    assert f"lake days: {MANY} files, {MANY * 1000} bytes" in event["detail"]


def test_a_part_that_a_file_gets_before_it_is_removed_stays(
    site: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = next(site.lake.glob("flows/**/*.parquet"))
    orphan = part.with_name(f"12345678-{part.name.partition('-')[2]}")
    orphan.write_bytes(b"")
    write_at(orphan, FIRST)
    on(monkeypatch, FIRST + timedelta(days=2))
    with opened(site.settings) as context:
        found = prunable(context)
        (orphans,) = [one for one in found if one.count]
        assert orphans.files == (str(orphan),)
        with context.database.begin() as connection:
            (first,) = connection.execute(select(FLOW_FILE_PART).limit(1)).mappings()
            row = dict(first) | {"part": orphan.relative_to(site.lake).as_posix(), "router": "r9"}
            connection.execute(insert(FLOW_FILE_PART), [row])
        prune(context, found)
    assert orphan.exists()


def test_a_dry_run_says_what_goes_and_removes_nothing(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, FIRST + timedelta(days=365))
    approve(site)
    before = files(site.lake), files(site.output), site.json("audit")
    size = sum(path.stat().st_size for path in site.lake.glob("flows/**/*.parquet"))
    said = site.json("data", "prune", "--dry-run")
    assert (files(site.lake), files(site.output), site.json("audit")) == before
    by_kind = {one["what"]: one for one in said}
    assert by_kind["lake days"]["size_bytes"] == size > 0
    assert site.json("data", "prune") == said
    gone = [path for one in said for path in one["files"]]
    assert gone
    assert not any(Path(path).exists() for path in gone)
    (event,) = site.json("audit", "--kind", "prune")
    assert f"lake days: {len(by_kind['lake days']['files'])} files, {size} bytes" in event["detail"]
    site.run("data", "prune")
    assert len(site.json("audit", "--kind", "prune")) == 1


def test_what_waits_or_is_in_force_stays(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, FIRST + timedelta(days=365))
    before = files(site.output)
    site.run("data", "prune")
    assert files(site.output) == before, "it waits"
    in_force = approve(site)
    site.run("data", "prune")
    assert files(site.output) == before, "it is in force"
    site.run("router", "deliver")
    old = site.output / "r1" / "candidates" / f"{'0' * 64}.conf"
    old.write_text("never approved\n")
    os.utime(old, (0, 0))
    site.run("data", "prune")
    assert not old.exists()
    assert (site.output / "r1" / "candidates" / f"{in_force}.json").exists()


def test_a_rejected_change_goes(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    (entry,) = site.json("change", "list")
    site.run("change", "reject", "--note", "no", "--router", "r1", "--hash", entry["candidate_hash"], "--who", "anna")
    on(monkeypatch, FIRST + timedelta(days=365))
    site.run("data", "prune")
    assert files(site.output) == set()
    assert not (site.output / "r1" / NIGHT).exists()


def test_a_pruned_day_keeps_what_was_found_and_says_what_is_gone(
    site: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = site.json("flows", "--day", NIGHT), site.json("rules", "--day", NIGHT, "--router", "r1")
    on(monkeypatch, FIRST + timedelta(days=365))
    site.run("data", "prune")
    done = site.run("stage", "detect", "--day", NIGHT, "--router", "r1", expect=FAILED)
    assert "no longer in the lake" in done.stderr
    assert f"read them again with `hntes stage ingest --day {NIGHT} --router r1`" in done.stderr
    assert (site.json("flows", "--day", NIGHT), site.json("rules", "--day", NIGHT, "--router", "r1")) == found
    site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    site.run("stage", "detect", "--day", NIGHT, "--router", "r1")
    assert site.json("flows", "--day", NIGHT) == found[0]


def test_a_part_that_no_file_has_goes_after_a_day(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    orphan = next(site.lake.glob("flows/**/*.parquet")).with_name("12345678-left-over.parquet")
    orphan.write_bytes(b"")
    # of the night, whose day the lake still keeps a day later
    written_s = int(datetime(FIRST.year, FIRST.month, FIRST.day, 12, tzinfo=UTC).timestamp())
    os.utime(orphan, (written_s, written_s))
    monkeypatch.setattr(clock, "now_ms", lambda: written_s * 1000 + 86_300_000)
    site.run("data", "prune")
    assert orphan.exists()
    monkeypatch.setattr(clock, "now_ms", lambda: written_s * 1000 + 86_500_000)
    site.run("data", "prune", "--dry-run")
    assert orphan.exists()
    site.run("data", "prune")
    assert not orphan.exists()


def test_what_is_deleted_is_recorded_before_but_for_the_cache_of_simulations(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk the record has no room until the cache is gone."""
    before = files(site.lake)
    assert files(tmp_path / "simulations") == {"old.parquet"}

    def full(*_: object) -> None:
        assert files(site.lake) == before
        raise FullDiskError("its disk is full")

    on(monkeypatch, FIRST + timedelta(days=365))
    with monkeypatch.context() as patched:
        patched.setattr(audit, "append", full)
        site.run("data", "prune", expect=FAILED)
    assert files(tmp_path / "simulations") == set()
    assert files(site.lake) == before
    site.run("data", "prune")
    (event,) = site.json("audit", "--kind", "prune")
    assert "lake days" in event["detail"]


def put_aside(site: Installation, written: date) -> tuple[Path, Path]:
    """Records that were set aside of one of the night's files, by day, and as versions before 1.0.0 kept them."""
    stem = next(site.lake.glob("flows/**/*.parquet")).name
    paths = site.lake / "set_aside" / f"day={NIGHT}" / stem, site.lake / "set_aside" / stem
    paths[0].parent.mkdir(parents=True)
    for path in paths:
        path.write_bytes(bytes(1000))
        write_at(path, written)
    return paths


def write_at(path: Path, day: date) -> None:
    written_s = datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()
    os.utime(path, (written_s, written_s))


def test_records_that_were_set_aside_go_with_the_day_of_their_file(
    site: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_day, former = put_aside(site, FIRST + timedelta(days=1))
    on(monkeypatch, FIRST + timedelta(days=KEPT_LAKE_DAYS))
    site.run("data", "prune")
    assert by_day.exists()
    assert former.exists()
    on(monkeypatch, FIRST + timedelta(days=KEPT_LAKE_DAYS + 1))
    size = sum(path.stat().st_size for path in site.lake.glob("flows/**/*.parquet"))
    (found,) = [one for one in site.json("data", "prune") if one["what"] == "lake days"]
    assert found["size_bytes"] == size + 1000
    assert str(by_day) in found["files"]
    assert not by_day.parent.exists()
    assert former.exists(), "it was written a day later"
    on(monkeypatch, FIRST + timedelta(days=KEPT_LAKE_DAYS + 2))
    site.run("data", "prune")
    assert not former.exists()


def test_records_set_aside_that_no_file_has_go_after_a_day(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    known = put_aside(site, FIRST)
    left = [path.with_name("12345678-0123456789abcdef-01234567.parquet") for path in known]
    # one of a folder that was moved since: its file is in the ledger under another
    moved = known[0].with_name(f"12345678-{known[0].name.partition('-')[2]}")
    for path in (*left, moved):
        path.touch()
        write_at(path, FIRST)
    monkeypatch.setattr(clock, "now_ms", lambda: int(left[0].stat().st_mtime) * 1000 + 86_300_000)
    site.run("data", "prune")
    assert all(path.exists() for path in left)
    monkeypatch.setattr(clock, "now_ms", lambda: int(known[0].stat().st_mtime) * 1000 + 86_500_000)
    site.run("data", "prune")
    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in (*known, moved))


def test_check_counts_what_was_set_aside(site: Installation) -> None:
    put_aside(site, FIRST)
    size = sum(path.stat().st_size for path in site.lake.glob("flows/**/*.parquet")) + 2000
    assert f"lake:     1 day, {size / 1e3:.3g} kB; {size / 1e3:.3g} kB per day" in site.run("check").stdout


def test_check_counts_all_days_that_pruning_leaves(site: Installation) -> None:
    size = sum(path.stat().st_size for path in site.lake.glob("flows/**/*.parquet"))
    # the day that is pruned first is KEPT_LAKE_DAYS + 1 before today, which is kept, too
    left = KEPT_LAKE_DAYS + 1
    said = f"the {left} days that `hntes data prune` leaves need {left * size / 1e3:.3g} kB"
    assert said in site.run("check").stdout


def test_check_says_what_the_lake_takes(site: Installation) -> None:
    size = sum(path.stat().st_size for path in site.lake.glob("flows/**/*.parquet"))
    assert f"lake:     1 day, {size / 1e3:.3g} kB; {size / 1e3:.3g} kB per day" in site.run("check").stdout


def test_check_measures_the_newest_thirty_days_of_a_larger_lake(site: Installation) -> None:
    (router,) = site.lake.glob("flows/router=r1")
    for number in range(40):
        folder = router / f"day={FIRST - timedelta(days=100 + number)}"
        folder.mkdir()
        (folder / "part.parquet").write_bytes(bytes(1000 if number < 29 else 10**6))
    size = sum(path.stat().st_size for path in site.lake.glob(f"flows/**/day={NIGHT}/*.parquet")) + 29 * 1000
    said = site.run("check").stdout
    assert f"lake:     41 days, the newest 30 have {size / 1e3:.3g} kB; {size / 30 / 1e3:.3g} kB per day" in said


def test_a_part_that_goes_while_the_lake_is_looked_at_disturbs_nobody(site: Installation) -> None:
    part = next(site.lake.glob("flows/**/*.parquet"))
    size = sum(path.stat().st_size for path in site.lake.glob("flows/**/*.parquet"))
    # as a part that was removed between the listing and the look at it
    gone = part.with_name("12345678-gone.parquet")
    gone.symlink_to("nowhere")
    assert f"lake:     1 day, {size / 1e3:.3g} kB" in site.run("check").stdout
    site.run("data", "prune", "--dry-run")
