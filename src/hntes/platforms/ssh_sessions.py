"""What the drivers of all platforms share: libraries that print nothing, and a connection that failed, in one sentence.

A library logs an error with its traceback, and raises it. Python prints such a record if nobody handles it, so each
refused connection would look like a crash.
"""

import logging

from hntes.platforms.device_errors import UnreachableError

_LIBRARIES = ("paramiko", "ncclient", "netmiko")
# paramiko's words if the two sides share no algorithm.
_NO_ALGORITHM = "Incompatible ssh peer"

for _library in _LIBRARIES:
    logging.getLogger(_library).addHandler(logging.NullHandler())


def no_session(where: str, cause: BaseException) -> UnreachableError:
    """The error for a session that could not be opened, with the way out if the router has only outdated algorithms.

    Args:
        where: The address and port.
        cause: The library's error.
    """
    said = " ".join(str(cause).split())
    advice = (
        "; the router offers no algorithm of SSH that this machine accepts, perhaps only those with SHA-1: see `SSH "
        "algorithms` in docs/how-to/operate.md"
        if _NO_ALGORITHM in said
        else ""
    )
    return UnreachableError(f"{where}: no session ({type(cause).__name__}: {said}){advice}")
