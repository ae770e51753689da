"""API tokens: a file readable by its user only, with the tokens' hashes.

A token has 256 random bits and cannot be guessed, so that a fast hash is enough, unlike for a password.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from hntes.addresses import Network, network
from hntes.files import write_text
from hntes.identity import TOKEN
from hntes.sanitize import text_problem
from hntes.web.api.scopes import DEFAULT_SCOPES, SCOPES, Scope
from hntes.web.errors import WebError
from hntes.web.private_file import changing, read_private
from hntes.web.sessions import is_secret, new_secret

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class ApiToken:
    """One token: `owner` is the person that it acts for, and owns its reservations; `sha256` is its hash.

    `prefixes`: one of them must contain the source or destination of the pairs that it reserves; none: any pair.
    `scopes` are what it may do, at least one.
    """

    name: str
    owner: str
    sha256: str
    prefixes: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = DEFAULT_SCOPES

    @property
    def identity(self) -> str:
        """Its identity in the audit log."""
        return f"{TOKEN}{self.name}"

    def may_reserve(self, source: str, destination: str) -> bool:
        """Whether it may reserve a pair: a reservation polices, and can throttle, its pair. An invalid prefix is
        refused.
        """
        ends = [network for text in (source, destination) if (network := _network(text)) is not None]
        own = [network for text in self.prefixes if (network := _network(text)) is not None]
        return not self.prefixes or any(
            each.network_address in one and each.broadcast_address in one for each in ends for one in own
        )


def read_tokens(path: Path) -> dict[str, ApiToken]:
    """The tokens by name; none without a file.

    Raises:
        WebError: others may read or write the file, or it is not one that this module wrote.
    """
    text = read_private(path, "tokens")
    if text is None:
        return {}
    try:
        found = [_read(each) for each in json.loads(text)["tokens"]]
    except (ValueError, TypeError, KeyError) as cause:
        raise WebError(f"{path}: is not a file of tokens; restore it, or remove it and add the tokens again") from cause
    return {each.name: each for each in found}


def _read(stored: Mapping[str, object]) -> ApiToken:
    """A stored token; old ones without prefixes may reserve any pair, those without scopes may only reserve.

    Raises:
        TypeError: a field is missing or not a string, or a scope is unknown.
    """
    name, owner, sha256 = (stored.get(each) for each in ("name", "owner", "sha256"))
    prefixes = stored.get("prefixes", [])
    if not (isinstance(name, str) and isinstance(owner, str) and isinstance(sha256, str)):
        raise TypeError("a token's fields must be strings")
    if not isinstance(prefixes, list) or not all(isinstance(each, str) for each in prefixes):
        raise TypeError("a token's prefixes must be strings")
    scopes = stored.get("scopes", list(DEFAULT_SCOPES))
    if not isinstance(scopes, list) or not scopes or not all(each in SCOPES for each in scopes):
        raise TypeError("a token's scopes must be known ones")
    return ApiToken(name, owner, sha256, tuple(prefixes), tuple(scopes))


def add_token(
    path: Path, name: str, owner: str, prefixes: Iterable[str] = (), scopes: Iterable[Scope] = DEFAULT_SCOPES
) -> str:
    """Creates a token, replacing one of that name; returns it, as it is stored nowhere.

    Raises:
        WebError: the name, the owner, a prefix or a scope is invalid, or the file cannot be used.
    """
    own, allowed = tuple(prefixes), tuple(each for each in SCOPES if each in set(scopes))
    if not allowed:
        raise WebError(f"token {name}: give it at least one scope: {', '.join(SCOPES)}")
    if own and "reserve" not in allowed:
        raise WebError(f"token {name}: prefixes limit reservations, which need the scope reserve")
    for each in own:
        if _network(each) is None:
            raise WebError(f"token {name}: {each!r} is not a prefix; write one like 198.18.0.0/16, without host bits")
    if not _NAME.fullmatch(name):
        raise WebError(
            f"token {name!r}: use up to 64 letters, digits, '.', '_' and '-', starting with a letter or digit"
        )
    if not owner.strip() or (problem := text_problem(owner)):
        raise WebError(f"token {name}: its owner {'is missing' if not owner.strip() else problem}")
    secret = new_secret()
    with changing(path):
        _write(path, read_tokens(path) | {name: ApiToken(name, owner, _digest(secret), own, allowed)})
    return secret


def remove_token(path: Path, name: str) -> None:
    """Removes a token, which revokes its access.

    Raises:
        WebError: there is none of that name, or the file cannot be used.
    """
    with changing(path):
        tokens = read_tokens(path)
        if name not in tokens:
            raise WebError(f"token {name!r}: there is none in {path}; hntes user list-tokens shows all")
        _write(path, {key: token for key, token in tokens.items() if key != name})


def token_of(path: Path, secret: str) -> ApiToken | None:
    """The matching token, None if there is none; what has not a token's form is not looked up.

    Raises:
        WebError: the file cannot be used.
    """
    if not is_secret(secret):
        return None
    given, found = _digest(secret), None
    for token in read_tokens(path).values():
        if hmac.compare_digest(token.sha256.encode(), given.encode()):
            found = token
    return found


def _network(text: str) -> Network | None:
    """The text as a prefix, None if it is none."""
    try:
        return network(text)
    except ValueError:
        return None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _write(path: Path, tokens: dict[str, ApiToken]) -> None:
    content = {"tokens": [asdict(tokens[name]) for name in sorted(tokens)]}
    write_text(path, json.dumps(content, indent=2) + "\n", mode=0o600)
