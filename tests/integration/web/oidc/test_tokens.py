"""Tokens of a provider that misbehaves: wrong claims, wrong signatures, wrong keys."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from hntes.web.oidc import provider
from tests.support.oidc_login import logged_in, refused
from tests.support.oidc_provider import CLIENT, SECRET, Key, Provider, by_shared_secret, part, unsigned
from tests.support.review_page import Browser, browser


def _now(shift_s: int) -> Callable[[], int]:
    return lambda: int(time.time()) + shift_s


WRONG_CLAIMS: dict[str, tuple[dict[str, Any], str]] = {
    "audience": ({"aud": "another"}, "for another client (aud)"),
    "no audience": ({"aud": None}, "for another client (aud)"),
    "audiences": ({"aud": ["another", CLIENT]}, "issued to another client (azp)"),
    "party": ({"azp": "another"}, "issued to another client (azp)"),
    "expired": ({"exp": _now(-31)}, "has expired"),
    "no expiry": ({"exp": None}, "lacks a time"),
    "endless": ({"exp": float("nan")}, "is not a time"),
    "expiry as text": ({"exp": "9999999999"}, "is not a time"),
    "not yet": ({"nbf": _now(120)}, "not valid yet"),
    "of the future": ({"iat": _now(120)}, "not valid yet"),
    "old": ({"iat": _now(-700)}, "more than 600 s ago"),
    "issuer": ({"iss": "https://elsewhere.example"}, "of another issuer (iss)"),
    "issuer with a slash": ({"iss": "SLASH"}, "of another issuer (iss)"),
    "nonce": ({"nonce": "of another login"}, "for another login (nonce)"),
    "no nonce": ({"nonce": None}, "for another login (nonce)"),
    "no subject": ({"sub": None}, "no subject (sub)"),
    "long": ({"more": "x" * 20_000}, "longer than 16384 bytes"),
}


@pytest.mark.parametrize("name", WRONG_CLAIMS)
def test_a_token_with_a_wrong_claim_is_refused(olga: Browser, idp: Provider, name: str) -> None:
    claims, words = WRONG_CLAIMS[name]
    idp.claims = {key: value() if callable(value) else value for key, value in claims.items()}
    if idp.claims.get("iss") == "SLASH":
        idp.claims["iss"] = f"{idp.address}/"
    refused(olga, logged_in(olga, idp), words)


def test_the_leeway_is_small(olga: Browser, idp: Provider) -> None:
    idp.claims = {"exp": int(time.time()) - 5, "nbf": int(time.time()) + 5}
    assert logged_in(olga, idp).status_code == 200


def test_nothing_but_the_providers_own_signature_counts(olga: Browser, idp: Provider) -> None:
    stranger = Key("first")
    public = idp.keys[0].public["n"].encode()
    pem = b"-----BEGIN PUBLIC KEY-----\n" + public
    made: dict[str, Callable[[dict[str, Any]], str]] = {
        "not signed by an algorithm of public keys": unsigned,
        "not signed by an algorithm of public keys ": lambda claims: by_shared_secret(claims, public, "first"),
        "not signed by an algorithm of public keys  ": lambda claims: by_shared_secret(claims, pem, "first"),
        "not signed by an algorithm of public keys   ": lambda claims: by_shared_secret(
            claims, SECRET.encode(), "first"
        ),
        "signature is wrong": stranger.signed,
        "cannot be read": lambda claims: idp.keys[0].signed(claims, crit=["exp"]),
        "cannot be read ": lambda claims: idp.keys[0].signed(claims)[:-9].replace(".", ""),
        "signature is wrong ": lambda claims: altered(idp.keys[0].signed(claims), claims),
        "name of the ID token's key is not a text": lambda claims: idp.keys[0].signed(claims, kid=7),
        "no keys that the ID token's may be": lambda claims: idp.keys[0].signed(claims, alg="ES256"),
    }
    for words, tokens in made.items():
        idp.tokens = tokens
        refused(olga, logged_in(olga, idp), words.strip())
        olga.server.oidc_attempts.forget("127.0.0.1")


def altered(token: str, claims: dict[str, Any]) -> str:
    head, _, signature = token.split(".")
    return f"{head}.{part(claims | {'preferred_username': 'boss'})}.{signature}"


def test_a_new_key_is_asked_for_once(olga: Browser, idp: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 1000.0
    monkeypatch.setattr("hntes.web.oidc_login.now_s", lambda: now_s)
    assert logged_in(olga, idp).status_code == 200
    idp.keys = [Key("second"), *idp.keys]
    now_s += provider.NEW_KEYS_S
    again = browser(olga.server.settings_path, server=olga.server)
    assert logged_in(again, idp).status_code == 200
    assert idp.seen.count("/keys") == 2
    made_up = Key("made up")
    idp.tokens = made_up.signed
    other = browser(olga.server.settings_path, server=olga.server)
    for _ in range(3):
        refused(other, logged_in(other, idp), "no keys that the ID token's may be")
    assert idp.seen.count("/keys") == 2, "not again within the bound"
    now_s += provider.NEW_KEYS_S
    refused(other, logged_in(other, idp), "no keys that the ID token's may be")
    assert idp.seen.count("/keys") == 3


@pytest.mark.filterwarnings("ignore:Key size")  # the library only warns
def test_a_short_key_is_refused(olga: Browser, idp: Provider) -> None:
    idp.keys = [Key("first", rsa.generate_private_key(65537, 1024))]  # noqa: S505 - what is to be refused
    refused(olga, logged_in(olga, idp), "shorter than 2048 bits")
