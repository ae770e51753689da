"""A server on the loopback interface that answers instant queries of range selectors as Prometheus does."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Series = Mapping[tuple[tuple[str, str], ...], list[tuple[float, str]]]
"""Samples (seconds, value) by labels, the name of the metric among them."""
_SELECTOR = re.compile(
    r'^\{__name__=~"(?P<names>[^"]*)",(?P<label>\w+)="(?P<value>(?:[^"\\]|\\.)*)"\}\[(?P<span>\d+)s\]$'
)


class PrometheusServer:
    """`queries` are those that were asked; `answer` takes the place of the result of each, with a status."""

    def __init__(self, series: Series) -> None:
        self.series, self.queries, self.tokens = series, list[str](), list[str | None]()
        self.answer: Callable[[], tuple[int, bytes]] | None = None
        self.url = ""

    def result(self, query: str, end_s: float) -> dict[str, Any]:
        asked = _SELECTOR.match(query)
        if asked is None:
            return {"status": "error", "errorType": "bad_data", "error": f"parse error: {query}"}
        wanted = re.sub(r"\\(.)", r"\1", asked["value"])
        found = []
        for labels, samples in self.series.items():
            named = dict(labels)
            if not re.fullmatch(asked["names"], named["__name__"]) or named.get(asked["label"]) != wanted:
                continue
            values = [[at, value] for at, value in samples if end_s - int(asked["span"]) < at <= end_s]
            if values:
                found.append({"metric": named, "values": values})
        return {"status": "success", "data": {"resultType": "matrix", "result": found}}


@contextmanager
def prometheus(series: Series) -> Iterator[PrometheusServer]:
    served = PrometheusServer(series)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            asked = parse_qs(parts.query)
            served.queries.append(asked["query"][0])
            served.tokens.append(self.headers.get("Authorization"))
            status, body = 404, b"not found"
            if parts.path == "/api/v1/query":
                found = served.result(asked["query"][0], float(asked["time"][0]))
                status, body = 200, json.dumps(found).encode()
            if served.answer is not None:
                status, body = served.answer()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal of the tests."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
