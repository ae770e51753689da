"""Opening: which URLs, what SQLite is told, and where the password may appear."""

import os
from multiprocessing import get_context
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from hntes.sql.engine import _alone, open_database, shown, upgrade
from hntes.sql.errors import DatabaseUnreachableError, DatabaseUrlError, FullDiskError
from hntes.sql.session import reading, transaction


def test_sqlite_gets_its_folder_the_write_ahead_log_and_foreign_keys(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/new/deep/hntes.db")
    with engine.connect() as connection:
        asked = {name: connection.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "foreign_keys")}
        timeout_ms = connection.execute(text("PRAGMA busy_timeout")).scalar_one()
    engine.dispose()
    assert asked == {"journal_mode": "wal", "foreign_keys": 1}
    assert timeout_ms >= 10_000


@pytest.mark.parametrize(
    "url", ["mysql://localhost/x", "postgresql://localhost/x", "hntes.db", "sqlite+aiosqlite:///x"]
)
def test_other_urls_are_refused_with_the_remedy(url: str) -> None:
    with pytest.raises(DatabaseUrlError, match="sqlite:///FILE or postgresql"):
        open_database(url)


def test_an_unreadable_url_is_not_repeated() -> None:
    with pytest.raises(DatabaseUrlError) as caught:
        open_database("postgresql+psycopg://u:tell-no-one@host:port/x")
    assert "tell-no-one" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DatabaseUrlError, match=r"file/hntes\.db"):
        open_database(f"sqlite:///{tmp_path}/file/hntes.db")


def test_the_password_comes_from_the_environment_and_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HNTES_DATABASE_PASSWORD", "tell-no-one")
    engine = open_database("postgresql+psycopg://hntes@127.0.0.1:1/hntes?connect_timeout=2")
    assert engine.url.password == "tell-no-one"
    with pytest.raises(DatabaseUnreachableError) as caught:
        upgrade(engine)
    engine.dispose()
    for said in (repr(engine), str(engine.url), shown(engine), str(caught.value)):
        assert "tell-no-one" not in said
    assert "127.0.0.1" in str(caught.value)


def test_a_password_given_by_the_caller_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HNTES_DATABASE_PASSWORD", "from environment")
    assert open_database("postgresql+psycopg://hntes@db/hntes", "given").url.password == "given"


def test_a_statement_without_end_is_ended_but_a_migration_is_not(database_url: str) -> None:
    if database_url.startswith("sqlite"):
        pytest.skip("SQLite has no limit for a statement")
    engine = open_database(database_url, statement_limit_s=1)
    with pytest.raises(DBAPIError, match="statement timeout"), engine.begin() as connection:
        connection.execute(text("SELECT pg_sleep(20)"))
    with engine.begin() as connection:
        assert connection.execute(text("SHOW statement_timeout")).scalar_one() == "1s"
        assert connection.execute(text("SHOW jit")).scalar_one() == "off"
    with _alone(engine) as connection:
        connection.execute(text("SELECT pg_sleep(1.5)"))
    engine.dispose()


def test_the_password_may_lie_in_a_file_and_the_variable_itself_wins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "password"
    file.write_text("from file with blanks \nand a second line\n", encoding="utf-8")
    monkeypatch.delenv("HNTES_DATABASE_PASSWORD", raising=False)
    monkeypatch.setenv("HNTES_DATABASE_PASSWORD_FILE", str(file))
    assert open_database("postgresql+psycopg://hntes@db/hntes").url.password == "from file with blanks "
    monkeypatch.setenv("HNTES_DATABASE_PASSWORD", "from environment")
    assert open_database("postgresql+psycopg://hntes@db/hntes").url.password == "from environment"


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "No such file"), (b"", "empty first"), (b"\nsecond", "empty first"), (b"tell-\xff-no-one", "UTF-8")],
)
def test_a_password_file_that_cannot_be_used_is_named_and_never_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None, said: str
) -> None:
    file = tmp_path / "password"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.delenv("HNTES_DATABASE_PASSWORD", raising=False)
    monkeypatch.setenv("HNTES_DATABASE_PASSWORD_FILE", str(file))
    with pytest.raises(DatabaseUrlError, match=said) as caught:
        open_database("postgresql+psycopg://hntes@db/hntes")
    assert str(file) in str(caught.value)
    assert "no-one" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"not a database at all" * 100)
    engine = open_database(f"sqlite:///{tmp_path}/x.db")
    with pytest.raises(DatabaseUnreachableError, match=r"x\.db"):
        upgrade(engine)
    engine.dispose()


