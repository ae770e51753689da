"""Settings that a long-running process reads again only when one of their files has changed."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from hntes.settings import Settings
from hntes.settings_file import settings_file
from hntes.workflow.context import settings_of

# A file that was changed so shortly before may change again without another time of modification.
_SETTLED_NS = 2_000_000_000


@dataclass(frozen=True)
class _Stamp:
    """What differs between two contents of a file."""

    inode: int
    size_bytes: int
    modified_ns: int


@dataclass(frozen=True)
class _Kept:
    settings: Settings
    files: dict[Path, _Stamp]


class KeptSettings:
    """Gives the settings of a file, and keeps the last ones. Thread-safe.

    1000 routers take half a second of CPU to read.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[Path, _Kept] = {}

    def __call__(self, given: Path | None) -> Settings:
        """As `settings_of`, with its errors."""
        path = settings_file(given).absolute()
        with self._lock:
            kept = self._kept.get(path)
            if kept is not None and _stamps(kept.files) == kept.files:
                return kept.settings
            self._kept.clear()
            begun_ns = time.time_ns()
            settings = settings_of(path)
            files = _stamps(_files(path, settings))
            if all(stamp.modified_ns < begun_ns - _SETTLED_NS for stamp in files.values()):
                self._kept[path] = _Kept(settings, files)
            return settings


def _files(path: Path, settings: Settings) -> tuple[Path, ...]:
    """The files that settings are read from."""
    ports = settings.defaults.ports
    return (path,) if ports is None else (path, path.resolve().parent / ports)


def _stamps(files: Iterable[Path]) -> dict[Path, _Stamp]:
    """Of those that are there."""
    found = {}
    for file in files:
        try:
            stat = file.stat()
        except OSError:
            continue
        found[file] = _Stamp(stat.st_ino, stat.st_size, stat.st_mtime_ns)
    return found
