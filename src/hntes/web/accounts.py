"""The review page's local accounts: a file readable by its user only, with passwords as Argon2id hashes.

Source: RFC 9106, section 4 (the parameters are argon2-cffi's defaults, its second recommended option).
"""

import json
import re
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from hntes.files import write_text
from hntes.web.errors import WebError
from hntes.web.private_file import changing, read_private

Role = Literal["viewer", "operator"]
ROLES: tuple[Role, ...] = ("viewer", "operator")
LEAST_CHARACTERS, MOST_CHARACTERS = 12, 1000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_HASHER = PasswordHasher()
# Each takes 64 MiB: a number that cannot exhaust a small machine.
_HASHINGS = threading.Semaphore(2)


@dataclass(frozen=True)
class Account:
    """One person's account. `password_hash` is in the encoded form of Argon2, with its salt and parameters."""

    name: str
    role: Role
    password_hash: str


def read_accounts(path: Path) -> dict[str, Account]:
    """The accounts by name; none without a file.

    Raises:
        WebError: others may read or write the file, or it is not one that this module wrote.
    """
    text = read_private(path, "accounts")
    if text is None:
        return {}
    try:
        found = [Account(**each) for each in json.loads(text)["accounts"]]
    except (ValueError, TypeError, KeyError) as cause:
        raise WebError(
            f"{path}: is not a file of accounts; restore it, or remove it and add the accounts again"
        ) from cause
    for account in found:
        texts = isinstance(account.name, str) and isinstance(account.password_hash, str)
        if account.role not in ROLES or not texts or not _NAME.fullmatch(account.name):
            raise WebError(
                f"{path}: an account has no usable name, role or hash; remove the file and add the accounts again"
            )
    return {account.name: account for account in found}


def add_account(path: Path, name: str, role: Role, password: str) -> None:
    """Adds an account, or changes the role and password of an existing one.

    Raises:
        WebError: the name or the password is invalid, or the file cannot be used.
    """
    if not _NAME.fullmatch(name):
        raise WebError(
            f"account {name!r}: use up to 64 letters, digits, '.', '_', '@' and '-', starting with a letter or digit"
        )
    if not LEAST_CHARACTERS <= len(password) <= MOST_CHARACTERS:
        raise WebError(f"account {name}: the password needs {LEAST_CHARACTERS} to {MOST_CHARACTERS} characters")
    account = Account(name, role, _HASHER.hash(password))
    with changing(path):
        _write(path, read_accounts(path) | {name: account})


def remove_account(path: Path, name: str) -> None:
    """Removes an account, which ends its sessions.

    Raises:
        WebError: there is none of that name, or the file cannot be used.
    """
    with changing(path):
        accounts = read_accounts(path)
        if name not in accounts:
            raise WebError(f"account {name!r}: there is none in {path}; hntes user list shows all")
        _write(path, {key: account for key, account in accounts.items() if key != name})


def is_password(account: Account | None, password: str) -> bool:
    """Whether this is the account's password; without an account False, in the same time."""
    # An unknown name takes as long as a wrong password, so that timing does not reveal which names exist.
    known = account.password_hash if account is not None else _NOBODYS_HASH
    with _HASHINGS:
        try:
            _HASHER.verify(known, password)
        except (VerifyMismatchError, InvalidHashError):
            return False
    return account is not None


def _write(path: Path, accounts: dict[str, Account]) -> None:
    content = {"accounts": [asdict(accounts[name]) for name in sorted(accounts)]}
    write_text(path, json.dumps(content, indent=2) + "\n", mode=0o600)


# Argon2id of discarded random bytes, with the parameters above.
_NOBODYS_HASH = "$argon2id$v=19$m=65536,t=3,p=4$hpqvuMzN602Ef9Kihec2sg$e2fEitZA1AxTXx0l79nvYrsL7CkYuT8sHVGrkgE4/pg"
