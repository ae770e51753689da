"""Stored back-tests: one JSON document per run in the output folder, written whole, the newest kept."""

import re
import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from hntes import clock
from hntes.errors import HntesError
from hntes.files import open_file, write_bytes
from hntes.workflow.context import Context
from hntes.workflow.reports.backtest_request import BacktestAsked
from hntes.workflow.reports.backtest_results import BacktestResults

# Names of routers begin with a letter, so that no folder of a router has this name.
_FOLDER = ".backtests"
_NAME = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{4}")
# The oldest beyond these are removed.
MOST_STORED = 30


class UnknownBacktestError(HntesError):
    """No stored back-test has that name; or its document cannot be read."""


@dataclass(frozen=True)
class RunHead:
    """A run without its results.

    Attributes:
        name: The moment when it was begun, UTC, and four random digits: names sort by time.
        who: Who asked for it, as in the audit log.
        begun_ms: When it was begun, ms since 1970.
        asked: What was asked for.
        state: `running` until its results or the reason of its failure are stored.
        ended_ms: When it ended; None while it runs, and of one that was killed.
        done_routers: Routers that are replayed.
        reason: Why it failed, one sentence; "" otherwise.
    """

    name: str
    who: str
    begun_ms: int
    asked: BacktestAsked
    state: Literal["running", "done", "failed"] = "running"
    ended_ms: int | None = None
    done_routers: int = 0
    reason: str = ""


@dataclass(frozen=True)
class StoredRun:
    """The document of a run; `results` is None until it is done."""

    head: RunHead
    results: BacktestResults | None = None


@dataclass(frozen=True)
class _Head:
    """The part of a document that a list needs; the results are passed over."""

    head: RunHead


def backtest_folder(context: Context) -> Path:
    """The folder of the documents."""
    return context.output / _FOLDER


def begun(context: Context, asked: BacktestAsked, who: str) -> RunHead:
    """Stores a new run without results; `who` is the identity of the audit log."""
    now_ms = clock.now_ms()
    moment = datetime.fromtimestamp(now_ms // 1000, UTC)
    head = RunHead(f"{moment:%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}", who, now_ms, asked)
    _write(context, StoredRun(head))
    for each in stored_names(context)[MOST_STORED:]:
        _path(context, each).unlink(missing_ok=True)
    return head


def advanced(context: Context, head: RunHead, done_routers: int) -> None:
    """Stores how many routers are replayed."""
    _write(context, StoredRun(replace(head, done_routers=done_routers)))


def finished(context: Context, head: RunHead, results: BacktestResults) -> None:
    """Stores the results."""
    routers = len(results.variants[0].routers)
    ended = replace(head, state="done", ended_ms=clock.now_ms(), done_routers=routers)
    _write(context, StoredRun(ended, results))


def failed(context: Context, head: RunHead, reason: str) -> None:
    """Stores why there are no results."""
    _write(context, StoredRun(replace(head, state="failed", ended_ms=clock.now_ms(), reason=reason)))


def keep_results(context: Context, asked: BacktestAsked, who: str, results: BacktestResults) -> str:
    """Stores a run that has been made already; returns its name."""
    head = begun(context, asked, who)
    finished(context, head, results)
    return head.name


def stored_names(context: Context) -> list[str]:
    """The names of the stored runs, the newest first."""
    folder = backtest_folder(context)
    if not folder.is_dir():
        return []
    found = [each.stem for each in folder.iterdir() if each.suffix == ".json" and _NAME.fullmatch(each.stem)]
    return sorted(found, reverse=True)


def stored_heads(context: Context) -> tuple[RunHead, ...]:
    """The stored runs without results, the newest first; documents that cannot be read are left out."""
    found = (_head(_path(context, name)) for name in stored_names(context))
    return tuple(each for each in found if each is not None)


def stored_run(context: Context, name: str) -> StoredRun:
    """A stored run.

    Raises:
        UnknownBacktestError: there is none of that name, or its document is damaged.
    """
    path = _known(context, name)
    try:
        with open_file(path) as file:
            return msgspec.json.decode(file.read(), type=StoredRun)
    except msgspec.MsgspecError as cause:
        raise UnknownBacktestError(f"{path}: is no document of a back-test: {cause}; delete it") from cause


def stored_head(context: Context, name: str) -> RunHead:
    """A stored run without results, for whoever asks again and again; it is read where it has changed.

    Raises:
        UnknownBacktestError: there is none of that name, or its document is damaged.
    """
    head = _head(_known(context, name))
    return stored_run(context, name).head if head is None else head  # which says what is wrong with it


def _known(context: Context, name: str) -> Path:
    path = _path(context, name)
    if not _NAME.fullmatch(name) or not path.is_file():
        raise UnknownBacktestError(f"there is no back-test {name!r}; `hntes data backtests` lists the stored ones")
    return path


def _path(context: Context, name: str) -> Path:
    return backtest_folder(context) / f"{name}.json"


def _write(context: Context, run: StoredRun) -> None:
    write_bytes(_path(context, run.head.name), msgspec.json.encode(run))


def _head(path: Path) -> RunHead | None:
    try:
        found = path.stat()
    except FileNotFoundError:  # removed meanwhile
        return None
    return _read_head(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4 * MOST_STORED)
def _read_head(path: Path, _written_ns: int, _size_bytes: int) -> RunHead | None:
    """A document never changes without these numbers; with its results it may have a megabyte."""
    try:
        with open_file(path) as file:
            return msgspec.json.decode(file.read(), type=_Head).head
    except (OSError, msgspec.MsgspecError):
        return None
