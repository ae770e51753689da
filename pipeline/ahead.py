"""What begins before the database is open: the server of the processes that read flow files loads for half a second."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from settings import Settings

# Whether files are new is not known without the database. Where all are old, the server has loaded for nothing, which
# costs a quarter of a CPU second beside the command; a folder below this costs no more to read than that.
_LARGE_BYTES = 64 << 20
_LOOKED_AT = 1000  # files, which takes a hundredth of a second


def begin_readers(settings: Settings) -> None:
    """Begins to load what workers that read flow files need, where the flow folders hold enough for some.

    It decides nothing: what is read, and by whom, is found out with the database.
    """
    from etl.ingest.readers import LocalReader

    if settings.analytics.kind == "spark":  # whose executors read
        return
    folders = dict.fromkeys(str(router.flow_folder) for router in settings.routers)
    sizes = list(islice((size for folder in folders for size in _file_sizes(folder)), _LOOKED_AT))
    if sum(sizes) >= _LARGE_BYTES:
        LocalReader(settings.ingest.workers).begin(len(sizes), sum(sizes))


def _file_sizes(folder: str) -> Iterator[int]:
    """Of the files below a folder, which is read only as far as asked; the reader reports what cannot be looked at."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _file_sizes(entry.path)
            else:
                with suppress(OSError):
                    yield entry.stat().st_size
