"""A provider that answers wrongly, slowly, or not at all."""

import time
from pathlib import Path
from typing import Any

import pytest

from hntes.web.oidc import fetch
from hntes.web.oidc.sign_on import MOST_WAITING
from tests.support.certificates import self_signed
from tests.support.installation import Installation
from tests.support.oidc_login import CALLBACK, DISCOVERY, begun, logged_in, refused, served
from tests.support.oidc_provider import Provider, oidc_provider
from tests.support.review_page import Browser, browser, words_in


def test_a_provider_that_names_itself_must_do_so(olga: Browser, idp: Provider) -> None:
    idp.metadata = {"authorization_response_iss_parameter_supported": True}
    refused(olga, logged_in(olga, idp), "of another provider (iss)")
    assert olga.get(f"{CALLBACK}?{begun(olga, idp)}&iss={idp.address}").status_code == 200


DISCOVERIES: dict[str, tuple[dict[str, Any], str]] = {
    "another issuer": ({"issuer": "https://elsewhere.example"}, "does not call itself"),
    "plain http": ({"token_endpoint": "http://idp.example/token"}, "token_endpoint must be https"),
    "a file": ({"jwks_uri": "file:///etc/passwd"}, "jwks_uri must be https"),
    "a user": ({"authorization_endpoint": "https://a@idp.example/"}, "no user in it"),
    "nothing": ({"authorization_endpoint": None}, "names no authorization_endpoint"),
}


@pytest.mark.parametrize("name", DISCOVERIES)
def test_a_provider_of_wrong_endpoints_is_refused(olga: Browser, idp: Provider, name: str) -> None:
    idp.metadata, words = DISCOVERIES[name]
    refused(olga, olga.get("/login/oidc"), words)
    assert words in words_in(olga.get("/login").text), "the login page says so"


ANSWERS: dict[str, tuple[str, tuple[int, bytes], str, int]] = {
    "no json": (DISCOVERY, (200, b"<html>"), "is not JSON", 403),
    "a list": (DISCOVERY, (200, b"[]"), "is not a JSON object", 403),
    "nested": (DISCOVERY, (200, b"[" * 200_000), "is not JSON", 403),
    "long": (DISCOVERY, (200, b" " * (fetch.MOST_BYTES + 1)), "longer than", 403),
    "redirect": (DISCOVERY, (302, b""), "refuses the request (302)", 403),
    "error": (DISCOVERY, (503, b""), "answers with an error (503)", 503),
    "no keys": ("/keys", (200, b'{"keys": 1}'), "not a set of keys", 403),
    "keys of nothing": ("/keys", (200, b'{"keys": [1, {}]}'), "no keys that", 403),
    "short key": (
        "/keys",
        (200, b'{"keys": [{"kty": "RSA", "kid": "first", "n": "AQAB", "e": "AQAB"}]}'),
        "cannot be",
        403,
    ),
    "a secret as key": (
        "/keys",
        (200, b'{"keys": [{"kty": "oct", "kid": "first", "k": "AQAB"}]}'),
        "no keys that",
        403,
    ),
    "no token": ("/token", (200, b"{}"), "sent no ID token", 403),
    "token of a number": ("/token", (200, b'{"id_token": 1}'), "sent no ID token", 403),
    "token redirect": ("/token", (307, b""), "refuses the request (307)", 403),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_provider_that_answers_wrongly_is_refused(olga: Browser, idp: Provider, name: str) -> None:
    path, answer, words, status = ANSWERS[name]
    if path == DISCOVERY:
        idp.answers = {path: answer}
        refused(olga, olga.get("/login/oidc"), words, status)
    else:
        query = begun(olga, idp)
        idp.answers = {path: answer}
        refused(olga, olga.get(f"{CALLBACK}?{query}"), words, status)


def test_a_provider_is_trusted_by_a_known_certificate_alone(
    bare: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = self_signed(tmp_path)
    with oidc_provider(certificate, key) as idp:
        olga = browser(bare.settings, server=served(bare, idp, monkeypatch))
        sent = olga.get("/login/oidc")
        assert "127.0.0.1 has a certificate that is not trusted (self-signed certificate)" in words_in(sent.text)
        assert (sent.status_code, idp.seen) == (503, []), "nothing was asked of it"
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        olga = browser(bare.settings, server=served(bare, idp, monkeypatch))
        assert logged_in(olga, idp).status_code == 200
        assert {DISCOVERY, "/keys", "/token"} <= set(idp.seen)


def test_a_provider_that_is_silent_or_away_stops_nobody_else(
    bare: Installation, olga: Browser, idp: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "FETCH_S", 0.5)
    idp.delay_s = 3.0
    began_s = time.monotonic()
    told = olga.get("/login")
    assert told.status_code == 200
    assert "cannot be used at present: 127.0.0.1 does not answer" in words_in(told.text)
    assert olga.get("/login/oidc").status_code == 503
    assert len(idp.seen) == 1, "what failed is remembered for a while"
    assert time.monotonic() - began_s < 3.0
    own = browser(bare.settings, server=olga.server)
    assert own.log_in("anna").status_code == 303
    assert own.get("/pair").status_code == 200


def test_few_wait_for_the_provider_at_a_time(olga: Browser, idp: Provider) -> None:
    waiting = olga.server.oidc.waiting  # type: ignore[union-attr]
    query = begun(olga, idp)
    for _ in range(MOST_WAITING):
        assert waiting.acquire(blocking=False)
    refused(olga, olga.get("/login/oidc"), "too many logins wait", 503)
    refused(olga, olga.get(f"{CALLBACK}?{query}"), "too many logins wait", 503)
    for _ in range(MOST_WAITING):
        waiting.release()
    assert logged_in(olga, idp).status_code == 200
