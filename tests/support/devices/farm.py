"""Emulated routers behind SSH on loopback: one thread serves them all.

A router's state is touched by that thread while sessions run, and by the test between its own calls, which wait for
their answers. What a test changes while a client is waiting it changes through `EmulatedRouter.call`.
"""

import asyncio
import errno
import re
import threading
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Protocol

import asyncssh

from tests.support.devices.faults import Faults

_END_OF_MESSAGE = "]]>]]>"  # RFC 6242, section 4.3
# While a router is off, any connection of this machine may have taken its port.
_PORT_WAIT_S = 20.0


class Router(Protocol):
    """What a platform gives the farm."""

    def restart(self) -> None: ...


class Terminal(Protocol):
    """One CLI session: `greeting` first, then each line's output with the next prompt; `ended` after `exit`."""

    ended: bool

    def greeting(self) -> str: ...
    def enter(self, line: str) -> str: ...
    def refuse(self, message: str) -> str: ...
    def end(self) -> None: ...


class Netconf(Protocol):
    """One NETCONF session; an answer has a text, and says whether it closes the session."""

    def hello(self) -> str: ...
    def answer(self, request: str) -> Any: ...
    def refuse(self, request: str, message: str) -> Any: ...
    def end(self) -> None: ...


class _Login(asyncssh.SSHServer):
    def __init__(self, served: "EmulatedRouter") -> None:
        self._served = served

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._served.connections.add(conn)

    def begin_auth(self, username: str) -> bool:  # noqa: ARG002
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:  # noqa: ARG002
        return password == self._served.password and not self._served.faults.authentication_refused


