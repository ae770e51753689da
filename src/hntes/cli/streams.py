"""Standard streams that are closed, full or without a reader; none of these may stop a command."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_losses: list[str] = []


def open_closed() -> None:
    """Opens /dev/null in place of standard streams that the caller closed (`>&-`).

    The next opened file would get their descriptor, and printed output would be written into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the process


@contextmanager
def guarded() -> Iterator[None]:
    """A block that writes standard output; after a failure the rest of the output is discarded.

    A reader that has seen enough (`| head -1`) is not a failure. Any other reason is kept for `loss`.
    """
    try:
        yield
    except OSError as problem:
        if not isinstance(problem, BrokenPipeError):
            _losses.append(problem.strerror or str(problem))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        # The buffer is flushed again when the process ends.
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def loss() -> str:
    """Flushes the buffer; returns the reason if results since the last call could not be written, else nothing."""
    with guarded():
        sys.stdout.flush()
    reasons = ", ".join(_losses)
    _losses.clear()
    return reasons
