"""The settings of a git repository."""

from typing import Any

import pytest
from pydantic import ValidationError

from hntes.settings.git import GitRecord


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"branch": "--force"}, "branch"),
        ({"branch": "a..b"}, "is not the name of a branch"),
        ({"branch": "a/.b"}, "is not the name of a branch"),
        ({"branch": "a.lock"}, "is not the name of a branch"),
        ({"remote": "--upload-pack=x"}, "remote"),
        ({"remote": "https://operator:secret@example.net"}, "remote"),
        ({"approve_by_merge": True}, "needs committers"),
        ({"committers": {"hntes@localhost": "anna"}}, "is HNTES itself"),
        ({"branch": "hntes/main"}, "below review_prefix"),
        ({"timeout_s": 0}, "timeout_s"),
    ],
)
def test_what_git_could_misunderstand_is_refused(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        GitRecord.model_validate({"repository": "configs.git", **keys})


def test_names_of_branches_are_taken() -> None:
    assert GitRecord.model_validate({"repository": "c.git", "branch": "net/site-1.v2"}).branch == "net/site-1.v2"
