"""Caches of results by key, so that no scenario runs twice: in memory here, in a folder in `files`."""

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from hntes.errors import HntesError
from hntes.simulator.results import RunResult


class BrokenRunError(HntesError):
    """A kept run cannot be believed; the message says where it is and what is wrong."""


class RunStore(Protocol):
    """Keeps results of runs by key. Implementations are used by several threads at once."""

    def get(self, key: str) -> RunResult | None:
        """The kept run of this key; None if there is none.

        Raises:
            BrokenRunError: There is something, but it is damaged or another run: run again, and `put` replaces it.
        """

    def put(self, key: str, result: RunResult) -> None:
        """Keep a run; replaces one of the same key."""

    def claim(self, key: str) -> AbstractContextManager[None] | None:
        """The right to make this run, held for the block; None while another process has it. Never waits.

        It only saves work: where nobody can claim anything, all have the right.
        """


class MemoryRuns:
    """Keeps runs as long as the process lives."""

    def __init__(self) -> None:
        self._runs: dict[str, RunResult] = {}

    def get(self, key: str) -> RunResult | None:
        """The kept run of this key; None if there is none."""
        return self._runs.get(key)

    def put(self, key: str, result: RunResult) -> None:
        """Keep a run; replaces one of the same key."""
        self._runs[key] = result

    def claim(self, key: str) -> AbstractContextManager[None]:  # noqa: ARG002
        """No other process knows of these runs."""
        return nullcontext()
