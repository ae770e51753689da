"""What begins before the settings are checked: processes that read flow files load for a quarter of a second."""

import os
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from itertools import islice
from pathlib import Path

# Whether files are new is not known without the database. Where all are old, the processes have loaded for nothing,
# which costs a quarter of a CPU second beside the command; a folder below this costs no more to read than that.
_LARGE_BYTES = 64 << 20
_LOOKED_AT = 1000  # files, and folders of a router: a hundredth of a second
_MOST_WORKERS = 64


def begin_readers(settings_path: Path, day: date | None) -> None:
    """Begins to load what workers that read flow files need, where the flow folders hold enough for some.

    Until these are needed, they take hashes of files whose names say that they are of the day (None: of all files). It
    decides nothing, and says nothing: settings are checked, and what is read, and by whom, is found out afterwards.
    """
    try:
        document = tomllib.loads(settings_path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    workers, folders = _workers(document), _flow_folders(document, settings_path.absolute().parent)
    sizes = dict(islice((found for folder in folders for found in _file_sizes(folder)), _LOOKED_AT))
    if workers and sum(sizes.values()) >= _LARGE_BYTES:
        from hntes.etl.ingest.readers import LocalReader

        likely = [path for path in sorted(sizes) if day is None or f"{day:%Y%m%d}" in path.name]
        LocalReader(workers).begin(sizes, likely)


def _workers(document: dict[str, object]) -> int:
    """How many processes of this machine read by these settings, 0 if that cannot be made out."""
    match document:
        case {"analytics": {"kind": "spark"}}:  # whose executors read
            return 0
        case {"ingest": {"workers": workers}}:
            return workers if isinstance(workers, int) and workers <= _MOST_WORKERS else 0
        case _:
            return 2


def _flow_folders(document: dict[str, object], base: Path) -> list[Path]:
    """Each once; relative ones are the settings file's neighbours."""
    match document:
        case {"routers": [*routers]}:
            named = [router.get("flow_folder") for router in routers if isinstance(router, dict)]
            return list(dict.fromkeys(Path(os.path.normpath(base / name)) for name in named if isinstance(name, str)))
        case _:
            return []


def _file_sizes(folder: Path) -> Iterator[tuple[Path, int]]:
    """Of the files below a folder, which is read only as far as asked; the reader reports what cannot be looked at."""
    waiting = [folder]
    for _ in range(_LOOKED_AT):
        if not waiting:
            return
        with suppress(OSError, ValueError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                else:
                    with suppress(OSError):
                        yield Path(entry.path), entry.stat().st_size
