"""The provider: what it says of itself, its keys, and the exchange of a code. What it said is kept for a while.

Source: OpenID Connect Discovery 1.0, section 4; OpenID Connect Core 1.0, sections 3.1.3 and 5.3; RFC 7636 (PKCE).
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any
from urllib.parse import quote, urlencode

from hntes.settings.oidc import Oidc, issuer_problem
from hntes.web.oidc.errors import OidcError, ProviderAwayError
from hntes.web.oidc.fetch import FETCH_S, fetched

# So long an outage may stay unnoticed on the login page.
METADATA_S = 30.0
KEYS_S = 3600.0
# After a failure nobody asks again for so long.
AWAY_S = 10.0
# Between two looks for a key that is not known: made-up names of keys cost the provider no more than that.
NEW_KEYS_S = 30.0
MOST_KEYS = 50


@dataclass(frozen=True)
class Metadata:
    """What the provider says of itself, as far as it is used. `posts_secret`: the secret goes into the form."""

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    end_session_endpoint: str | None
    posts_secret: bool
    names_itself: bool


@dataclass(frozen=True)
class Tokens:
    """What a code was exchanged for."""

    id_token: str
    access_token: str | None


class Provider:
    """One provider; times are seconds of a monotonic clock. `secret` None: a public client."""

    def __init__(self, chosen: Oidc, secret: str | None) -> None:
        self.chosen, self._secret = chosen, secret
        self._lock = Lock()
        self._metadata: tuple[float, Metadata] | None = None
        self._keys: tuple[float, list[Mapping[str, Any]]] | None = None
        self._failed: tuple[float, OidcError] | None = None

    def metadata(self, now_s: float) -> Metadata:
        """What the provider says of itself, not older than `METADATA_S`.

        Raises:
            ProviderAwayError, OidcError: it does not answer, or what it says is not usable.
        """
        with self._asking():
            return self._known(now_s)

    def problem(self, now_s: float) -> str:
        """Why nobody can log in there at present, "" if somebody can. Waits for nobody else who is asking."""
        if self._lock.acquire(blocking=False):
            try:
                self._known(now_s)
            except OidcError as problem:
                return str(problem)
            finally:
                self._lock.release()
            return ""
        failed = self._failed
        return "" if failed is None else str(failed[1])

    def end_session_endpoint(self) -> str | None:
        """Where one logs out at the provider, if it has said so."""
        return None if self._metadata is None else self._metadata[1].end_session_endpoint

    def keys(self, kid: str | None, now_s: float) -> Sequence[Mapping[str, Any]]:
        """The keys of this name, all without a name; asks the provider once more for a name that is not known.

        Raises:
            ProviderAwayError, OidcError: as `metadata`.
        """
        with self._asking():
            kept = self._keys
            if kept is None or now_s >= kept[0] + KEYS_S:
                kept = self._keys = now_s, self._fetched_keys(now_s)
            found = _named(kept[1], kid)
            if not found and now_s >= kept[0] + NEW_KEYS_S:
                kept = self._keys = now_s, self._fetched_keys(now_s)
                found = _named(kept[1], kid)
            return found

    def exchanged(self, code: str, verifier: str, redirect_uri: str, now_s: float) -> Tokens:
        """The tokens for a code.

        Raises:
            ProviderAwayError, OidcError: as `metadata`, or the provider refuses the code.
        """
        about, client = self.metadata(now_s), self.chosen.client_id
        form = {
            "grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri, "code_verifier": verifier,
        }  # fmt: skip
        headers = {}
        if self._secret is None:
            form["client_id"] = client
        elif about.posts_secret:
            form |= {"client_id": client, "client_secret": self._secret}
        else:
            # each part encoded as in a form (RFC 6749, section 2.3.1)
            pair = f"{quote(client, safe='')}:{quote(self._secret, safe='')}"
            headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
        answer = fetched(about.token_endpoint, form=urlencode(form).encode(), headers=headers)
        token, access = answer.get("id_token"), answer.get("access_token")
        if not isinstance(token, str):
            raise OidcError("the provider sent no ID token; is openid among its scopes for this client?")
        return Tokens(token, access if isinstance(access, str) and access.isascii() and access.isprintable() else None)

    def userinfo(self, access_token: str | None, now_s: float) -> Mapping[str, Any]:
        """What the provider says of the person beside the ID token; nothing without an endpoint for it.

        Raises:
            ProviderAwayError, OidcError: as `metadata`.
        """
        url = self.metadata(now_s).userinfo_endpoint
        if url is None or access_token is None:
            return {}
        return fetched(url, headers={"Authorization": f"Bearer {access_token}"})

    @contextmanager
    def _asking(self) -> Iterator[None]:
        if not self._lock.acquire(timeout=2 * FETCH_S):
            raise ProviderAwayError("the provider is being asked by others; try again in a few seconds")
        try:
            yield
        finally:
            self._lock.release()

    def _known(self, now_s: float) -> Metadata:
        """As `metadata`, by the one who holds the lock; a failure is remembered for `AWAY_S`."""
        if self._metadata is not None and now_s < self._metadata[0] + METADATA_S:
            return self._metadata[1]
        if self._failed is not None and now_s < self._failed[0] + AWAY_S:
            raise self._failed[1]
        try:
            # a slash at the end is no part of the path (Discovery 1.0, section 4)
            found = fetched(f"{self.chosen.issuer.rstrip('/')}/.well-known/openid-configuration")
            self._metadata, self._failed = (now_s, metadata_of(found, self.chosen.issuer)), None
        except OidcError as problem:
            self._failed = now_s, problem
            raise
        return self._metadata[1]

    def _fetched_keys(self, now_s: float) -> list[Mapping[str, Any]]:
        keys = fetched(self._known(now_s).jwks_uri).get("keys")
        if not isinstance(keys, list):
            raise OidcError("the provider's keys are not a set of keys")
        return [each for each in keys[:MOST_KEYS] if isinstance(each, dict)]


def metadata_of(document: Mapping[str, Any], issuer: str) -> Metadata:
    """The document of discovery.

    Raises:
        OidcError: another issuer wrote it, or it has no usable endpoints.
    """
    if document.get("issuer") != issuer:
        raise OidcError(
            f"the provider does not call itself {issuer}; write issuer exactly as in its discovery document"
        )
    methods = document.get("token_endpoint_auth_methods_supported")
    posts = isinstance(methods, list) and "client_secret_basic" not in methods and "client_secret_post" in methods
    return Metadata(
        _endpoint(document, "authorization_endpoint"), _endpoint(document, "token_endpoint"),
        _endpoint(document, "jwks_uri"), _optional(document, "userinfo_endpoint"),
        _optional(document, "end_session_endpoint"), posts,
        document.get("authorization_response_iss_parameter_supported") is True,
    )  # fmt: skip


def _endpoint(document: Mapping[str, Any], name: str) -> str:
    found = document.get(name)
    if not isinstance(found, str):
        raise OidcError(f"the provider names no {name}")
    if problem := issuer_problem(found):
        raise OidcError(f"the provider's {name} {problem}")
    return found


def _optional(document: Mapping[str, Any], name: str) -> str | None:
    return _endpoint(document, name) if document.get(name) else None


def _named(keys: Sequence[Mapping[str, Any]], kid: str | None) -> Sequence[Mapping[str, Any]]:
    return [each for each in keys if kid is None or each.get("kid") == kid]
