"""The checks of an ID token: signature, issuer, audience, times, nonce.

Source: OpenID Connect Core 1.0, section 3.1.3.7; RFC 7515 (JWS), RFC 7518 (algorithms), RFC 8725 (best practices).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import import_key

from hntes.web.oidc.errors import OidcError

# Public keys alone: with a shared secret among them, a public key could pass for one.
ALGORITHMS = {
    "RS256": "RSA", "RS384": "RSA", "RS512": "RSA", "PS256": "RSA", "PS384": "RSA", "PS512": "RSA", "ES256": "EC",
    "ES384": "EC", "ES512": "EC", "EdDSA": "OKP", "Ed25519": "OKP",
}  # fmt: skip
MOST_TOKEN_BYTES = 16_384
MOST_HEADER_BYTES = 4096
LEEWAY_S = 30
# A token is read within seconds of its making; an old one was kept by somebody.
MOST_AGE_S = 600
LEAST_RSA_BITS = 2048
MOST_SUBJECT_CHARACTERS = 255

Keys = Callable[[str | None], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Expected:
    """What the token must have been made for."""

    issuer: str
    client_id: str
    nonce: str


def verified_claims(token: str, keys: Keys, expected: Expected, now_s: int) -> dict[str, Any]:
    """The claims of a token; `keys` are the provider's of a name, all of them for None. now_s: seconds since 1970.

    Raises:
        OidcError: a check fails; the sentence names it.
    """
    if len(token) > MOST_TOKEN_BYTES:
        raise OidcError(f"the ID token is longer than {MOST_TOKEN_BYTES} bytes")
    claims = _signed(token, keys)
    _require_parties(claims, expected)
    _require_times(claims, now_s)
    if claims.get("nonce") != expected.nonce:
        raise OidcError("the ID token was made for another login (nonce)")
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= MOST_SUBJECT_CHARACTERS:
        raise OidcError("the ID token names no subject (sub)")
    return claims


def _signed(token: str, keys: Keys) -> dict[str, Any]:
    """The claims, once their signature is proved."""
    registry = jws.JWSRegistry(algorithms=[*ALGORITHMS], strict_check_header=False)
    registry.max_header_length = MOST_HEADER_BYTES
    try:
        made = jws.extract_compact(token.encode("ascii"), registry=registry)
        header = made.headers()
        algorithm, kid = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
            raise OidcError("the ID token is not signed by an algorithm of public keys (alg)")
        if kid is not None and not isinstance(kid, str):
            raise OidcError("the name of the ID token's key is not a text (kid)")
        key = _key(keys(kid), algorithm)
        if not jws.validate_compact(made, key, [algorithm], registry):
            raise OidcError("the ID token's signature is wrong")
        claims = json.loads(made.payload)
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as cause:
        raise OidcError(f"the ID token cannot be read ({type(cause).__name__})") from cause
    if not isinstance(claims, dict):
        raise OidcError("the ID token holds no claims")
    return claims


def _key(found: Sequence[Mapping[str, Any]], algorithm: str) -> Any:
    """The one key for this algorithm; keys to encrypt with, and of other kinds, are none."""
    fits = [
        each for each in found
        if each.get("kty") == ALGORITHMS[algorithm] and each.get("use") in (None, "sig")
        and each.get("alg") in (None, algorithm)
    ]  # fmt: skip
    if len(fits) != 1:
        raise OidcError(f"the provider has {len(fits) or 'no'} keys that the ID token's may be (kid)")
    public = {name: value for name, value in fits[0].items() if name in ("kty", "n", "e", "crv", "x", "y")}
    key = import_key(public)
    if isinstance(key.public_key, RSAPublicKey) and key.public_key.key_size < LEAST_RSA_BITS:
        raise OidcError(f"the provider's key is shorter than {LEAST_RSA_BITS} bits")
    return key


def _require_parties(claims: Mapping[str, Any], expected: Expected) -> None:
    if claims.get("iss") != expected.issuer:
        raise OidcError("the ID token is of another issuer (iss)")
    audience = claims.get("aud")
    audiences = [audience] if isinstance(audience, str) else audience
    if not isinstance(audiences, list) or expected.client_id not in audiences:
        raise OidcError("the ID token is for another client (aud)")
    party = claims.get("azp")
    if (party is not None or len(audiences) > 1) and party != expected.client_id:
        raise OidcError("the ID token was issued to another client (azp)")


def _require_times(claims: Mapping[str, Any], now_s: int) -> None:
    """Clocks may differ by `LEEWAY_S`."""
    expires, issued = _time(claims, "exp"), _time(claims, "iat")
    if expires is None or issued is None:
        raise OidcError("the ID token lacks a time (exp, iat)")
    begins = _time(claims, "nbf")
    if now_s >= expires + LEEWAY_S:
        raise OidcError("the ID token has expired (exp)")
    if max(issued, begins if begins is not None else issued) > now_s + LEEWAY_S:
        raise OidcError("the ID token is not valid yet; do the clocks agree? (iat, nbf)")
    if now_s - issued > MOST_AGE_S + LEEWAY_S:
        raise OidcError(f"the ID token was issued more than {MOST_AGE_S} s ago (iat)")


def _time(claims: Mapping[str, Any], name: str) -> float | None:
    """Seconds since 1970, None without the claim."""
    found = claims.get(name)
    if found is None:
        return None
    # nan is neither before nor after anything
    if isinstance(found, bool) or not isinstance(found, int | float) or not -1e15 < found < 1e15:
        raise OidcError(f"the ID token's {name} is not a time")
    return found
