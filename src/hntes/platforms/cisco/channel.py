"""A command line over SSH: sends one line and reads the output up to the next prompt as the answer.

netmiko opens the connection, turns off paging and finds the prompt (decision 30). Answers are read here: netmiko waits
on an ended connection until its timeout, and measures that by the wall clock.

Sources: Cisco IOS Configuration Fundamentals Configuration Guide, "Using the Cisco IOS Command-Line Interface", and
Cisco IOS XR Getting Started Guide, "Configuring General Router Features" (a prompt ends with `#`, preceded by the mode
in parentheses; `?` asks for help anywhere in a line).
"""

import os
import re
import tempfile
import time
from typing import Any, Literal

from netmiko import ConnectHandler, NetmikoAuthenticationException
from paramiko import BadHostKeyException

from hntes.platforms.clock_step_retry import again_if_clock_set
from hntes.platforms.device_errors import DeliveryError, RefusedError, UnclearError, UnreachableError
from hntes.platforms.password import PASSWORD_VARIABLE
from hntes.platforms.ssh_sessions import no_session
from hntes.settings.delivery import Access

DeviceType = Literal["cisco_xe", "cisco_xr"]

_WAIT_S = 0.005
# paramiko's message on a login without an answer, which netmiko passes on.
_LOGIN_TIMEOUT = "Authentication timeout"
_LARGEST_CHARACTERS = 200_000_000
# One character per byte: netmiko decodes each piece of an answer separately, and would drop multi-byte characters that
# are split between pieces.
_OCTETS = "latin-1"
# The terminal is 511 wide. A longer line would be echoed in parts, and the echo would not be found.
_LONGEST_LINE = 400
# In configuration mode IOS-XE truncates its name to this length, IOS-XR its prompt to 31 (per netmiko's drivers).
_PROMPT_CHARACTERS = 20
# The maximum length of a prompt or question: the end of an answer is searched in this many characters.
_END_CHARACTERS = 1000


class Channel:
    """One session. After a missing answer nothing more is sent: a late answer could be mistaken for the next one.

    `mode`: the mode in the last prompt, such as `config-if`; empty outside of configuration.
    `is_privileged`: whether the prompt ends with `#`. `timeout_s`: the time limit of an answer.
    """

    def __init__(self, client: Any, timeout_s: float) -> None:
        name = re.escape(client.base_prompt[:_PROMPT_CHARACTERS])
        self._prompt = re.compile(rf"\n{name}[^\s()#>]*(?:\(([^()\s]*)\))?([#>]) ?\Z")
        self._client = client
        self.timeout_s = timeout_s
        self._is_lost = False
        self.mode = ""
        self.is_privileged = False

    def ask(self, line: str, question: str | None = None) -> str:
        """The router's output between a line and its next prompt.

        `question`: a pattern. An answer also ends where its end matches, which is then part of the result; the next
        line sent, which may be empty, is the reply to the question.

        Raises:
            DeliveryError: the line cannot be sent as one line, or its answer is too long.
            UnclearError: no answer, or only a part of it.
        """
        line = line.strip()
        if not (line.isascii() and line.isprintable()) or "?" in line or len(line) > _LONGEST_LINE:
            raise DeliveryError(f"{line[:80]!r} cannot be sent: not one line of printable characters without `?`")
        if self._is_lost:
            raise UnclearError(f"`{line}` was not sent, since an earlier answer is missing")
        self._is_lost = True
        try:
            self._client.write_channel(f"{line}\n")
            answer = self._answer(line, question)
        except DeliveryError:
            raise
        except Exception as cause:  # errors of netmiko, paramiko and the socket
            raise UnclearError(f"no answer to `{line}` ({type(cause).__name__}: {cause})") from cause
        self._is_lost = False
        return _text(answer)

    def enter(self, line: str) -> None:
        """Sends one line of configuration: any output means that it was refused.

        Raises:
            RefusedError: with the router's output.
            DeliveryError, UnclearError: as `ask`.
        """
        if said := self.ask(line).split():
            raise RefusedError(f"the router refused `{line.strip()}`: {' '.join(said)}")

    def close(self) -> None:
        """Closes the connection without leaving the mode, which could end a trial."""
        self._is_lost = True
        self._client.disconnect()

    def _answer(self, line: str, question: str | None) -> str:
        deadline_s = time.monotonic() + self.timeout_s
        received = self._more(line, deadline_s)
        while line not in received:
            self._require_time(line, deadline_s)
            received += self._more(line, deadline_s)
        answer = received[received.index(line) + len(line) :]
        while (end := self._end(answer, question)) is None:
            self._require_time(line, deadline_s)
            answer += self._more(line, deadline_s)
            if len(answer) > _LARGEST_CHARACTERS:
                raise DeliveryError(f"the answer to `{line}` has more than {_LARGEST_CHARACTERS} characters")
        return answer[:end].removeprefix("\n")

    def _end(self, answer: str, question: str | None) -> int | None:
        """The end of the answer, None if it is incomplete."""
        tail = answer[-_END_CHARACTERS:]
        if prompt := self._prompt.search(tail):
            self.mode, self.is_privileged = prompt[1] or "", prompt[2] == "#"
            return len(answer) - len(prompt[0])
        return len(answer) if question and re.search(rf"(?:{question})\Z", tail) else None

    def _more(self, line: str, deadline_s: float) -> str:
        """Waits for more output and returns it."""
        while True:
            is_closed = self._client.remote_conn.closed or self._client.remote_conn.eof_received
            if received := self._client.read_channel():
                return str(received)
            if is_closed:
                raise UnclearError(f"the connection ended before the answer to `{line}`")
            self._require_time(line, deadline_s)
            time.sleep(_WAIT_S)

    def _require_time(self, line: str, deadline_s: float) -> None:
        """Enforces the time limit, also during output: a router may print messages endlessly."""
        if time.monotonic() > deadline_s:
            raise UnclearError(f"no answer to `{line}` within {self.timeout_s} s")


