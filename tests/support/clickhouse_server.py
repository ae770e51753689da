"""ClickHouse behind HTTP: chDB, which is ClickHouse as a library, answers in a process of its own.

PYTHON -m tests.support.clickhouse_server FOLDER prints its port. It understands what clients send: the query in the
body or in the URL, parameters as param_NAME, settings by name, X-ClickHouse-Format.
"""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

_NO_SETTINGS = {"query", "database", "default_format", "session_id", "query_id", "client_protocol_version", "compress"}
# Of the transport, which chDB has none of.
_OF_HTTP = (
    "http_", "wait_end_of_query", "cancel_http_readonly_queries_on_client_close", "send_progress_in_http_headers",
    "enable_http_compression", "role",
)  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    session: Any = None
    lock = threading.Lock()

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _answer(self, body: bytes) -> None:
        given = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        text = given.get("query", "")
        # a query with FORMAT in its text has its own
        query = f"{text}\n{body.decode()}".strip() or "SELECT 1"
        wanted = self.headers.get("X-ClickHouse-Format") or given.get("default_format") or "TabSeparated"
        parameters = {name[6:]: value for name, value in given.items() if name.startswith("param_")}
        settings = {
            name: value for name, value in given.items()
            if name not in _NO_SETTINGS and not name.startswith(("param_", *_OF_HTTP))
        }  # fmt: skip
        try:
            with self.lock:
                for name, value in settings.items():
                    self.session.query(f"SET {name} = '{value}'")
                answer, status = self.session.query(query, wanted, params=parameters).bytes(), 200
        except Exception as problem:  # noqa: BLE001 - what chDB raises is what the server answers
            answer, status = f"Code: 1. DB::Exception: {problem}".encode(), 500
        self.send_response(status)
        if status != 200:
            self.send_header("X-ClickHouse-Exception-Code", "1")
        self.send_header("Content-Length", str(len(answer)))
        self.send_header("X-ClickHouse-Format", wanted)
        self.end_headers()
        self.wfile.write(answer)


def main() -> None:
    """Serves the database in a folder until it is ended; one query at a time."""
    from chdb import session

    made: Any = session
    _Handler.session = made.Session(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
