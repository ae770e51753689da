"""NETCONF sessions with an emulated Junos router without a network between; see `direct` for command lines.

What the driver asks for is as ncclient has it (`platforms/junos/session.py`); faults are counted as in the farm.
"""

from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import escape

from hntes.platforms.device_errors import UnreachableError
from tests.support.devices.farm import Netconf, Router
from tests.support.devices.faults import Faults


class DirectNetconf:
    """One session. `_session` is the connection below it: the session itself."""

    def __init__(self, netconf: Netconf, faults: Faults) -> None:
        self._netconf, self._faults = netconf, faults
        self._session = self
        self._is_closed = False

    def rpc(self, request: str) -> str:
        """The answer to one operation.

        Raises:
            OSError: the connection has ended, before the router acted on it or after.
            TimeoutError: it does not answer.
        """
        if self._is_closed:
            raise OSError("Socket is closed")
        number = self._faults.next_request()
        whole = f'<rpc message-id="{number}">{request}</rpc>'
        if self._faults.cuts_before(number):
            self.close()
            raise OSError("the connection ended before the request")
        refusal = self._faults.refused.get(number)
        answer = self._netconf.answer(whole) if refusal is None else self._netconf.refuse(whole, refusal)
        if self._faults.cuts_after(number):
            self.close()
            raise OSError("the connection ended before the answer")
        if self._faults.silences(number):
            raise TimeoutError("no answer")
        return str(answer.text)

    def lock(self, target: str) -> str:
        return self.rpc(f"<lock><target><{target}/></target></lock>")

    def load_configuration(self, action: str, config: str, **_: Any) -> str:
        form = "set" if action == "set" else "text"
        loaded = f"<configuration-{form}>{escape(config)}</configuration-{form}>"
        return self.rpc(f'<load-configuration action="{action}" format="text">{loaded}</load-configuration>')

    def compare_configuration(self) -> str:
        return self.rpc('<get-configuration compare="rollback" rollback="0" format="text"/>')

    def discard_changes(self) -> str:
        return self.rpc("<discard-changes/>")

    def commit(self, *, check: bool = False, confirmed: bool = False, timeout: int = 600, comment: str = "") -> str:
        wanted = "<check/>" if check else ""
        if confirmed:
            wanted += f"<confirmed/><confirm-timeout>{timeout // 60}</confirm-timeout>"
        if comment:
            wanted += f"<log>{escape(comment)}</log>"
        return self.rpc(f"<commit-configuration>{wanted}</commit-configuration>")

    def close_session(self) -> None:
        self.close()

    def close(self) -> None:
        """The connection ends."""
        if not self._is_closed:
            self._is_closed = True
            self._netconf.end()


class DirectNetconfRouter:
    """A router whose sessions are opened in the test's own thread."""

    def __init__(
        self, router: Router, netconf: Callable[[str], Netconf], client: type[DirectNetconf] = DirectNetconf
    ) -> None:
        self._router, self._netconf, self._client = router, netconf, client
        self._sessions: list[DirectNetconf] = []
        self.faults = Faults()

    def connect(self, user: str) -> DirectNetconf:
        if self.faults.authentication_refused:
            raise UnreachableError("no session (the login was refused)")
        self._sessions.append(self._client(self._netconf(user), self.faults))
        return self._sessions[-1]

    def restart(self) -> None:
        for session in self._sessions:
            session.close()
        self._sessions = []
        self._router.restart()