@again_if_clock_set
def open_channel(access: Access, timeout_s: int, device_type: DeviceType) -> Channel:
    """A session with a router that shows the pinned host key. The key of HNTES comes from the agent or ~/.ssh.

    Raises:
        UnreachableError: no connection, another host key, a refused login, or no prompt.
    """
    where = f"{access.address} port {access.port}"
    try:
        client = _connected(access, timeout_s, device_type)
    except NetmikoAuthenticationException as cause:
        if _LOGIN_TIMEOUT in str(cause):
            raise UnreachableError(f"{where}: did not answer the login within {timeout_s} s") from cause
        raise UnreachableError(
            f"{where}: login of {access.user} refused; is its key in the agent, or {PASSWORD_VARIABLE} set?"
        ) from cause
    except Exception as cause:
        if isinstance(cause.__context__, BadHostKeyException) or "not found in known_hosts" in str(cause):
            raise UnreachableError(
                f"{where}: host key differs from `host_key` in the settings: it may be another machine"
            ) from cause
        raise no_session(where, cause) from cause
    return Channel(client, timeout_s)


def _text(answer: str) -> str:
    """Decodes an answer as UTF-8, with escapes for invalid bytes."""
    return answer.encode(_OCTETS).decode("utf-8", errors="backslashreplace")


def _connected(access: Access, timeout_s: int, device_type: DeviceType) -> Any:
    """A netmiko connection. netmiko takes a host key only from a file, and reads ~/.ssh only if set afterwards."""
    name = access.address if access.port == 22 else f"[{access.address}]:{access.port}"
    with tempfile.NamedTemporaryFile("w", encoding="ascii", suffix=".known_hosts") as known:
        known.write(f"{name} {' '.join(access.host_key.split()[:2])}\n")
        known.flush()
        client: Any = ConnectHandler(
            device_type=device_type, host=access.address, port=access.port, username=access.user,
            password=os.environ.get(PASSWORD_VARIABLE), allow_agent=True, ssh_strict=True, system_host_keys=False,
            alt_host_keys=True, alt_key_file=known.name, conn_timeout=timeout_s, auth_timeout=timeout_s,
            banner_timeout=timeout_s, read_timeout_override=timeout_s, encoding=_OCTETS, auto_connect=False,
        )  # fmt: skip
        client.use_keys = True
        client.cleanup = lambda: None  # netmiko's own leaves the mode, which could end a trial
        try:
            client.establish_connection()
            client.session_preparation()
        except Exception:
            client.disconnect()
            raise
    return client
