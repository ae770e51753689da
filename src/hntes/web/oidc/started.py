"""Logins under way: what binds the provider's answer to the browser that began, without memory of those who began.

State, nonce and verifier follow from a secret in the browser's cookie and a key of this process. Only logins that came
back are remembered, so that a flood of beginnings pushes nobody out.
"""

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock

from hntes.web.oidc.errors import OidcError

# Time to log in at the provider.
LASTS_S = 600
MOST_REMEMBERED = 10_000
MOST_TARGET_CHARACTERS = 1000
_AGAIN = "log in once more"


@dataclass(frozen=True)
class Login:
    """One login: `target` is the page that was wanted; `challenge` is the verifier's SHA-256 (RFC 7636)."""

    state: str
    nonce: str
    verifier: str
    target: str

    @property
    def challenge(self) -> str:
        return _text(sha256(self.verifier.encode()).digest())


class Started:
    """The logins of one process. Times are seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._done: OrderedDict[str, float] = OrderedDict()
        self._lock = Lock()

    def begin(self, target: str, now_s: float) -> tuple[str, Login]:
        """A cookie for the browser, and the login that it stands for."""
        target = target if len(target) <= MOST_TARGET_CHARACTERS else "/"
        signed = f"{secrets.token_urlsafe(32)}.{int(now_s)}.{_text(target.encode())}"
        return f"{signed}.{self._mac('cookie', signed)}", self._login(signed, target)

    def finish(self, cookie: str, state: str, now_s: float) -> Login:
        """The login that a browser with this cookie comes back from; once.

        Raises:
            OidcError: this browser did not begin it, too long ago, or came back before.
        """
        signed, _, mac = cookie.rpartition(".")
        if not signed or not hmac.compare_digest(mac.encode("utf-8", "replace"), self._mac("cookie", signed).encode()):
            raise OidcError(f"this browser has not begun a login here, or the page was restarted; {_AGAIN}")
        _, began, target = signed.split(".")
        login = self._login(signed, urlsafe_b64decode(_padded(target)).decode())
        if not hmac.compare_digest(state.encode("utf-8", "replace"), login.state.encode()):
            raise OidcError(f"the answer belongs to another login (state); {_AGAIN}")
        if now_s - int(began) > LASTS_S:
            raise OidcError(f"the login took longer than {LASTS_S // 60} min; {_AGAIN}")
        self._remember(login.state, now_s)
        return login

    def _remember(self, state: str, now_s: float) -> None:
        with self._lock:
            if state in self._done:
                raise OidcError(f"this answer was used before; {_AGAIN}")
            self._done[state] = now_s
            while len(self._done) > MOST_REMEMBERED:
                self._done.popitem(last=False)

    def _login(self, signed: str, target: str) -> Login:
        state, nonce, verifier = (self._mac(part, signed) for part in ("state", "nonce", "verifier"))
        return Login(state, nonce, verifier, target)

    def _mac(self, part: str, signed: str) -> str:
        return _text(hmac.digest(self._key, f"{part} {signed}".encode("utf-8", "surrogateescape"), "sha256"))


def _text(value: bytes) -> str:
    return urlsafe_b64encode(value).decode().rstrip("=")


def _padded(text: str) -> str:
    return text + "=" * (-len(text) % 4)
