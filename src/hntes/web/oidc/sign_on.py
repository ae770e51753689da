"""The login by OpenID Connect of one running page: its provider, the logins under way, and their limits."""

from dataclasses import dataclass, field
from threading import Semaphore
from urllib.parse import urlencode

from hntes.settings.oidc import Oidc
from hntes.web.oidc.errors import OidcError
from hntes.web.oidc.provider import Provider
from hntes.web.oidc.secret import client_secret
from hntes.web.oidc.started import Login, Started

# Logins that wait for the provider at a time: a tenth of the threads that serve requests.
MOST_WAITING = 4


@dataclass(frozen=True)
class Words:
    """What the login page says of the provider: its name, what is wrong with it, and where one logs out there."""

    title: str
    problem: str
    logout: str | None


@dataclass(frozen=True)
class SignOn:
    """Logins at one provider.

    Raises:
        OidcError: the client's secret cannot be read.
    """

    chosen: Oidc
    provider: Provider = field(init=False)
    started: Started = field(default_factory=Started)
    waiting: Semaphore = field(default_factory=lambda: Semaphore(MOST_WAITING))

    def __post_init__(self) -> None:
        object.__setattr__(self, "provider", Provider(self.chosen, client_secret()))

    def words(self, now_s: float, *, has_ended: bool) -> Words:
        """What the login page says; `has_ended`: after a logout."""
        endpoint, logout = self.provider.end_session_endpoint(), None
        if has_ended and endpoint is not None:
            logout = _with_query(endpoint, {"client_id": self.chosen.client_id})
        return Words(self.chosen.title, self.provider.problem(now_s), logout)

    def address(self, login: Login, redirect_uri: str, now_s: float) -> str:
        """Where the browser goes to log in.

        Raises:
            OidcError: the provider does not answer, or not as one.
        """
        return _with_query(
            self.provider.metadata(now_s).authorization_endpoint,
            {
                "response_type": "code", "client_id": self.chosen.client_id, "redirect_uri": redirect_uri,
                "scope": " ".join(self.chosen.scopes), "state": login.state, "nonce": login.nonce,
                "code_challenge": login.challenge, "code_challenge_method": "S256",
            },
        )  # fmt: skip

    def require_own_answer(self, issuer: str | None, now_s: float) -> None:
        """Refuses an answer of another provider (RFC 9207).

        Raises:
            OidcError: it names another issuer, or none where this provider always names itself.
        """
        must = self.provider.metadata(now_s).names_itself
        if issuer != self.chosen.issuer and (must or issuer is not None):
            raise OidcError("the answer is of another provider (iss)")


def _with_query(url: str, values: dict[str, str]) -> str:
    return f"{url}{'&' if '?' in url else '?'}{urlencode(values)}"
