"""The program that calls an operation: its token, what that may do, and how often it may change something.

Source: RFC 6750 (bearer tokens, `insufficient_scope`).
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import Annotated

from fastapi import Depends, Security
from fastapi.security import HTTPBearer, SecurityScopes
from starlette.requests import Request

from hntes.web.api.scopes import SCOPES
from hntes.web.api.tokens import ApiToken, token_of
from hntes.web.errors import RefusedError
from hntes.web.request import Visit
from hntes.web.site import Site, now_s, site_of
from hntes.web.visitor import Visitor, address_of
from hntes.workflow.context import Context, one_moment, opened
from hntes.workflow.review.decide import Person
from hntes.workflow.stage_log import warn

# For the OpenAPI document: what it would read of a request is read in `authenticated`, which refuses two tokens.
_BEARER = HTTPBearer(scheme_name="token", auto_error=False)


@dataclass(frozen=True)
class Caller:
    """A program with a token that has the scope of the operation."""

    site: Site
    token: ApiToken

    @contextmanager
    def opened(self) -> Iterator[Context]:
        """Settings and database of this request, like those of a command."""
        with opened(self.site.settings_path, self.site.databases) as context:
            yield context

    @contextmanager
    def reading(self) -> Iterator[Visit]:
        """A request that changes nothing; all that it reads is of one moment."""
        with self.opened() as context, one_moment(context):
            yield self._visit(context)

    @contextmanager
    def deciding(self, count: int = 1) -> Iterator[Visit]:
        """A request that makes so many changes, of something other than reservations.

        Raises:
            RefusedError: the token has changed as much as it may within an hour.
        """
        # another account than that of reservations: a name has no colon
        account, limit = f"decisions:{self.token.name}", self.site.web.api_changes_per_hour
        self.require_rate(account, limit, "web", now_s(), count)
        with self.opened() as context:
            yield self._visit(context)

    def require_rate(self, account: str, limit: int, section: str, moment_s: float, count: int = 1) -> None:
        """Counts so many changes.

        Raises:
            RefusedError: with those of the hour before `moment_s`, seconds of the monotonic clock, they are more than
                `limit`.
        """
        of_settings = f"{section}.api_changes_per_hour of the settings"
        if count > limit:
            raise RefusedError(422, f"these are {count} changes; a token makes {limit} within an hour ({of_settings})")
        wait_s = self.site.api_changes.admit(account, limit, moment_s, count)
        if wait_s > 0:
            raise RefusedError(
                429, f"this token makes at most {limit} changes within an hour: try again in {ceil(wait_s)} s; the "
                f"limit is {of_settings}"
            )  # fmt: skip

    def person(self, note: str | None) -> Person:
        """Who decides: the token's owner, by this token."""
        return Person(self.token.owner, note, self.token.identity)

    def _visit(self, context: Context) -> Visit:
        return Visit(self.site, Visitor(self.token.name, source="token"), context)


def calling(
    request: Request, scopes: SecurityScopes, _described: Annotated[object, Depends(_BEARER)]
) -> Caller:  # fmt: skip
    """The caller of an operation with one scope.

    Raises:
        RefusedError: as `authenticated`, or the token does not have the scope.
    """
    token = authenticated(request)
    for scope, words in SCOPES.items():
        if scope in scopes.scopes and scope not in token.scopes:
            raise RefusedError(
                403,
                f"this token has no scope {scope}, which {words}; `hntes user add-token --scope {scope}` adds one",
                members={"missing_scope": scope},
                headers={"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'},
            )
    return Caller(site_of(request), token)


Reader = Annotated[Caller, Security(calling, scopes=["read"])]
Reserver = Annotated[Caller, Security(calling, scopes=["reserve"])]
Decider = Annotated[Caller, Security(calling, scopes=["decide"])]
Overrider = Annotated[Caller, Security(calling, scopes=["override"])]
Backtester = Annotated[Caller, Security(calling, scopes=["backtest"])]


def authenticated(request: Request) -> ApiToken:
    """The token of a request.

    Raises:
        RefusedError: it has no token, or an unknown one: 401, and 429 once too many came from its address.
    """
    site, given = site_of(request), request.headers.getlist("authorization")
    scheme, _, secret = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    if scheme.lower() != "bearer" or not secret:
        raise RefusedError(401, "send one header Authorization: Bearer TOKEN; `hntes user add-token` creates tokens")
    # looked up before anything is counted: tokens cannot be guessed, and several programs may share an address
    token = token_of(site.web.tokens, secret)
    if token is None:
        raise _unknown(site, address_of(request, site), secret)
    return token


def _unknown(site: Site, address: str, secret: str) -> RefusedError:
    """The refusal of an unknown token; the log names so many of an address within a quarter of an hour."""
    tried = hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
    wait_s = site.api_attempts.wait_s(address, tried, now_s())
    if wait_s > 0:
        return RefusedError(429, f"too many unknown tokens from here: try again in {ceil(wait_s)} s")
    site.api_attempts.failed(address, tried, now_s())
    warn(f"API: unknown token from {address}")
    return RefusedError(401, "this token is not known; it may have been removed")
