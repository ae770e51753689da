"""A GET request for a JSON document, with limits of time and size."""

import http.client
import json
import ssl
import time
from urllib.parse import urlsplit

from hntes.errors import HntesError

_CHUNK_BYTES = 1 << 16


class RequestError(HntesError):
    """The document was not received; the message gives the reason without the URL."""


def get_json(url: str, token: str | None, timeout_s: float, max_bytes: int) -> object:
    """The document at an http or https URL. Redirects are not followed.

    Raises:
        RequestError: no answer in time, another status than 200, too large, or not JSON.
    """
    parts = urlsplit(url)
    deadline = time.monotonic() + timeout_s
    connection = _connection(parts.scheme, parts.hostname or "", parts.port, timeout_s)
    try:
        headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        connection.request("GET", f"{parts.path or '/'}?{parts.query}", headers=headers)
        with connection.getresponse() as response:
            if response.status != http.client.OK:
                raise RequestError(f"answered {response.status} {response.reason}")
            body = _body(response, deadline, max_bytes)
        return json.loads(body)
    except TimeoutError as cause:
        raise RequestError(f"no answer within {timeout_s:g} s") from cause
    except (OSError, http.client.HTTPException) as cause:
        raise RequestError(str(cause) or type(cause).__name__) from cause
    except (ValueError, RecursionError) as cause:
        raise RequestError("the answer is not JSON") from cause
    finally:
        connection.close()


def _connection(scheme: str, host: str, port: int | None, timeout_s: float) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, port, timeout=timeout_s)


def _body(response: http.client.HTTPResponse, deadline: float, max_bytes: int) -> bytes:
    """A server that sends a byte now and then does not hold the caller: the limit is of the whole answer."""
    chunks, size = [], 0
    while chunk := response.read1(_CHUNK_BYTES):
        size += len(chunk)
        if size > max_bytes:
            raise RequestError(f"the answer is larger than {max_bytes >> 20} MiB")
        if time.monotonic() > deadline:
            raise TimeoutError
        chunks.append(chunk)
    return b"".join(chunks)
