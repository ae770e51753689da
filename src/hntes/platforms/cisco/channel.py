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
from collections.abc import Sequence
from typing import Any

from netmiko import ConnectHandler, NetmikoAuthenticationException
from paramiko import BadHostKeyException

from hntes.platforms.clock_step_retry import again_if_clock_set
from hntes.platforms.device_errors import DeliveryError, RefusedError, UnclearError, UnreachableError
from hntes.platforms.password import PASSWORD_VARIABLE
from hntes.platforms.ssh_sessions import no_session
from hntes.settings.delivery import Access

# netmiko's name of a kind of router, such as cisco_xe.
DeviceType = str

_WAIT_S = 0.005
# paramiko's message on a login without an answer, which netmiko passes on.
_LOGIN_TIMEOUT = "Authentication timeout"
# The largest configurations have some millions of characters.
_LARGEST_CHARACTERS = 50_000_000
# One character per byte: netmiko decodes each piece of an answer separately, and would drop multi-byte characters that
# are split between pieces.
_OCTETS = "latin-1"
# The terminal is 511 wide. A longer line would be echoed in parts, and the echo would not be found.
_LONGEST_LINE = 400
# In configuration mode IOS-XE truncates its name to this length, IOS-XR its prompt to 31 (per netmiko's drivers).
_PROMPT_CHARACTERS = 20
# A line of the router's log, which may come between an answer and the prompt, or behind the prompt: `%` and facility,
# severity and mnemonic of the message, as in `RP/0/0/CPU0:May 20 12:43:30.620 : isis[1006]: %ROUTING-ISIS-6-...`.
_LOG = r"[^\n]*%[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*-[0-7]-[A-Z0-9_]+ ?:[^\n]*"
# The maximum length of a prompt or question: the end of an answer is searched in this many characters.
_END_CHARACTERS = 1000


class Channel:
    """One session. After a missing answer nothing more is sent: a late answer could be mistaken for the next one.

    `mode`: the mode in the last prompt, such as `config-if`; empty outside of configuration.
    `is_privileged`: whether the prompt ends with `#`. `timeout_s`: the time limit of an answer.
    """

    def __init__(self, client: Any, timeout_s: float) -> None:
        self._base = re.escape(client.base_prompt[:_PROMPT_CHARACTERS])
        self._prompt = self._prompt_of(())
        self._client = client
        self.timeout_s = timeout_s
        self._is_lost = False
        self.mode = ""
        self.is_privileged = False

    def learn_host_name(self, host_name: str) -> None:
        """Takes a host name that the prompt outside of configuration may lack.

        IOS-XE prints a prompt of the operator's own (`prompt %h-STP%p`) outside of configuration mode only; there it
        prints the host name, or a part of it (`prompt config hostname-length`).
        """
        self._prompt = self._prompt_of((host_name,))

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
        return self._exchanged(line, question, is_echoed=True)

    def _exchanged(self, line: str, question: str | None, *, is_echoed: bool) -> str:
        if self._is_lost:
            raise UnclearError(f"`{line}` was not sent, since an earlier answer is missing")
        self._is_lost = True
        try:
            self._client.write_channel(f"{line}\n")
            answer = self._answer(line, question, is_echoed=is_echoed)
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
        if said := without_log(self.ask(line)).split():
            raise RefusedError(f"the router refused `{line.strip()}`: {' '.join(said)}")

    def reply(self, text: str, question: str) -> str:
        """Replies to a question, whose answer a router may take key by key and not echo; returns what follows.

        Raises:
            DeliveryError, UnclearError: as `ask`.
        """
        return self._exchanged(text, question, is_echoed=False)

    def close(self) -> None:
        """Closes the connection without leaving the mode, which could end a trial."""
        self._is_lost = True
        self._client.disconnect()

    def _prompt_of(self, host_names: Sequence[str]) -> re.Pattern[str]:
        configuring = "".join(rf"|{_beginning(name)}\((?P<learnt>config[^()\s]*)\)" for name in host_names)
        mode = r"(?:\((?P<mode>[^()\s]*)\))?"
        return re.compile(rf"\n(?:{self._base}[^\s()#>]*{mode}{configuring})(?P<end>[#>]) ?(?:{_LOG}\n+)*\Z")

    def _answer(self, line: str, question: str | None, *, is_echoed: bool) -> str:
        deadline_s = time.monotonic() + self.timeout_s
        received = self._more(line, deadline_s)
        while is_echoed and line not in received:
            self._require_time(line, deadline_s)
            received += self._more(line, deadline_s)
            _require_size(line, received)
        answer = received[received.index(line) + len(line) :] if line in received else received
        while (end := self._end(answer, question)) is None:
            self._require_time(line, deadline_s)
            answer += self._more(line, deadline_s)
            _require_size(line, answer)
        return answer[:end].removeprefix("\n")

    def _end(self, answer: str, question: str | None) -> int | None:
        """The end of the answer, None if it is incomplete."""
        tail = answer[-_END_CHARACTERS:]
        if prompt := self._prompt.search(tail):
            found = prompt.groupdict()
            self.mode, self.is_privileged = found["mode"] or found.get("learnt") or "", found["end"] == "#"
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


def without_log(answer: str) -> str:
    """An answer without the lines of the router's log in it."""
    return "\n".join(line for line in answer.splitlines() if not re.fullmatch(_LOG, line))


def _require_size(line: str, received: str) -> None:
    """Bounds what is received, also before the echo."""
    if len(received) > _LARGEST_CHARACTERS:
        raise DeliveryError(f"the answer to `{line}` has more than {_LARGEST_CHARACTERS} characters")


def _beginning(name: str) -> str:
    """A pattern of a name and of all its beginnings."""
    return "".join(f"(?:{re.escape(each)}" for each in name) + ")?" * (len(name) - 1) + ")"


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
