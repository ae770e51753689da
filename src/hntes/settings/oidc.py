"""The settings of the login by OpenID Connect."""

from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from hntes.sanitize import text_problem
from hntes.settings.section import Section

# Of a provider on this machine, which alone may be asked without TLS.
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYBODY = "*"
Claim = Annotated[str, Field(min_length=1, max_length=200)]


class Oidc(Section):
    """Login at a provider of OpenID Connect, beside the page's own accounts.

    The client's secret comes from HNTES_OIDC_CLIENT_SECRET, or from the first line of the file that
    HNTES_OIDC_CLIENT_SECRET_FILE names; without either the client is a public one.
    """

    issuer: str
    """the provider's issuer, exactly as it names itself: https, or http on this machine"""
    client_id: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")]
    """name under which the provider knows this page"""
    title: Annotated[str, Field(min_length=1, max_length=60)] = "single sign-on"
    """what the login page calls the provider"""
    scopes: tuple[Annotated[str, Field(pattern=r"^[\x21\x23-\x5b\x5d-\x7e]{1,100}$")], ...] = ("openid", "profile")
    """scopes that are asked for; `openid` must be among them"""
    name_claim: Claim = "preferred_username"
    """claim with the person's name in the audit log, that they cannot change; `email` counts only if verified"""
    role_claim: Claim = "groups"
    """claim that gives roles, a text or a list of texts; `a.b` is `b` inside of `a`"""
    operators: tuple[str, ...] = ()
    """values of `role_claim` with which one may decide"""
    viewers: tuple[str, ...] = ()
    """values of `role_claim` with which one may read; "*": everybody whom the provider logs in"""

    @field_validator("issuer")
    @classmethod
    def _one_server(cls, issuer: str) -> str:
        if problem := issuer_problem(issuer):
            raise ValueError(problem)
        return issuer

    @field_validator("title", "name_claim", "role_claim")
    @classmethod
    def _printable(cls, text: str) -> str:
        if not text.strip() or (problem := text_problem(text)):
            raise ValueError(f"{text!r} {problem if text.strip() else 'is empty'}")
        return text

    @field_validator("operators", "viewers")
    @classmethod
    def _values(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            if not value.strip() or text_problem(value):
                raise ValueError(f"{value!r} is not a value of a claim; write one line of printable characters")
        return values

    @model_validator(mode="after")
    def _somebody(self) -> Self:
        if "openid" not in self.scopes:
            raise ValueError("scopes lack openid, without which there is no login")
        if EVERYBODY in self.operators:
            raise ValueError('operators cannot be "*": name the values of role_claim with which one may decide')
        if not self.operators and not self.viewers:
            raise ValueError("nobody may log in: set operators, viewers, or both")
        return self


def issuer_problem(text: str) -> str | None:
    """Why a URL cannot be an issuer or an endpoint, None if it can: it must be https, or http on this machine."""
    if not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        return "must be a URL of printable ASCII characters"
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return "is not a URL"
    if not parts.hostname or "@" in parts.netloc or parts.fragment:
        return "must be https://HOST, with a path at most, and no user in it"
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        return None
    return "must be https: only a provider on this machine may be asked by http"