class _Closing(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


class EmulatedRouter:
    """One router on a port of loopback. terminal, netconf: make a session for a user, if the platform has such."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        router: Router,
        terminal: Callable[[str], Terminal] | None,
        netconf: Callable[[str], Netconf] | None,
    ) -> None:
        self._loop = loop
        self._router = router
        self._terminal, self._netconf = terminal, netconf
        self._listener: asyncssh.SSHAcceptor | None = None
        self._refusing: asyncio.Server | None = None
        self._keys = [asyncssh.generate_private_key("ssh-ed25519")]
        self._algorithms: dict[str, Any] = {}
        self.faults = Faults()
        self.password = "secret"
        self.host = "127.0.0.1"
        self.port = 0
        self.connections: set[asyncssh.SSHServerConnection] = set()

    @property
    def host_key(self) -> str:
        """The first public key, as a line of known_hosts has it behind the host."""
        return self.host_keys[0]

    @property
    def host_keys(self) -> list[str]:
        return [key.export_public_key().decode().strip() for key in self._keys]

    def call(self, action: Callable[[], object]) -> None:
        """Runs something in the thread of the farm, between two requests."""

        async def run() -> None:
            action()

        self._wait(run())

    def change_host_key(self, *types: str, **algorithms: Any) -> None:
        """New keys, of ed25519 unless other types are named. algorithms: as for `asyncssh.listen`; absent, all."""
        self._wait(self._stop())
        self._keys = [asyncssh.generate_private_key(each) for each in types or ("ssh-ed25519",)]
        self._algorithms = algorithms
        self._wait(self._start())

    def close_connections(self) -> None:
        """From now on a connection ends before the router says who it is, as when all of its lines are in use."""

        def closing() -> asyncio.Protocol:
            return _Closing()

        async def listen() -> None:
            await self._stop()
            self._refusing = await self._loop.create_server(closing, self.host, self.port)

        self._wait(listen())

    def restart(self) -> None:
        """Power off and on: connections end without a word, and the router starts from what it has stored."""
        self._wait(self._restart())

    def start(self) -> None:
        self._wait(self._start())

    def stop(self) -> None:
        self._wait(self._stop())

    def _wait(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=30)

    async def _restart(self) -> None:
        """In one piece in the thread of the farm, where the sessions that were cut release their locks."""
        await self._stop()
        self._router.restart()
        await self._start()

    async def _start(self) -> None:
        deadline_s = self._loop.time() + _PORT_WAIT_S
        while self._listener is None:
            try:
                await self._listen()
            except OSError as taken:
                if taken.errno != errno.EADDRINUSE or self._loop.time() > deadline_s:
                    raise
                await asyncio.sleep(0.1)

    async def _listen(self) -> None:
        self._listener = await asyncssh.listen(
            self.host, self.port, server_host_keys=self._keys, server_factory=lambda: _Login(self),
            process_factory=self._serve, line_editor=False, allow_scp=False, sftp_factory=None, login_timeout=20,
            **self._algorithms,
        )  # fmt: skip
        self.port = self._listener.get_port()

    async def _stop(self) -> None:
        if self._refusing is not None:
            self._refusing.close()
            self._refusing = None
        if self._listener is not None:
            self._listener.close()
            await self._listener.wait_closed()
            self._listener = None
        for connection in self.connections:
            connection.abort()
        self.connections.clear()

    async def _serve(self, process: "asyncssh.SSHServerProcess[str]") -> None:
        user = process.get_extra_info("username")
        if process.subsystem == "netconf" and self._netconf is not None:
            await self._serve_netconf(process, self._netconf(user))
        elif process.subsystem is None and process.command is None and self._terminal is not None:
            await self._serve_terminal(process, self._terminal(user))
        process.exit(0)

    async def _serve_netconf(self, process: "asyncssh.SSHServerProcess[str]", session: Netconf) -> None:
        try:
            process.stdout.write(session.hello() + _END_OF_MESSAGE)
            received = ""
            while chunk := await process.stdin.read(65536):
                received += chunk
                while _END_OF_MESSAGE in received:
                    request, received = received.split(_END_OF_MESSAGE, 1)
                    if not await self._answer(process, session, request.strip()):
                        return
        except (asyncssh.Error, ConnectionError):
            return
        finally:
            session.end()

    async def _answer(self, process: "asyncssh.SSHServerProcess[str]", session: Netconf, request: str) -> bool:
        """Whether the session goes on."""
        if not re.search(r"<(\w+:)?rpc\b", request):
            session.answer(request)
            return True
        number = self.faults.next_request()
        await asyncio.sleep(self.faults.delay_s)
        if self.faults.cuts_before(number):
            return self._cut(process)
        refusal = self.faults.refused.get(number)
        answer = session.answer(request) if refusal is None else session.refuse(request, refusal)
        if self.faults.cuts_after(number):
            return self._cut(process)
        if not self.faults.silences(number):
            process.stdout.write(answer.text + _END_OF_MESSAGE)
        return not answer.closes

    async def _serve_terminal(self, process: "asyncssh.SSHServerProcess[str]", terminal: Terminal) -> None:
        try:
            process.stdout.write(_wired(terminal.greeting()))
            line = ""
            while chunk := await process.stdin.read(4096):
                for character in chunk.replace("\r\n", "\n").replace("\r", "\n"):
                    if character != "\n":
                        process.stdout.write(character)
                        line += character
                        continue
                    entered, line = line, ""
                    if not await self._enter(process, terminal, entered):
                        return
        except (asyncssh.Error, ConnectionError):
            return
        finally:
            terminal.end()

    async def _enter(self, process: "asyncssh.SSHServerProcess[str]", terminal: Terminal, line: str) -> bool:
        """Acts on a line, which was echoed as it came, and answers; says whether the session goes on. An empty line is
        not counted."""
        number = self.faults.next_request() if line.strip() else 0
        process.stdout.write("\r\n")
        await asyncio.sleep(self.faults.delay_s)
        if self.faults.cuts_before(number):
            return self._cut(process)
        refusal = self.faults.refused.get(number)
        output = terminal.enter(line) if refusal is None else terminal.refuse(refusal)
        if self.faults.cuts_after(number):
            return self._cut(process)
        if not self.faults.silences(number):
            process.stdout.write(_wired(output))
        return not terminal.ended

    def _cut(self, process: "asyncssh.SSHServerProcess[str]") -> bool:
        process.channel.get_connection().abort()
        return False


def _wired(text: str) -> str:
    return text.replace("\n", "\r\n")


class Farm:
    """A thread with an event loop, for as many routers as a test wants; a context manager."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="routers", daemon=True)
        self._routers: list[EmulatedRouter] = []

    def __enter__(self) -> "Farm":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for router in self._routers:
            router.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=30)
        self._loop.close()

    def serve(
        self,
        router: Router,
        terminal: Callable[[str], Terminal] | None = None,
        netconf: Callable[[str], Netconf] | None = None,
    ) -> EmulatedRouter:
        served = EmulatedRouter(self._loop, router, terminal, netconf)
        served.start()
        self._routers.append(served)
        return served