@pytest.mark.parametrize(
    ("free", "files", "said"),
    [
        (1000, 500, "check database.url"),
        (7, 500, "its disk is full .unable to open database file.; .*`paths.simulations`"),
        (1000, 0, "its disk is full"),
    ],
    ids=["room", "no bytes", "no files"],
)
def test_what_cannot_be_opened_on_a_full_disk_is_told_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, files: int, said: str
) -> None:
    (tmp_path / "x.db").mkdir()
    disk = os.statvfs_result((4096, 4096, 2000, free, free, 1000, files, files, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda _: disk)
    engine = open_database(f"sqlite:///{tmp_path}/x.db")
    with pytest.raises(DatabaseUnreachableError, match=said):
        upgrade(engine)
    engine.dispose()


def test_a_transaction_that_finds_no_room_says_so(tmp_path: Path) -> None:
    """SQLite says the same of a full disk and of a file that may not become larger."""
    engine = open_database(f"sqlite:///{tmp_path}/x.db")
    upgrade(engine)

    def write() -> None:
        with transaction(engine) as session:
            session.execute(text("PRAGMA max_page_count=1"))
            session.execute(text("INSERT INTO in_force VALUES ('r1', :hash, '2026-01-01')"), {"hash": "x" * 100_000})

    with pytest.raises(FullDiskError, match=r"x\.db: its disk is full"):
        write()
    engine.dispose()


def test_a_failed_block_leaves_nothing(store: Engine) -> None:

    def half() -> None:
        with transaction(store) as session:
            session.execute(text("INSERT INTO in_force VALUES ('r1', 'hash', '2026-01-01')"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    with reading(store) as session:
        assert session.execute(text("SELECT count(*) FROM in_force")).scalar() == 0


def test_a_reader_sees_one_state_and_does_not_stop_a_writer(store: Engine) -> None:
    with reading(store) as reader:
        before = reader.execute(text("SELECT count(*) FROM in_force")).scalar()
        with transaction(store) as writer:
            writer.execute(text("INSERT INTO in_force VALUES ('r1', 'hash', '2026-01-01')"))
        assert reader.execute(text("SELECT count(*) FROM in_force")).scalar() == before == 0
    with reading(store) as reader:
        assert reader.execute(text("SELECT count(*) FROM in_force")).scalar() == 1


def test_processes_that_read_before_they_write_wait_for_each_other(database_url: str, store: Engine) -> None:
    with transaction(store) as session:
        session.execute(text("INSERT INTO day_status VALUES ('r1', '2026-01-01', 0, 0, 0, 0, 0, true, '', 0)"))
    fork = get_context("fork")
    processes = [fork.Process(target=_count_up, args=(database_url, 20)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
    with reading(store) as session:
        assert session.execute(text("SELECT files FROM day_status")).scalar() == 80


def _count_up(url: str, times: int) -> None:
    engine = open_database(url)
    lock = " FOR UPDATE" if engine.dialect.name == "postgresql" else ""
    for _ in range(times):
        with transaction(engine) as session:
            files = session.execute(text(f"SELECT files FROM day_status{lock}")).scalar_one()
            session.execute(text("UPDATE day_status SET files = :n"), {"n": files + 1})
