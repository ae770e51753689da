"""A process that stays keeps its database open as long as it is the same one."""

from pathlib import Path

from pipeline.context import Databases
from settings.model import Database


def settings(folder: Path, **more: object) -> Database:
    return Database(url=f"sqlite:///{folder / 'hntes.db'}", **more)


def test_the_same_database_is_opened_once(tmp_path: Path) -> None:
    kept = Databases()
    (tmp_path / "hntes.db").touch()
    first = kept.of(settings(tmp_path))
    assert kept.of(settings(tmp_path)) is first
    assert kept.of(settings(tmp_path, statement_limit_s=60)) is not first
    kept.close()


def test_a_file_that_takes_its_place_is_opened_anew(tmp_path: Path) -> None:
    kept = Databases()
    (tmp_path / "hntes.db").touch()
    first = kept.of(settings(tmp_path))
    (tmp_path / "backup.db").touch()
    (tmp_path / "backup.db").rename(tmp_path / "hntes.db")
    assert kept.of(settings(tmp_path)) is not first
    kept.close()


def test_after_closing_it_is_opened_anew(tmp_path: Path) -> None:
    kept = Databases()
    first = kept.of(settings(tmp_path))
    kept.close()
    assert kept.of(settings(tmp_path)) is not first
    kept.close()
