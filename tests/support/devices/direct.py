"""Command lines of an emulated router without a network between: cheap enough for a disturbance at each line.

What a driver reads of a connection is as netmiko has it (`platforms/cisco/channel.py`); faults are counted as
in the farm.
"""

from collections.abc import Callable

from hntes.platforms.device_errors import UnreachableError
from tests.support.devices.farm import Router, Terminal
from tests.support.devices.faults import Faults


class DirectClient:
    """One session. `remote_conn` is the session itself."""

    def __init__(self, terminal: Terminal, faults: Faults) -> None:
        self._terminal = terminal
        self._faults = faults
        self._printed = ""
        self.closed = self.eof_received = False
        self.base_prompt = terminal.greeting().split("\n")[-1].rstrip("#> ")

    @property
    def remote_conn(self) -> "DirectClient":
        return self

    def write_channel(self, text: str) -> None:
        if self.closed:
            raise OSError("Socket is closed")
        line = text.removesuffix("\n")
        number = self._faults.next_request() if line.strip() else 0
        if self._faults.cuts_before(number):
            self.cut()
            return
        refusal = self._faults.refused.get(number)
        output = self._terminal.enter(line) if refusal is None else self._terminal.refuse(refusal)
        if self._faults.cuts_after(number):
            self.cut()
        elif not self._faults.silences(number):
            self._printed += f"{line}\n{output}"

    def read_channel(self) -> str:
        printed, self._printed = self._printed, ""
        return printed

    def cut(self) -> None:
        """The connection ends; what was not read is lost."""
        if not self.closed:
            self.closed, self._printed = True, ""
            self._terminal.end()

    def disconnect(self) -> None:
        self.cut()


class DirectRouter:
    """A router whose sessions are opened in the test's own thread; what is not reachable here is as in the farm."""

    def __init__(self, router: Router, terminal: Callable[[str], Terminal]) -> None:
        self._router = router
        self._terminal = terminal
        self._sessions: list[DirectClient] = []
        self._is_up = True
        self.faults = Faults()

    def connect(self, user: str) -> DirectClient:
        if not self._is_up:
            raise UnreachableError("no session (the router is off)")
        self._sessions.append(DirectClient(self._terminal(user), self.faults))
        return self._sessions[-1]

    def restart(self) -> None:
        self.stop()
        self._router.restart()
        self.start()

    def start(self) -> None:
        self._is_up = True

    def stop(self) -> None:
        self._is_up = False
        for session in self._sessions:
            session.cut()
        self._sessions = []
