"""The server itself, by bytes on its connections: slow senders, endless headers, what is no HTTP at all."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
import uvicorn

from hntes.settings.web import Web
from hntes.web import connection
from hntes.web.connection import Connection
from hntes.web.headers import MOST_HEAD_BYTES
from hntes.web.serve import MOST_CONNECTIONS, server_config
from hntes.web.site import Site

RECEIVE_S = SEND_S = 1.0
LONG_S, LOOK_EVERY_S = 600.0, 0.1
READERS = 3
FORM = b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[uvicorn.Server]:
    # the socket is ours from the beginning, so that no other process can take its port
    with pytest.MonkeyPatch.context() as patch, closing(socket.create_server(("127.0.0.1", 0))) as listening:
        # a busy machine may need long for any request: only tests of the limits set short ones
        patch.setattr(Connection, "receive_s", LONG_S)
        patch.setattr(Connection, "send_s", LONG_S)
        patch.setattr(connection, "_LOOK_EVERY_S", LOOK_EVERY_S)
        accounts = tmp_path_factory.mktemp("web") / "accounts.json"
        site = Site(None, Web(port=listening.getsockname()[1], accounts=accounts))
        server = uvicorn.Server(server_config(site))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.02)
        yield server
        server.should_exit = True
        thread.join(20)


@pytest.fixture
def port(server: uvicorn.Server) -> int:
    return server.config.port


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def answer(port: int, request: bytes) -> bytes:
    """All that comes back until the server ends the connection; a reset ends it, too."""
    with closing(connected(port)) as opened:
        found = b""
        try:
            opened.sendall(request)
            while part := opened.recv(65_536):
                found += part
        except ConnectionError:
            pass
        return found


def health(port: int) -> bytes:
    return answer(port, b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")


def test_slow_senders_do_not_keep_their_places(port: int) -> None:
    with ExitStack() as slow, pytest.MonkeyPatch.context() as patch:
        # however long this machine takes to connect all of them, none is let go before the last has its place
        for number in range(MOST_CONNECTIONS):
            # no byte at all, part of a head, part of a form
            slow.enter_context(closing(connected(port))).sendall((b"", b"GET /log HT", FORM + b"csrf=")[number % 3])
        assert b"503 Service Unavailable" in health(port), "all places are taken"
        patch.setattr(Connection, "receive_s", RECEIVE_S)
        deadline_s = time.monotonic() + 60 * RECEIVE_S
        while b"200 OK" not in (last := health(port)) and time.monotonic() < deadline_s:
            time.sleep(0.1)
        assert b"200 OK" in last


def reader_of_nothing(port: int) -> socket.socket:
    opened = socket.socket()
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    opened.settimeout(20)
    opened.connect(("127.0.0.1", port))
    # more requests than their answers fit into the buffers of both sides
    opened.sendall(f"GET /review.css HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode() * 600)
    return opened


def test_readers_of_nothing_stop_nobody_and_are_let_go(server: uvicorn.Server, port: int) -> None:
    with ExitStack() as slow, pytest.MonkeyPatch.context() as patch:
        for _ in range(READERS):
            slow.enter_context(closing(reader_of_nothing(port)))
        deadline_s = time.monotonic() + 60 * SEND_S
        # none is let go before the answers of all of them wait
        while len(unsent := [each for each in held(server) if each.transport.get_write_buffer_size()]) < READERS:
            assert time.monotonic() < deadline_s, "their answers wait"
            time.sleep(0.02)
        assert b"200 OK" in health(port)
        patch.setattr(Connection, "send_s", SEND_S)
        while {*held(server)} & {*unsent} and time.monotonic() < deadline_s:
            time.sleep(0.05)
        assert not {*held(server)} & {*unsent}


def held(server: uvicorn.Server) -> list[Connection]:
    return [each for each in list(server.server_state.connections) if isinstance(each, Connection)]


def test_a_form_that_comes_byte_by_byte_is_cut_off(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "receive_s", RECEIVE_S)
    began_s = time.monotonic()
    with closing(connected(port)) as opened:
        opened.sendall(FORM)
        assert _is_cut_off(opened, until_s=began_s + 60 * RECEIVE_S)
    assert time.monotonic() - began_s >= RECEIVE_S


def test_a_sender_that_goes_in_the_midst_of_a_form_leaves_no_trace(
    port: int, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    head = f"POST /login HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    with closing(connected(port)) as opened:
        opened.sendall(head.encode() + b"Content-Length: 9000\r\n\r\nname=")
        opened.shutdown(socket.SHUT_WR)
        while opened.recv(65_536):
            pass
    assert b"200 OK" in health(port)
    assert "Traceback" not in capfd.readouterr().err + caplog.text


def test_a_body_of_two_lengths_ends_the_connection(port: int) -> None:
    # by its first length the second request is the first one's body, and a proxy has not looked at it
    both = b"Content-Length: 61\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    found = answer(port, b"POST /login HTTP/1.1\r\nHost: x\r\n" + both + b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
    assert found.count(b"HTTP/1.1 ") == 1
    assert found.startswith(b"HTTP/1.1 400 ")


def _is_cut_off(opened: socket.socket, until_s: float) -> bool:
    try:
        while time.monotonic() < until_s:
            opened.sendall(b"x")
            time.sleep(0.05)
    except ConnectionError:
        return True
    return False


def test_a_browser_may_ask_again_on_its_connection(server: uvicorn.Server, port: int) -> None:
    with closing(connected(port)) as opened:
        for _ in range(3):  # longer in all than one request may take
            opened.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            assert opened.recv(65_536).startswith(b"HTTP/1.1 200 OK")
            grow_older(server, 0.6 * LONG_S)


def grow_older(server: uvicorn.Server, seconds: float) -> None:
    """As if each connection had been there so much longer, and the server had looked at it since."""
    looked = threading.Event()

    def grow() -> None:
        for each in held(server):
            each._since_s -= seconds
        each.loop.call_later(2 * LOOK_EVERY_S, looked.set)

    # in the server's own thread: what it does for an answer that has come is done
    held(server)[0].loop.call_soon_threadsafe(grow)
    assert looked.wait(60)


def test_a_head_has_a_largest_size(port: int) -> None:
    usual = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: "
    assert b"200 OK" in answer(port, usual + b"a" * (MOST_HEAD_BYTES // 2) + b"\r\n\r\n")
    # mostly whole when the server first looks at it: 431, else 400
    assert answer(port, usual + b"a" * MOST_HEAD_BYTES + b"\r\n\r\n").startswith(b"HTTP/1.1 4")
    assert answer(port, usual + b"a\r\n" + b"X: a\r\n" * (MOST_HEAD_BYTES // 6) + b"\r\n").startswith(b"HTTP/1.1 4")
    assert b"200 OK" not in answer(port, usual + b"a" * 50 * MOST_HEAD_BYTES)
    assert b"200 OK" not in answer(port, b"GET /health?" + b"a" * 50 * MOST_HEAD_BYTES)


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 50,  # the beginning of TLS
        b"GET /health\r\n\r\n", b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n", b"\r\n" * 100 + b"x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nA: b\x00\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n",
        b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET http://evil.example/log HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"TRACE / HTTP/1.1\r\nHost: x\r\nCookie: secret\r\nConnection: close\r\n\r\n",
        b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ],
)  # fmt: skip
def test_what_is_no_request_of_a_browser_gets_an_error(port: int, request_bytes: bytes) -> None:
    found = answer(port, request_bytes)
    assert found == b"" or found.startswith(b"HTTP/1.1 4")
    assert b"secret" not in found
    assert b"200 OK" in health(port)
