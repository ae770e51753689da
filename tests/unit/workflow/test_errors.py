"""Expected errors, and those that are worth a retry."""

import importlib
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError, OperationalError

from hntes.etl.engines.session import SparkAwayError, SparkError
from hntes.etl.errors import FlowFolderError, FolderAwayError
from hntes.etl.locks import LockedError
from hntes.settings import SettingsError
from hntes.sql.engine import open_database, upgrade
from hntes.sql.errors import DatabaseUnreachableError, SchemaVersionError
from hntes.workflow import errors
from hntes.workflow.errors import CommandError, is_temporary


@pytest.mark.parametrize(
    "problem",
    [
        DatabaseUnreachableError("gone"),
        FolderAwayError("no answer"),
        LockedError("another is at it"),
        SparkAwayError("other applications have the cluster's cores"),
        OperationalError("select 1", {}, Exception("server closed the connection")),
        OSError(5, "input/output error"),
        TimeoutError("file server"),
    ],
)
def test_what_goes_without_anybodys_doing_is_tried_again(problem: Exception) -> None:
    assert is_temporary(problem)


@pytest.mark.parametrize(
    "problem",
    [
        CommandError("no such router"),
        FlowFolderError("no such folder"),
        SparkError("pyspark is missing"),
        SettingsError("no such key"),
        SchemaVersionError("newer"),
        FileNotFoundError(2, "no such file"),
        PermissionError(13, "not allowed"),
        IntegrityError("insert", {}, Exception("twice")),
    ],
)
def test_what_a_person_must_mend_is_not(problem: Exception) -> None:
    assert not is_temporary(problem)


def test_a_server_that_does_not_run_is_such_an_error(tmp_path: Path) -> None:
    engine = open_database(f"postgresql+psycopg://nobody@/none?host={tmp_path}")
    with pytest.raises(DatabaseUnreachableError) as caught:
        upgrade(engine)
    assert is_temporary(caught.value)


@pytest.mark.parametrize(("module", "name"), sorted({*errors._DATABASE, *errors._TEMPORARY}))
def test_the_errors_that_are_named_exist(module: str, name: str) -> None:
    assert issubclass(getattr(importlib.import_module(module), name), Exception)


def test_what_a_person_can_mend_is_expected_and_a_defect_is_not() -> None:
    for kind in (CommandError, SettingsError, FlowFolderError, OperationalError, FileNotFoundError):
        assert issubclass(kind, errors.expected())
    assert not issubclass(ValueError, errors.expected())
