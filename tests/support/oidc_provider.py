"""A provider of OpenID Connect on loopback that behaves, or misbehaves in one way; it signs its tokens by hand."""

import json
import ssl
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric import padding, rsa

CLIENT, SECRET = "hntes", "not a secret: of/a test"


def part(value: bytes | dict[str, Any]) -> str:
    """One part of a token."""
    data = json.dumps(value).encode() if isinstance(value, dict) else value
    return urlsafe_b64encode(data).decode().rstrip("=")


@dataclass
class Key:
    """An RSA key by its name."""

    kid: str
    private: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))

    @property
    def public(self) -> dict[str, Any]:
        """As a JWK (RFC 7517)."""
        numbers = self.private.public_key().public_numbers()
        n, e = (part(each.to_bytes((each.bit_length() + 7) // 8, "big")) for each in (numbers.n, numbers.e))
        return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.kid, "n": n, "e": e}

    def signed(self, claims: dict[str, Any], **header: Any) -> str:
        """A token (RFC 7515) by RS256."""
        text = f"{part({'alg': 'RS256', 'typ': 'JWT', 'kid': self.kid} | header)}.{part(claims)}"
        return f"{text}.{part(self.private.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


def by_shared_secret(claims: dict[str, Any], secret: bytes, kid: str) -> str:
    """A token by HS256."""
    text = f"{part({'alg': 'HS256', 'kid': kid})}.{part(claims)}"
    made = hmac.HMAC(secret, hashes.SHA256())
    made.update(text.encode())
    return f"{text}.{part(made.finalize())}"


def unsigned(claims: dict[str, Any]) -> str:
    return f"{part({'alg': 'none'})}.{part(claims)}."


@dataclass
class Provider:
    """Its state; a test changes what it wants it to do.

    Attributes:
        claims: Of whoever logs in, over the usual ones; a claim of None is left out.
        tokens: Makes the token of the claims; by default the first key signs it.
        metadata: Over the usual discovery document.
        answers: What a path answers in place of the usual: a status and a body.
        seen: The paths that were asked, in their order.
    """

    address: str
    keys: list[Key] = field(default_factory=lambda: [Key("first")])
    claims: dict[str, Any] = field(default_factory=dict)
    tokens: Any = None
    userinfo: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    delay_s: float = 0.0
    seen: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def log_in(self, location: str) -> str:
        """What the browser does at the authorization endpoint; returns the query with which it is sent back."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
        assert location.startswith(f"{self.address}/authorize?"), location
        assert (asked["client_id"], asked["response_type"]) == (CLIENT, "code")
        assert asked["code_challenge_method"] == "S256"
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return f"code={code}&state={asked['state']}"

    def document(self) -> dict[str, Any]:
        endpoints = {name: f"{self.address}/{path}" for name, path in ENDPOINTS.items()}
        return {"issuer": self.address, **endpoints, **self.metadata}

    def exchanged(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """The token endpoint: client, code and verifier must fit, and a code counts once."""
        name, _, secret = b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
        asked = self.codes.pop(form.get("code", ""), None)
        if asked is None or (unquote(name), unquote(secret)) != (CLIENT, SECRET):
            return 400, {"error": "invalid_grant"}
        if part(sha256(form["code_verifier"].encode()).digest()) != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        if form["redirect_uri"] != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.address, "sub": "1234", "aud": CLIENT, "exp": now + 300, "iat": now, "nonce": asked["nonce"],
            "preferred_username": "olga", "groups": ["net", "approvers"],
        } | self.claims  # fmt: skip
        claims = {name: value for name, value in claims.items() if value is not None}
        token = (self.tokens or self.keys[0].signed)(claims)
        return 200, {"access_token": "access", "token_type": "Bearer", "id_token": token}


ENDPOINTS = {
    "authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys",
    "userinfo_endpoint": "userinfo", "end_session_endpoint": "end",
}  # fmt: skip


@contextmanager
def oidc_provider(certificate: Path | None = None, key: Path | None = None) -> Iterator[Provider]:
    """A provider that answers: by TLS with a certificate, else in clear."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/.well-known/openid-configuration":
                self._answer(200, made.document())
            elif self.path == "/keys":
                self._answer(200, {"keys": [each.public for each in made.keys]})
            elif self.path == "/userinfo" and self.headers["Authorization"] == "Bearer access":
                self._answer(200, {"sub": "1234"} | made.userinfo)
            else:
                self._answer(404, {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            self._answer(*made.exchanged(form, self.headers.get("Authorization", "")))

        def _answer(self, status: int, document: dict[str, Any]) -> None:
            made.seen.append(self.path)
            time.sleep(made.delay_s)
            status, body = made.answers.get(self.path, (status, json.dumps(document).encode()))
            self.send_response(status)
            if status in (301, 302, 307):
                self.send_header("Location", f"{made.address}/elsewhere")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    scheme = "http" if certificate is None else "https"
    made = Provider(f"{scheme}://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join(20)
