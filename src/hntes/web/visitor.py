"""The visitor: a user authenticated by a trusted proxy, by a provider of OpenID Connect, or by the page's own login."""

from dataclasses import dataclass
from ipaddress import ip_address

from starlette.requests import Request

from hntes.sanitize import text_problem
from hntes.web.accounts import Role, read_accounts
from hntes.web.errors import LoginNeededError, RefusedError
from hntes.web.site import Site, account_digest, now_s

MOST_NAME_CHARACTERS = 200


@dataclass(frozen=True)
class Visitor:
    """The visitor. `name` is "" without a login; `secret` is the browser's session, "" without one.

    `source` is the authenticator: "web", the page's own login, "oidc" or "proxy".
    """

    name: str = ""
    role: Role = "viewer"
    source: str = ""
    secret: str = ""

    @property
    def identity(self) -> str:
        """The identity in the audit log."""
        return f"{self.source}:{self.name}"

    @property
    def may_decide(self) -> bool:
        """Whether the visitor may approve, reject, pin and exclude."""
        return bool(self.name) and self.role == "operator"


def visitor_of(request: Request, site: Site, *, is_watching: bool = False) -> Visitor:
    """The visitor of a request; anonymous without an authenticated name. `is_watching`: it is no use of the session.

    Raises:
        RefusedError: a trusted proxy sent no name, or an invalid one.
    """
    secret = request.cookies.get(site.session_cookie, "")
    if site.web.trusted_proxies and site.web.trusts(peer_of(request)):
        return _named_by_proxy(request, site, secret)
    return _logged_in(secret, site, is_use=not is_watching)


def _logged_in(secret: str, site: Site, *, is_use: bool) -> Visitor:
    session = site.sessions.found(secret, now_s(), is_use=is_use) if secret else None
    if session is None:
        return Visitor()
    if session.source == "oidc":
        return Visitor(session.name, session.role, "oidc", secret)
    account = read_accounts(site.web.accounts).get(session.name)
    if account is None or account_digest(account) != session.account_digest:
        site.sessions.end(secret)
        return Visitor()
    return Visitor(account.name, account.role, "web", secret)


def still_stands(visitor: Visitor, site: Site) -> bool:
    """Whether somebody who follows a page may still see it; whom a proxy named, it names again in the next request."""
    if visitor.source == "proxy" or not visitor.name:
        return True
    return bool(_logged_in(visitor.secret, site, is_use=False).name)


def required_visitor(request: Request, site: Site, *, is_watching: bool = False) -> Visitor:
    """As `visitor_of`, for pages that need a login.

    Raises:
        LoginNeededError: there is no login.
        RefusedError: as `visitor_of`.
    """
    visitor = visitor_of(request, site, is_watching=is_watching)
    if not visitor.name and not site.web.anonymous_read:
        raise LoginNeededError("log in to see this page")
    return visitor


def address_of(request: Request, site: Site) -> str:
    """The client's address: that of the connection, or the one seen by a proxy.

    Of a trusted proxy, or of one on this machine where browsers reach the page by HTTPS, which the page itself does not
    speak: then all connections come from there, and failed logins would count for everybody together.
    """
    peer = peer_of(request)
    if not (site.web.trusts(peer) or (site.web.is_secure and _is_local(peer))):
        return peer
    # the proxy's own entry is the last of the last line; earlier ones can be forged
    forwarded = ",".join(request.headers.getlist("x-forwarded-for")).rpartition(",")[2].strip()
    try:
        return str(ip_address(forwarded))
    except ValueError:
        return peer


def _is_local(peer: str) -> bool:
    try:
        return ip_address(peer).is_loopback
    except ValueError:
        return False


def peer_of(request: Request) -> str:
    """The peer address of the connection."""
    return request.client.host if request.client else ""


def _named_by_proxy(request: Request, site: Site, secret: str) -> Visitor:
    named = request.headers.getlist(site.web.user_header)
    if not named and not site.web.anonymous_read:
        raise RefusedError(403, f"the proxy sent no {site.web.user_header}; configure it to authenticate users")
    if not named:
        return Visitor()
    # A header is bytes; proxies send names in UTF-8.
    name = named[0].encode("latin-1").decode("utf-8", "replace").strip()
    if len(named) > 1 or not name or len(name) > MOST_NAME_CHARACTERS or text_problem(name) or "\ufffd" in name:
        raise RefusedError(403, f"the proxy's {site.web.user_header} is not one name; configure it to send exactly one")
    return Visitor(name, "operator" if name in site.web.operators else "viewer", "proxy", secret)
