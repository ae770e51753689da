"""Which errors are worth another attempt."""

from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError, OperationalError

from etl.errors import FlowFolderError
from etl.locks import LockedError
from pipeline.errors import CommandError, passes
from settings import SettingsError
from sql.engine import open_database, upgrade
from sql.errors import DatabaseUnreachableError, SchemaVersionError


@pytest.mark.parametrize(
    "problem",
    [
        DatabaseUnreachableError("gone"),
        LockedError("another is at it"),
        OperationalError("select 1", {}, Exception("server closed the connection")),
        OSError(5, "input/output error"),
        TimeoutError("file server"),
    ],
)
def test_what_goes_without_anybodys_doing_is_tried_again(problem: Exception) -> None:
    assert passes(problem)


@pytest.mark.parametrize(
    "problem",
    [
        CommandError("no such router"),
        FlowFolderError("no such folder"),
        SettingsError("no such key"),
        SchemaVersionError("newer"),
        FileNotFoundError(2, "no such file"),
        PermissionError(13, "not allowed"),
        IntegrityError("insert", {}, Exception("twice")),
    ],
)
def test_what_a_person_must_mend_is_not(problem: Exception) -> None:
    assert not passes(problem)


def test_a_server_that_does_not_run_is_such_an_error(tmp_path: Path) -> None:
    engine = open_database(f"postgresql+psycopg://nobody@/none?host={tmp_path}")
    with pytest.raises(DatabaseUnreachableError) as caught:
        upgrade(engine)
    assert passes(caught.value)
