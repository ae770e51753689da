"""A bucket in memory behind the S3 protocol, as far as Arrow's client speaks it; it can fail, refuse and be silent."""

import hashlib
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

BUCKET = "lake-1"
_WRITTEN = "2026-11-21T03:00:00.000Z"
_WRITTEN_HTTP = "Sat, 21 Nov 2026 03:00:00 GMT"

Query = dict[str, str]
Answer = Callable[[str, str, Query], tuple[int, str] | None]


@dataclass
class FakeS3:
    """What is in the bucket and what was asked.

    Attributes:
        objects: Their content by key.
        uploads: Pieces of uploads that nobody has completed, by upload and number.
        listed: The prefixes that were listed.
        requests: Method and key of all requests.
        answer: Gives a status and an S3 error code in place of an answer to (method, key, query), or None. It may wait.
        message: What such an error says.
    """

    endpoint: str = ""
    objects: dict[str, bytes] = field(default_factory=dict)
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)
    listed: list[str] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    answer: Answer = lambda *_: None
    message: str = "as the test wants it"


@contextmanager
def fake_s3(certificate: tuple[Path, Path] | None = None) -> Iterator[FakeS3]:
    """A service on loopback, by HTTPS with a certificate and its key."""
    bucket = FakeS3()
    handler = type("Handler", (_Handler,), {"bucket": bucket})
    server = _Server(("127.0.0.1", 0), handler)
    if certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*certificate)
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    bucket.endpoint = f"127.0.0.1:{server.server_address[1]}"
    try:
        yield bucket
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # some connections wait for an answer that does not come

    def handle_error(self, *_: object) -> None:
        """A client that did not wait for its answer is no news."""


class _Handler(BaseHTTPRequestHandler):
    bucket: FakeS3
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def _do(self) -> None:
        body = self._body()
        address = urlsplit(self.path)
        name, _, key = unquote(address.path).lstrip("/").partition("/")
        query = {key: values[0] for key, values in parse_qs(address.query, keep_blank_values=True).items()}
        self.bucket.requests.append((self.command, key))
        failure = self.bucket.answer(self.command, key, query)
        if failure or name != BUCKET:
            self._send(*_error(*(failure or (404, "NoSuchBucket")), self.bucket.message))
        elif "list-type" in query:
            self._send(200, self._listing(query))
        else:
            getattr(self, f"_{self.command.lower()}")(key, query, body)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _do  # noqa: N815 - as the base class names them

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            content = b"".join(iter(self._chunk, b""))
        else:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
            return content
        plain = b""
        while (size := int(content.partition(b"\r\n")[0].split(b";")[0], 16)) > 0:
            content = content.partition(b"\r\n")[2]
            plain, content = plain + content[:size], content[size + 2 :]
        return plain

    def _chunk(self) -> bytes:
        content = self.rfile.read(int(self.rfile.readline(), 16))
        self.rfile.readline()
        return content

    def _send(self, status: int, content: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        headers.setdefault("Content_Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _head(self, key: str, _query: Query, _body: bytes) -> None:
        content = self.bucket.objects.get(key) if key else b""  # of the bucket itself
        if content is None:
            self._send(404)
        else:
            self._send(200, Content_Length=str(len(content)), ETag=_etag(content), Last_Modified=_WRITTEN_HTTP)

    def _get(self, key: str, _query: Query, _body: bytes) -> None:
        content = self.bucket.objects.get(key)
        if content is None:
            self._send(*_error(404, "NoSuchKey"))
            return
        begin, _, end = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
        last = min(int(end or len(content)), len(content) - 1)
        about = {"Content_Range": f"bytes {begin}-{last}/{len(content)}", "Last_Modified": _WRITTEN_HTTP}
        self._send(206, content[int(begin) : last + 1], ETag=_etag(content), **about)

    def _put(self, key: str, query: Query, body: bytes) -> None:
        if "uploadId" in query:
            self.bucket.uploads[query["uploadId"]][int(query["partNumber"])] = body
        else:
            self.bucket.objects[key] = body
        self._send(200, ETag=_etag(body))

    def _post(self, key: str, query: Query, _body: bytes) -> None:
        if "uploads" in query:
            number = f"upload{len(self.bucket.requests)}"
            self.bucket.uploads[number] = {}
            named = f"<Bucket>{BUCKET}</Bucket><Key>{escape(key)}</Key><UploadId>{number}</UploadId>"
            self._send(200, _document("InitiateMultipartUploadResult", named))
        else:
            pieces = self.bucket.uploads.pop(query["uploadId"], None)
            if pieces is None:
                self._send(*_error(404, "NoSuchUpload"))
                return
            self.bucket.objects[key] = b"".join(pieces[number] for number in sorted(pieces))
            self._send(200, _document("CompleteMultipartUploadResult", f"<Key>{escape(key)}</Key><ETag>1</ETag>"))

    def _delete(self, key: str, _query: Query, _body: bytes) -> None:
        self.bucket.objects.pop(key, None)
        self._send(204)

    def _listing(self, query: Query) -> bytes:
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        self.bucket.listed.append(prefix)
        told, folders = "", set()
        for key in sorted(key for key in self.bucket.objects if key.startswith(prefix)):
            rest = key.removeprefix(prefix)
            if delimiter and delimiter in rest:
                folders.add(f"{prefix}{rest.partition(delimiter)[0]}/")
            else:
                about = f"<Size>{len(self.bucket.objects[key])}</Size><LastModified>{_WRITTEN}</LastModified>"
                told += f"<Contents><Key>{escape(key)}</Key>{about}</Contents>"
        told += "".join(f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>" for each in sorted(folders))
        count = f"<KeyCount>{told.count('<Key>') + len(folders)}</KeyCount><IsTruncated>false</IsTruncated>"
        return _document("ListBucketResult", f"<Name>{BUCKET}</Name><Prefix>{escape(prefix)}</Prefix>{count}{told}")


def _document(name: str, content: str) -> bytes:
    space = "http://s3.amazonaws.com/doc/2006-03-01/"
    return f'<?xml version="1.0" encoding="UTF-8"?><{name} xmlns="{space}">{content}</{name}>'.encode()


def _error(status: int, code: str, message: str = "") -> tuple[int, bytes]:
    return status, f"<Error><Code>{code}</Code><Message>{escape(message)}</Message></Error>".encode()


def _etag(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'
