"""Commands on a terminal of a given width: a pseudo-terminal, as a person has one."""

import os
import pty
import re
import subprocess
import termios
from collections.abc import Sequence
from fcntl import ioctl
from struct import pack

from tests.support.installation import ROOT

# Select graphic rendition of ECMA-48: colours and bold.
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(command: Sequence[str], answers: Sequence[str] = (), columns: int = 120) -> tuple[int, str]:
    """Exit status, and all that stood on the terminal but colours, of a command whose questions get these answers."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, pack("HHHH", 50, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment | {"PAGER": "cat", "TERM": "xterm"},
    ) as process:
        os.close(theirs)
        os.write(ours, "".join(f"{answer}\n" for answer in answers).encode())
        seen = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    return process.returncode, _COLOUR.sub("", seen.decode().replace("\r\n", "\n"))


def _read(terminal: int) -> bytes:
    """What is there to read; nothing once the other end is closed."""
    try:
        return os.read(terminal, 65_536)
    except OSError:  # EIO: nobody has the other end open any more
        return b""
