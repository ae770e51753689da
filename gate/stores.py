"""Where traces are kept by the hash of their scenario and engine: no scenario runs twice."""

from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Protocol

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
        self._folder.mkdir(parents=True, exist_ok=True)
        # A name of its own: two processes may have run the same scenario at once, and either's trace will do.
        with NamedTemporaryFile("w", dir=self._folder, prefix=".", suffix=".tmp", delete=False) as unfinished:
            unfinished.write(to_json(trace))
        Path(unfinished.name).replace(self._path(key))

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"
