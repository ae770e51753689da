"""A process that stays keeps its database open as long as it is the same one."""

from pathlib import Path

import pytest

from hntes.settings.model import Database
from hntes.sql.errors import DatabaseUnreachableError
from hntes.workflow.context import Databases


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


def test_no_empty_one_takes_the_place_of_a_file_that_is_gone(tmp_path: Path) -> None:
    kept = Databases()
    file = tmp_path / "hntes.db"
    file.touch()
    kept.of(settings(tmp_path))
    kept.close()
    file.rename(tmp_path / "away.db")
    for _ in range(2):
        with pytest.raises(DatabaseUnreachableError, match="its file is gone"):
            kept.of(settings(tmp_path))
    assert not file.exists()
    (tmp_path / "away.db").rename(file)
    kept.of(settings(tmp_path))
    kept.close()


def test_after_closing_it_is_opened_anew(tmp_path: Path) -> None:
    kept = Databases()
    first = kept.of(settings(tmp_path))
    kept.close()
    assert kept.of(settings(tmp_path)) is not first
    kept.close()
