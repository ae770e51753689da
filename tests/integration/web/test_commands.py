"""`hntes user` keeps accounts; passwords come from standard input and are never shown."""

import subprocess
from pathlib import Path

import pytest

from hntes.cli.commands import web as commands
from hntes.web.accounts import is_password, read_accounts
from hntes.workflow.context import settings_of
from tests.support.installation import ROOT, Installation, installation_in

SECRET = "correct horse battery"


@pytest.fixture
def made(tmp_path: Path) -> Installation:
    return installation_in(tmp_path / "site")


def add(made: Installation, *arguments: str, given: str = SECRET) -> str:
    command = made.command("user", "add", *arguments)
    done = subprocess.run(command, cwd=ROOT, input=f"{given}\n", capture_output=True, text=True, check=False)
    return f"{done.returncode} {done.stdout}{done.stderr}"


def test_an_account_is_added_listed_and_removed(made: Installation) -> None:
    told = add(made, "anna", "--role", "operator")
    path = settings_of(made.settings).web.accounts
    assert told == f"0 account anna, operator, in {path}\n"
    assert path == made.settings.parent / "var" / "web-accounts.json"
    account = read_accounts(path)["anna"]
    assert account.password_hash.startswith("$argon2id$v=19$m=65536,t=3,p=4$")  # RFC 9106, its second choice
    assert is_password(account, SECRET)
    assert not is_password(account, SECRET + "x")
    assert made.json("user", "list") == [{"name": "anna", "role": "operator"}]
    made.run("user", "remove", "anna")
    assert made.json("user", "list") == []
    assert "there is none" in made.run("user", "remove", "anna", expect=1).stderr


@pytest.mark.parametrize(("name", "password"), [("anna", "short"), ("anna", ""), ("../x", SECRET), ("a b", SECRET)])
def test_what_cannot_be_an_account_is_refused(made: Installation, name: str, password: str) -> None:
    told = add(made, name, given=password)
    assert told.startswith("1 hntes: account ")
    assert not settings_of(made.settings).web.accounts.exists()


def test_without_the_extra_it_says_what_to_install(made: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "find_spec", lambda name: None if name == "fastapi" else object())
    for command in (["web"], ["user", "list"]):
        assert made.run(*command, expect=1).stderr == "hntes: the review page needs fastapi: install hntes[web]\n"
