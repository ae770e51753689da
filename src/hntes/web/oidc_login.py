"""Login by OpenID Connect: the way to the provider, and back.

Source: OpenID Connect Core 1.0, section 3.1; RFC 9700 (best practices), RFC 9207 (issuer of an answer).
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hntes import clock
from hntes.web.errors import RefusedError
from hntes.web.login import login_page, own_address
from hntes.web.oidc.errors import OidcError, ProviderAwayError
from hntes.web.oidc.person import Person, lacks_claims, person_of
from hntes.web.oidc.sign_on import SignOn
from hntes.web.oidc.started import LASTS_S, Login
from hntes.web.oidc.token import Expected, verified_claims
from hntes.web.page import drop_cookie, page, set_session
from hntes.web.site import Site, now_s, site_of
from hntes.web.visitor import Visitor, address_of, visitor_of
from hntes.workflow.stage_log import warn

routes = APIRouter(prefix="/login/oidc")
CALLBACK = "/login/oidc/callback"
MOST_CODE_CHARACTERS = 4096
_ERROR = re.compile(r"[a-z_]{1,60}")  # RFC 6749, section 4.1.2.1


@routes.get("")
def begin(request: Request) -> Response:
    """Sends the browser to the provider, with a cookie by which it is known when it comes back."""
    site, target = site_of(request), own_address(request.query_params.get("next", ""))
    if visitor_of(request, site).name:
        return RedirectResponse(target, 303)
    sign_on = _sign_on(site)
    cookie, login = sign_on.started.begin(target, now_s())
    try:
        with _place(sign_on):
            address = sign_on.address(login, _redirect_uri(request, site), now_s())
    except OidcError as problem:
        warn(f"review page: login by OpenID Connect: {problem}")
        return login_page(request, site, target, f"not logged in: {problem}", _status(problem))
    response = RedirectResponse(address, 303)
    # strict cookies are not sent where another site leads back
    response.set_cookie(
        site.oidc_cookie, cookie, max_age=LASTS_S, path="/", httponly=True, samesite="lax", secure=site.web.is_secure
    )
    return response


@routes.get("/callback")
def come_back(request: Request) -> Response:
    """A new session if the provider has logged in somebody with a role; the previous one is discarded."""
    site, address = site_of(request), address_of(request, site_of(request))
    sign_on, target, state = _sign_on(site), "/", _one(request, "state") or ""
    wait_s = site.oidc_attempts.wait_s(address, state, now_s())
    try:
        if wait_s > 0:
            raise RefusedError(429, f"too many failed logins: try again in {ceil(wait_s / 60)} min")
        login = sign_on.started.finish(request.cookies.get(site.oidc_cookie, ""), state, now_s())
        target = login.target
        # only what this browser has begun counts, before anything is asked: parallel attempts would all pass
        site.oidc_attempts.failed(address, state, now_s())
        with _place(sign_on):
            person = _person(request, site, sign_on, login)
    except OidcError as problem:
        warn(f"review page: failed login by OpenID Connect from {address}: {problem}")
        response = login_page(request, site, target, f"not logged in: {problem}", _status(problem))
    else:
        site.oidc_attempts.forget(address)
        site.sessions.end(request.cookies.get(site.session_cookie, ""))
        response = _welcome(site, person, own_address(target))
    drop_cookie(response, site, site.oidc_cookie)
    return response


def _person(request: Request, site: Site, sign_on: SignOn, login: Login) -> Person:
    """Whom the provider has logged in.

    Raises:
        OidcError: nobody, or what it says does not hold.
    """
    sign_on.require_own_answer(_one(request, "iss"), now_s())
    error, code = _one(request, "error"), _one(request, "code")
    if error is not None:
        raise OidcError(f"the provider refuses: {error if _ERROR.fullmatch(error) else 'no reason given'}")
    if code is None or not 0 < len(code) <= MOST_CODE_CHARACTERS:
        raise OidcError("the provider's answer has no code")
    tokens = sign_on.provider.exchanged(code, login.verifier, _redirect_uri(request, site), now_s())
    expected = Expected(sign_on.chosen.issuer, sign_on.chosen.client_id, login.nonce)
    claims = verified_claims(tokens.id_token, lambda kid: sign_on.provider.keys(kid, now_s()), expected, clock.now_s())
    if not lacks_claims(sign_on.chosen, claims):
        return person_of(sign_on.chosen, claims)
    more = sign_on.provider.userinfo(tokens.access_token, now_s())
    if more and more.get("sub") != claims["sub"]:
        raise OidcError("what the provider says of you is of somebody else (sub)")
    return person_of(sign_on.chosen, claims, more)


def _welcome(site: Site, person: Person, target: str) -> Response:
    """A page that leads on: a redirect would still count as the other site's, without the strict cookie."""
    secret = site.sessions.begin_oidc(person.name, person.role, now_s())
    response = page("welcome.html.j2", site, Visitor(person.name, person.role, "oidc", secret), {"next": target})
    set_session(response, site, secret)
    response.headers["Refresh"] = f"0; url={target}"
    return response


def _sign_on(site: Site) -> SignOn:
    assert site.oidc is not None  # noqa: S101 - these routes are there only with it
    return site.oidc


@contextmanager
def _place(sign_on: SignOn) -> Iterator[None]:
    """One of the few places that wait for the provider, so that its silence does not stop others.

    Raises:
        ProviderAwayError: all are taken.
    """
    if not sign_on.waiting.acquire(blocking=False):
        raise ProviderAwayError("too many logins wait for the provider: try again in a few seconds")
    try:
        yield
    finally:
        sign_on.waiting.release()


def _one(request: Request, name: str) -> str | None:
    """A parameter of the answer; None without.

    Raises:
        RefusedError: it is there twice.
    """
    given = request.query_params.getlist(name)
    if len(given) > 1:
        raise RefusedError(400, f"the provider's answer has {name} twice")
    return given[0] if given else None


def _redirect_uri(request: Request, site: Site) -> str:
    """Where the provider sends the browser back to: by that name of this page that the browser uses."""
    scheme = "https" if site.web.is_secure else "http"
    return f"{scheme}://{request.headers['host'].lower()}{CALLBACK}"


def _status(problem: OidcError) -> int:
    return 503 if isinstance(problem, ProviderAwayError) else 403
