"""One request to the provider: a JSON object, within a time and a size, without redirects."""

import http.client
import json
import ssl
from collections.abc import Mapping
from contextlib import suppress
from socket import SHUT_RDWR
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from hntes.settings.oidc import issuer_problem
from hntes.web.oidc.errors import OidcError, ProviderAwayError

# For a whole request, with name resolution and handshakes.
FETCH_S = 5.0
MOST_BYTES = 262_144


def fetched(url: str, *, form: bytes | None = None, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON object at this URL; with a form it is posted.

    Raises:
        ProviderAwayError: no answer within `FETCH_S`, or a server error.
        OidcError: the URL is not one of a provider, or the answer is refused, too long, or no JSON object.
    """
    if problem := issuer_problem(url):
        raise OidcError(f"the provider names an endpoint that {problem}")
    asking = _Asking(url, form, {"Accept": "application/json", **(headers or {})})
    asking.start()
    asking.join(FETCH_S)
    host = urlsplit(url).hostname
    if asking.failure or asking.body is None:
        asking.end()
        raise ProviderAwayError(f"{host} {asking.failure or f'does not answer (nothing within {FETCH_S:.0f} s)'}")
    if asking.status >= http.client.INTERNAL_SERVER_ERROR:
        raise ProviderAwayError(f"{host} answers with an error ({asking.status})")
    if len(asking.body) > MOST_BYTES:
        raise OidcError(f"an answer of {host} is longer than {MOST_BYTES} bytes")
    if asking.status != http.client.OK:
        raise OidcError(f"{host} refuses the request ({asking.status})")
    return _object(asking.body, host)


def _object(body: bytes, host: str | None) -> dict[str, Any]:
    try:
        found = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise OidcError(f"an answer of {host} is not JSON") from None
    if not isinstance(found, dict):
        raise OidcError(f"an answer of {host} is not a JSON object")
    return found


class _Asking(Thread):
    """The request in a thread of its own: limits per wait do not bound a server that sends a byte now and then."""

    def __init__(self, url: str, form: bytes | None, headers: dict[str, str]) -> None:
        super().__init__(name="oidc", daemon=True)
        self.status, self.failure = 0, ""
        self.body: bytes | None = None
        parts = urlsplit(url)
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._form, self._headers = form, headers
        if form is not None:
            self._headers["Content-Type"] = "application/x-www-form-urlencoded"
        host = parts.hostname or ""
        self._connection: http.client.HTTPConnection
        if parts.scheme == "https":
            tls = ssl.create_default_context()
            self._connection = http.client.HTTPSConnection(host, parts.port, timeout=FETCH_S, context=tls)
        else:
            self._connection = http.client.HTTPConnection(host, parts.port, timeout=FETCH_S)

    def run(self) -> None:
        try:
            self._connection.request("GET" if self._form is None else "POST", self._path, self._form, self._headers)
            answer = self._connection.getresponse()
            body = answer.read(MOST_BYTES + 1)
        except ssl.SSLCertVerificationError as cause:
            self.failure = (
                f"has a certificate that is not trusted ({cause.verify_message}); SSL_CERT_FILE names that of an "
                "authority of your own"
            )
        except (OSError, http.client.HTTPException) as cause:
            self.failure = f"does not answer ({type(cause).__name__})"
        else:
            self.status, self.body = answer.status, body
        finally:
            self._connection.close()

    def end(self) -> None:
        """Wakes the thread from any wait on its connection."""
        with suppress(OSError, AttributeError):  # there may be no connection yet, or no longer
            self._connection.sock.shutdown(SHUT_RDWR)
