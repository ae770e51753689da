"""Accounts and tokens that several people add and remove at once: no change is lost, least of all a removal."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hntes.files import write_text
from hntes.web.accounts import add_account, read_accounts, remove_account
from hntes.web.api.tokens import add_token, read_tokens, remove_token
from hntes.web.errors import WebError

NUMBERS = range(12)


def test_tokens_that_are_changed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    for number in NUMBERS:
        add_token(path, f"old{number}", "copies")
    with ThreadPoolExecutor(len(NUMBERS)) as threads:
        added = threads.map(lambda number: add_token(path, f"new{number}", "copies"), NUMBERS)
        removed = threads.map(lambda number: remove_token(path, f"old{number}"), NUMBERS)
        assert len(set(added)) == len(list(removed)) == len(NUMBERS)
    assert set(read_tokens(path)) == {f"new{number}" for number in NUMBERS}


def test_accounts_that_are_changed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "accounts.json"
    add_account(path, "left", "operator", "correct horse battery")
    with ThreadPoolExecutor(4) as threads:
        names = ["anna", "bert", "carl"]
        done = [threads.submit(add_account, path, name, "viewer", "correct horse battery") for name in names]
        done.append(threads.submit(remove_account, path, "left"))
        assert [each.result() for each in done] == [None] * 4
    assert sorted(read_accounts(path)) == names


def test_nobody_else_can_hold_up_a_change(tmp_path: Path) -> None:
    add_token(tmp_path / "tokens.json", "new", "copies")
    (lock,) = tmp_path.glob(".*")
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600


@pytest.mark.parametrize("changed", [{"password_hash": 5}, {"password_hash": None}, {"name": 5}, {"role": []}])
def test_accounts_that_somebody_wrote_by_hand_are_told_by_their_types(
    tmp_path: Path, changed: dict[str, object]
) -> None:
    file = tmp_path / "accounts.json"
    account = {"name": "anna", "role": "operator", "password_hash": "$argon2id$"} | changed
    write_text(file, json.dumps({"accounts": [account]}), mode=0o600)
    with pytest.raises(WebError, match="no usable name, role or hash"):
        read_accounts(file)
