"""Login sessions by the hash of their secret, in this process only, and tokens that bind forms to them."""

import hashlib
import hmac
import re
import secrets
from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock
from typing import Literal

from hntes.web.accounts import Role

_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
MOST_SESSIONS = 1000
# Per name, so that repeated logins cannot end the sessions of others.
MOST_PER_NAME = 20


@dataclass(frozen=True)
class Session:
    """A login. `account_digest` is of the account's state: a changed password or role ends the session.

    A login by OpenID Connect has no account here: its `role` is that of the login, and the digest is "".
    """

    name: str
    account_digest: str
    made_s: float
    used_s: float
    source: Literal["web", "oidc"] = "web"
    role: Role = "viewer"


class Sessions:
    """The sessions of one process. Times are seconds of a monotonic clock.

    Args:
        lasts_s: Maximum session length.
        idle_s: Idle timeout.
    """

    def __init__(self, lasts_s: float, idle_s: float) -> None:
        self._lasts_s, self._idle_s = lasts_s, idle_s
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lock = Lock()

    def begin(self, name: str, account_digest: str, now_s: float) -> str:
        """A new session of an account; returns its fresh secret."""
        return self._begin(Session(name, account_digest, now_s, now_s))

    def begin_oidc(self, name: str, role: Role, now_s: float) -> str:
        """A new session of somebody whom the provider has logged in; returns its fresh secret."""
        return self._begin(Session(name, "", now_s, now_s, "oidc", role))

    def _begin(self, begun: Session) -> str:
        secret = new_secret()
        with self._lock:
            who = begun.source, begun.name
            own = [key for key, session in self._sessions.items() if (session.source, session.name) == who]
            for key in own[: max(len(own) - MOST_PER_NAME + 1, 0)]:
                del self._sessions[key]
            self._sessions[_digest(secret)] = begun
            while len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
        return secret

    def found(self, secret: str, now_s: float, *, is_use: bool = True) -> Session | None:
        """The session of that secret, if it has not ended; a use of it resets its idle time."""
        key = _digest(secret)
        with self._lock:
            session = self._sessions.get(key)
            if session is None:
                return None
            if now_s >= session.made_s + self._lasts_s or now_s >= session.used_s + self._idle_s:
                del self._sessions[key]
                return None
            if is_use:
                self._sessions[key] = replace(session, used_s=now_s)
            return session

    def end(self, secret: str) -> None:
        """Ends a session, if there is one of that secret."""
        with self._lock:
            self._sessions.pop(_digest(secret), None)


class Tokens:
    """Form tokens that only this process can create, each bound to a secret and a name."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def token(self, secret: str, name: str) -> str:
        """The token of this session and person."""
        # the lengths distinguish (a, bc) from (ab, c)
        text = f"{len(secret)} {secret} {name}"
        return hmac.new(self._key, text.encode("utf-8", "surrogateescape"), hashlib.sha256).hexdigest()

    def fits(self, token: str, secret: str, name: str) -> bool:
        """Whether the token is that of this session and person."""
        given = token.encode("utf-8", "surrogateescape")
        return bool(secret) and hmac.compare_digest(given, self.token(secret, name).encode())


def new_secret() -> str:
    """256 random bits, as text for a cookie."""
    return secrets.token_urlsafe(32)


def is_secret(text: str) -> bool:
    """Whether it has the form of `new_secret`."""
    return bool(_SECRET.fullmatch(text))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
