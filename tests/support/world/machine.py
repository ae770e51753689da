"""The machine under HNTES: its clock, and its durable writes, at each of which a process may die or the disk be full.

A durable write changes what a later process finds: a file takes its place or is removed, a transaction is committed, a
file is synced. A process that died does nothing more: each further write, and each request to a router, is refused.
What a power cut leaves of a file that was written and not yet synced is a part of it.
"""

import errno
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import OperationalError

from hntes import clock
from hntes.errors import HntesError

_RENAMES = ("replace", "rename", "unlink")


class DiedError(BaseException):
    """The process is gone: nothing that it would do about errors is done."""


@dataclass(frozen=True)
class Outcome:
    """How a call ended: `done`, `refused` (a sentence for a person), `failed` (the system refused), or `died`."""

    word: str
    result: Any = None
    problem: BaseException | None = None


@dataclass
class Machine:
    """`now_ms`: its clock. `called_ms`: what it said at the last call.

    `writes`, `syncs`, `requests`: of the present call so far; syncs are writes, too.
    `happened`: faults that took effect, by kind. `is_watched`: whether what is written now is counted.

    Of a call, `die_at` and `full_from` are numbers of durable writes, counted from 1, `torn_at` of a sync of a file,
    and `die_at_request` of a request to a router.
    """

    folder: Path
    now_ms: int = 0
    called_ms: int = 0
    writes: int = 0
    syncs: int = 0
    requests: int = 0
    is_dead: bool = False
    die_at: int = 0
    torn_at: int = 0
    full_from: int = 0
    die_at_request: int = 0
    is_watched: bool = True
    happened: Counter[str] = field(default_factory=Counter)
    _synced: dict[int, int] = field(default_factory=dict)

    @property
    def today(self) -> datetime:
        return datetime.fromtimestamp(self.now_ms / 1000, UTC)

    def call(self, action: Callable[[], Any], expected: tuple[type[Exception], ...]) -> Outcome:
        """One process that does something; its faults, which are set before, end with it."""
        self.writes = self.syncs = self.requests = 0
        self.is_dead = False
        self.called_ms = self.now_ms
        try:
            return Outcome("done", action())
        except DiedError:
            return Outcome("died")
        except HntesError as problem:
            return Outcome("refused", problem=problem)
        except expected as problem:
            return Outcome("failed", problem=problem)
        finally:
            self.calm()

    def calm(self) -> None:
        """No fault is to come."""
        self.is_dead = False
        self.die_at = self.torn_at = self.full_from = self.die_at_request = 0

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is done meanwhile is no process of this machine's: its faults wait."""
        self.is_watched = False
        try:
            yield
        finally:
            self.is_watched = True

    def request(self) -> None:
        """Before each request to a router."""
        self._live()
        self.requests += 1
        if self.requests == self.die_at_request:
            self._die("killed at a request")

    def _live(self) -> None:
        if self.is_dead:
            raise DiedError

    def _die(self, kind: str) -> None:
        self.happened[kind] += 1
        self.is_dead = True
        raise DiedError

    def _write(self) -> None:
        if not self.is_watched:
            return
        self._live()
        self.writes += 1
        if self.writes == self.die_at:
            self._die("killed at a durable write")

    def _is_full(self) -> bool:
        if not self.is_watched or not self.full_from or self.writes < self.full_from:
            return False
        self.happened["full disk"] += 1
        return True

    def renaming(self, write: Callable[..., Any]) -> Callable[..., Any]:
        """A rename or removal of a file of this machine's."""

        def done(path: Any, *arguments: Any, **options: Any) -> Any:
            if os.path.lexists(path) and str(path).startswith(str(self.folder)):
                self._write()
            return write(path, *arguments, **options)

        return done

    def sync(self, handle: int) -> None:
        """A sync of a file or folder. Nothing is written to a disk: the folder lies in memory."""
        path = os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115 - hundreds each night
        if not self.is_watched or not path.startswith(f"{self.folder}/") or os.path.isdir(path):  # noqa: PTH112
            return
        self._live()
        self.writes += 1
        self.syncs += 1
        before, size = self._synced.get(os.fstat(handle).st_ino, 0), os.fstat(handle).st_size
        if self.syncs == self.torn_at and size > before:
            os.truncate(path, before + (size - before) // 2)
            self._die("torn write")
        if self._is_full():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        self._synced[os.fstat(handle).st_ino] = size

    def commit(self, connection: Connection) -> None:
        """A transaction is about to be committed. SQLite rolls back by itself what finds no room (SQLITE_FULL)."""
        self._write()
        if self._is_full():
            connection.connection.rollback()
            raise OperationalError("COMMIT", {}, sqlite3.OperationalError("database or disk is full"))


@contextmanager
def running(machine: Machine) -> Iterator[None]:
    """In this process HNTES has the machine's clock and disk."""

    event.listen(Engine, "commit", machine.commit)
    try:
        with (
            patch.object(clock, "now_ms", lambda: machine.now_ms),
            patch.object(os, "fsync", machine.sync),
            patch.object(os, "replace", machine.renaming(os.replace)),
            patch.object(os, "rename", machine.renaming(os.rename)),
            patch.object(os, "unlink", machine.renaming(os.unlink)),
        ):
            yield
    finally:
        event.remove(Engine, "commit", machine.commit)
