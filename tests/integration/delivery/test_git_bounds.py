"""Of a git repository no file is read that is larger than a configuration can be."""

from pathlib import Path

import pytest

from hntes.delivery import git_repository
from hntes.delivery.git_repository import Author, GitError, GitRepository

AUTHOR = Author("anna", "anna@example.net", 1_795_000_000)


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    made = GitRepository(tmp_path / "configs.git")
    made.path.mkdir()
    made._run("init", "--bare", "--quiet")
    return made


def test_a_file_beyond_the_bound_is_refused_by_its_name(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert git_repository.MOST_BYTES == 64_000_000
    monkeypatch.setattr(git_repository, "MOST_BYTES", 1000)
    commit = repository.commit("main", {"r1.conf": b"x" * 1000, "r2.conf": b"x" * 1001}, "two", AUTHOR)
    assert commit is not None
    assert repository.read(commit, "r1.conf") == b"x" * 1000
    with pytest.raises(GitError, match=r"r2\.conf is no file, or larger than"):
        repository.read(commit, "r2.conf")
