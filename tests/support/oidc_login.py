"""A login by OpenID Connect as a browser does it."""

from typing import Any

import pytest

from hntes.settings.oidc import Oidc
from hntes.web.oidc.secret import SECRET_VARIABLE
from hntes.web.site import Site
from tests.support.installation import Installation
from tests.support.oidc_provider import CLIENT, SECRET, Provider
from tests.support.review_page import Browser, site, words_in

CALLBACK = "/login/oidc/callback"
DISCOVERY = "/.well-known/openid-configuration"


def served(where: Installation, idp: Provider, monkeypatch: pytest.MonkeyPatch, **changed: Any) -> Site:
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    given = {"issuer": idp.address, "client_id": CLIENT, "operators": ("approvers",), "viewers": ("net",)} | changed
    return site(where.settings, oidc=Oidc.model_validate(given))


def begun(person: Browser, idp: Provider, wanted: str = "/log") -> str:
    """The query with which the provider sends the browser back."""
    sent = person.get(f"/login/oidc?next={wanted}")
    assert sent.status_code == 303, sent.text
    return idp.log_in(sent.headers["location"])


def logged_in(person: Browser, idp: Provider, wanted: str = "/log") -> Any:
    return person.get(f"{CALLBACK}?{begun(person, idp, wanted)}")


def refused(person: Browser, came: Any, words: str, status: int = 403) -> None:
    assert came.status_code == status
    assert f"not logged in: {words}" in words_in(came.text) or words in words_in(came.text)
    assert person.get("/log").status_code == 303, "there is no session"
