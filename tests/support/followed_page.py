"""The page in a thread of its own, and connections that follow its events byte by byte."""

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from hntes.settings.windows import WEEKDAYS
from hntes.web.serve import Server
from hntes.web.site import Site
from tests.support.installation import Installation
from tests.support.review_page import site
from tests.support.waiting import wait_until

DELIVERIES = "/deliveries/events"


@dataclass
class Running:
    """The page in a thread of its own."""

    installed: Installation
    site: Site
    server: Server
    thread: threading.Thread

    @property
    def port(self) -> int:
        return self.site.web.port

    def session(self, name: str = "olga") -> str:
        """The secret of a new session."""
        return self.site.sessions.begin_oidc(name, "viewer", time.monotonic())

    def set_windows(self, start: str) -> None:
        """Changes what the page says."""
        text = self.installed.settings.read_text().partition("\n[delivery]\n")[0]
        window = f'{{ days = ["{WEEKDAYS[6]}"], start = "{start}", end = "23:59", time_zone = "UTC" }}'
        self.installed.settings.write_text(f"{text}\n[delivery]\nwindows = [{window}]\n")

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)


@contextmanager
def running_page(installed: Installation) -> Iterator[Running]:
    """The page of an installation, at a free port."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        made = site(installed.settings, port=listening.getsockname()[1])
        server = Server(made)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        wait_until(lambda: server.started, "the page runs")
        page = Running(installed, made, server, thread)
        yield page
        page.stop()


@dataclass
class Stream:
    """One stream of events."""

    answer: http.client.HTTPResponse

    def block(self) -> dict[str, str]:
        """The next event or comment, its fields by name; {"end": ""} after the last one."""
        found: dict[str, str] = {}
        while line := self.answer.readline().decode():
            if line == "\n":
                return found
            name, _, value = line.rstrip("\n").partition(":")
            value = value.removeprefix(" ")
            found[name] = f"{found[name]}\n{value}" if name in found else value
        return {"end": ""}

    def event(self, kind: str) -> str:
        """The data of the next event of this kind."""
        while (found := self.block()).get("event") != kind:
            assert not {"end", "event"} & {*found}, found
        return found["data"]

    def ends(self) -> bool:
        """Whether it ends."""
        try:
            while "end" not in self.block():
                pass
        except (http.client.HTTPException, ConnectionError):
            return True
        return True


@contextmanager
def followed(page: Running, secret: str, events: str = DELIVERIES) -> Iterator[Stream]:
    """A stream of events that has begun."""
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=30)
    with closing(connection):
        connection.request("GET", events, headers={"Cookie": f"hntes={secret}"})
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert answer.headers["Cache-Control"] == "no-store"
        yield Stream(answer)


def status(page: Running, secret: str, events: str = DELIVERIES) -> int:
    """The status of the answer to whoever asks for events."""
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=30)
    with closing(connection):
        connection.request("GET", events, headers={"Cookie": f"hntes={secret}"})
        return connection.getresponse().status
