"""A webhook request with a hard limit on its total time."""

import http.client
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from socket import SHUT_RDWR
from threading import Thread
from typing import Literal
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Reply:
    """The result of a request: "taken" (2xx), "refused" (any other response, also a redirect), or "none".

    `problem` says why it was not taken; it names only the host, since the path may hold a secret.
    """

    kind: Literal["taken", "refused", "none"]
    problem: str = ""


def posted(url: str, body: bytes, headers: Mapping[str, str], timeout_s: int) -> Reply:
    """Posts a document over http or https. The response body is not read, and redirects are not followed.

    The limit covers everything, including name resolution and handshakes: with a limit per wait, a server that sends a
    byte now and then could block the caller for days.
    """
    asking = _Asking(url, body, headers, timeout_s)
    asking.start()
    asking.join(timeout_s)
    if asking.reply is None:
        asking.end()
        return asking.silence
    return asking.reply


class _Asking(Thread):
    """The request in its own thread, so that a slow name server does not block the caller."""

    def __init__(self, url: str, body: bytes, headers: Mapping[str, str], timeout_s: int) -> None:
        super().__init__(name="webhook", daemon=True)
        self.reply: Reply | None = None
        self.silence = Reply("none", f"no answer within {timeout_s} s")
        self._body, self._headers = body, dict(headers)
        parts = urlsplit(url)
        host = parts.hostname or ""
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._connection: http.client.HTTPConnection
        if parts.scheme == "https":
            tls = ssl.create_default_context()
            self._connection = http.client.HTTPSConnection(host, parts.port, timeout=timeout_s, context=tls)
        else:
            self._connection = http.client.HTTPConnection(host, parts.port, timeout=timeout_s)

    def run(self) -> None:
        try:
            self._connection.request("POST", self._path, self._body, self._headers)
            status = self._connection.getresponse().status
        except TimeoutError:  # a single wait may time out just before the caller's limit of the same length
            self.reply = self.silence
        except (OSError, http.client.HTTPException) as cause:
            self.reply = Reply("none", type(cause).__name__)
        else:
            self.reply = Reply("taken") if 200 <= status < 300 else Reply("refused", f"answered {status}")
        finally:
            self._connection.close()

    def end(self) -> None:
        """Wakes the thread from any wait on its connection."""
        with suppress(OSError, AttributeError):  # there may be no connection yet, or no longer
            self._connection.sock.shutdown(SHUT_RDWR)
