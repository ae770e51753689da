"""The state of one running review page: settings, sessions, failed logins."""

import hashlib
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Semaphore

from starlette.requests import Request

from hntes.settings.web import Web
from hntes.web.accounts import Account
from hntes.web.api.throttle import Changes
from hntes.web.live.topic import Live
from hntes.web.login_throttle import Attempts
from hntes.web.oidc.sign_on import SignOn
from hntes.web.sessions import Sessions, Tokens
from hntes.workflow.context import Databases
from hntes.workflow.reports.backtest_process import BacktestProcesses

# Logins in progress or waiting. Two are checked in parallel, a fifth of the request threads.
MOST_LOGINS = 8


@dataclass(frozen=True)
class Site:
    """One running page. Everything else is read for each request, as by each command.

    Attributes:
        settings_path: The settings file; None: the default one.
        web: Its section [web] when the page was started.
    """

    settings_path: Path | None
    web: Web
    sessions: Sessions = field(init=False)
    tokens: Tokens = field(default_factory=Tokens)
    attempts: Attempts = field(default_factory=Attempts)
    api_attempts: Attempts = field(default_factory=Attempts)
    oidc_attempts: Attempts = field(default_factory=Attempts)
    api_changes: Changes = field(default_factory=Changes)
    live: Live = field(default_factory=Live)
    databases: Databases = field(default_factory=Databases)
    backtests: BacktestProcesses = field(default_factory=BacktestProcesses)
    oidc: SignOn | None = field(init=False)
    logins: Semaphore = field(default_factory=lambda: Semaphore(MOST_LOGINS))

    def __post_init__(self) -> None:
        sessions = Sessions(self.web.session_hours * 3600.0, self.web.idle_minutes * 60.0)
        object.__setattr__(self, "sessions", sessions)
        object.__setattr__(self, "oidc", SignOn(self.web.oidc) if self.web.oidc else None)

    def close(self) -> None:
        """Ends back-tests that run, and closes all connections to the database."""
        self.backtests.close()
        self.databases.close()

    @property
    def session_cookie(self) -> str:
        """The cookie's name. The prefix makes browsers refuse it from other hosts and without HTTPS (RFC 6265bis)."""
        return "__Host-hntes" if self.web.is_secure else "hntes"

    @property
    def login_cookie(self) -> str:
        """The cookie that binds a login form to a browser before the login."""
        return f"{self.session_cookie}-login"

    @property
    def oidc_cookie(self) -> str:
        """The cookie that binds a login under way at the provider to a browser."""
        return f"{self.session_cookie}-oidc"


def site_of(request: Request) -> Site:
    """The site that a request was made to."""
    site = request.app.state.site
    assert isinstance(site, Site)  # noqa: S101 - set where the application is made
    return site


def account_digest(account: Account) -> str:
    """A digest of an account's state, which changes with password and role."""
    return hashlib.sha256(f"{account.role} {account.password_hash}".encode()).hexdigest()


def now_s() -> float:
    """Seconds of a monotonic clock."""
    return time.monotonic()
