"""A flow folder that cannot be read: by name and reason, and tried again only where that may help."""

import errno
import os
from pathlib import Path

import pytest

from hntes.etl.errors import FlowFolderError, FolderAwayError, MissingFolderError
from hntes.etl.sources import listing
from hntes.etl.sources.folder_error import folder_error, require_folder
from hntes.etl.sources.scan import scan_folder
from hntes.workflow.errors import expected, is_temporary


def scan(folder: Path) -> object:
    return scan_folder(folder, lambda _: None)


def failing(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """Has the file system answer with that error, whatever path it is asked for."""

    def stat(path: Path, **_: object) -> object:
        raise OSError(code, os.strerror(code), str(path))

    monkeypatch.setattr(Path, "stat", stat)


# what file servers, FUSE and disks say of a folder that was there, and is again when they are
@pytest.mark.parametrize("code", [errno.ESTALE, errno.ENOTCONN, errno.EIO, errno.ETIMEDOUT, errno.EHOSTDOWN])
def test_what_may_pass_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    failing(monkeypatch, code)
    with pytest.raises(FolderAwayError) as found:
        scan(tmp_path)
    assert is_temporary(found.value)
    reason = f"{tmp_path}: this flow folder cannot be read: {os.strerror(code)}; look at its mount"
    assert str(found.value).startswith(reason)


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        (errno.EACCES, "let the user that runs HNTES read it"),
        (errno.EPERM, "let the user that runs HNTES read it"),
        (errno.ENAMETOOLONG, "correct `flow_folder`"),
        (errno.ELOOP, "correct `flow_folder`"),
    ],
)
def test_what_a_person_must_mend_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, remedy: str
) -> None:
    failing(monkeypatch, code)
    with pytest.raises(FlowFolderError, match=f"^{tmp_path}: .*{os.strerror(code)}; {remedy}") as found:
        scan(tmp_path)
    assert not is_temporary(found.value)


def test_names_that_the_kernel_refuses_are_such_errors(tmp_path: Path) -> None:
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    for folder in (tmp_path / ("x" * 300), circle):
        with pytest.raises(FlowFolderError) as found:
            scan(folder)
        assert not isinstance(found.value, MissingFolderError)
        assert isinstance(found.value, expected())


def test_a_missing_one_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for folder in (tmp_path / "none", file, file / "below"):
        with pytest.raises(MissingFolderError, match=f"^{folder}: no such flow folder; correct `flow_folder`"):
            require_folder(folder)


def test_one_that_fails_when_it_is_listed_is_not_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk whose inodes are still in memory: the folder is there, and cannot be read."""

    class Failing:
        unreadable = (("", errno.EIO),)

    monkeypatch.setattr(listing, "FolderNames", lambda _: Failing())
    with pytest.raises(FolderAwayError) as found:
        scan(tmp_path)
    assert str(found.value) == str(folder_error(tmp_path, errno.EIO))
