"""Where traces are kept by the hash of their scenario and engine: no scenario runs twice."""

from pathlib import Path
from typing import Protocol

from base.files import write_text
from gate.trace import Trace, TraceError, from_json, to_json


class TraceStore(Protocol):
    """Keeps traces by key."""

    def get(self, key: str) -> Trace | None:
        """The trace of that key, None if it is not kept."""

    def put(self, key: str, trace: Trace) -> None:
        """Keeps a trace."""


class MemoryStore:
    """Keeps traces as long as the process lives."""

    def __init__(self) -> None:
        self._traces: dict[str, Trace] = {}

    def get(self, key: str) -> Trace | None:
        return self._traces.get(key)

    def put(self, key: str, trace: Trace) -> None:
        self._traces[key] = trace


class FolderStore:
    """Keeps one file a trace, written whole or not at all: routers, nights and processes share them.

    A file that cannot be read counts as not there: the scenario runs again, and its trace takes the file's place.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> Trace | None:
        try:
            return from_json(self._path(key).read_text(encoding="utf-8"))
        except (FileNotFoundError, TraceError, UnicodeDecodeError):
            return None

    def put(self, key: str, trace: Trace) -> None:
        # Two processes may have run the same scenario at once, and either's trace will do.
        write_text(self._path(key), to_json(trace))

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"
