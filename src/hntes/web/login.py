"""Login to local accounts, and logout."""

from math import ceil
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hntes.web.accounts import Account, is_password, read_accounts
from hntes.web.errors import RefusedError
from hntes.web.form import Form, read_form, require_own_form
from hntes.web.page import drop_cookie, page, set_cookie, set_session
from hntes.web.sessions import is_secret, new_secret
from hntes.web.site import Site, account_digest, now_s, site_of
from hntes.web.visitor import Visitor, address_of, visitor_of
from hntes.workflow.stage_log import warn

routes = APIRouter()
OwnForm = Annotated[Form, Depends(read_form)]
_LOGIN = "login"  # in place of a name in the token of a login form


@routes.get("/login")
def ask(request: Request) -> Response:
    """The form."""
    site = site_of(request)
    if visitor_of(request, site).name:
        return RedirectResponse("/", 303)
    return login_page(request, site, own_address(request.query_params.get("next", "")))


@routes.post("/login")
def log_in(request: Request, form: OwnForm) -> Response:
    """A new session if the password is right; the previous one is discarded."""
    site = site_of(request)
    require_own_form(request, site, form, request.cookies.get(site.login_cookie, ""), _LOGIN)
    name, target, address = form.text("name"), own_address(form.text("next")), address_of(request, site)
    wait_s = site.attempts.wait_s(address, name, now_s())
    if wait_s > 0:
        response = login_page(
            request, site, target, f"too many failed logins: try again in {ceil(wait_s / 60)} min", 429
        )
        response.headers["Retry-After"] = str(ceil(wait_s))
        return response
    account = read_accounts(site.web.accounts).get(name)
    if not _fits(site, account, form, address, name) or account is None:
        warn(f"review page: failed login from {address}")
        return login_page(request, site, target, "wrong name or password", 403)
    site.attempts.succeeded(address, name)
    site.sessions.end(request.cookies.get(site.session_cookie, ""))
    response = RedirectResponse(target, 303)
    set_session(response, site, site.sessions.begin(account.name, account_digest(account), now_s()))
    drop_cookie(response, site, site.login_cookie)
    return response


def _fits(site: Site, account: Account | None, form: Form, address: str, name: str) -> bool:
    """Whether the form has the account's password; an attempt counts as failed before that is known.

    Raises:
        RefusedError: too many logins are in progress; requests with a session must still be served.
    """
    if not site.logins.acquire(blocking=False):
        raise RefusedError(503, "too many logins at the moment: go back and try again in a few seconds")
    try:
        # before the password is checked: otherwise many parallel attempts would all pass
        site.attempts.failed(address, name, now_s())
        return is_password(account, next(iter(form.texts("password")), ""))
    finally:
        site.logins.release()


@routes.post("/logout")
def log_out(request: Request, form: OwnForm) -> Response:
    """Ends the session."""
    site = site_of(request)
    visitor = visitor_of(request, site)
    if visitor.name:
        require_own_form(request, site, form, visitor.secret, visitor.name)
    site.sessions.end(visitor.secret)
    response = RedirectResponse("/login?ended=oidc" if visitor.source == "oidc" else "/login", 303)
    drop_cookie(response, site, site.session_cookie)
    return response


def own_address(text: str) -> str:
    """The target after a login: a URL of this site, or the dashboard.

    Example:
        >>> own_address("/log?kind=pin"), own_address("//elsewhere.example"), own_address("https://elsewhere.example")
        ('/log?kind=pin', '/', '/')
    """
    # browsers treat a backslash as a slash, and drop control characters
    is_own = text.startswith("/") and not text.startswith("//") and "\\" not in text
    return text if is_own and text.isascii() and text.isprintable() else "/"


def login_page(request: Request, site: Site, target: str, message: str = "", status: int = 200) -> Response:
    """All ways to log in; `target` is the page afterwards, `message` says why a login failed."""
    given = request.cookies.get(site.login_cookie, "")
    secret = given if is_secret(given) else new_secret()
    ended = request.query_params.get("ended") == "oidc"
    values = {
        "csrf": site.tokens.token(secret, _LOGIN), "next": target, "message": message,
        "oidc": None if site.oidc is None else site.oidc.words(now_s(), has_ended=ended),
    }  # fmt: skip
    response = page("login.html.j2", site, Visitor(), values, status=status)
    set_cookie(response, site, site.login_cookie, secret)
    return response
