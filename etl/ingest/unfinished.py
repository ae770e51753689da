"""The mark of a run in progress: a file beside the lake that says what the run is about to write.

A mark that is there when a run begins means that an earlier one was killed, and may have left parts. Each line is the
first day of a flow file and the name of its parts; of several killed runs there are the lines of all.
"""

import os
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import IO

from hntes.etl.days import day_of_ms
from hntes.etl.lake.part import folder_tag
from hntes.etl.lake.store import Leavings, set_aside_name
from hntes.files import make_folder

# Records begin before the file that they are in, and files end a day after they begin at most. What is further away is
# found by `hntes data prune`.
_BEFORE, _AFTER = timedelta(days=8), timedelta(days=2)


class Unfinished:
    """The mark of runs over one flow folder."""

    def __init__(self, state: Path, folder: Path) -> None:
        self._path = state / ".unfinished" / folder_tag(folder)
        self._tag = folder_tag(folder)

    @property
    def is_there(self) -> bool:
        """Whether an earlier run was killed."""
        return self._path.exists()

    def begin(self, files: Iterable[tuple[int, str]]) -> None:
        """Marks a run that will read files of these times (epoch ms) into parts of these names."""
        make_folder(self._path.parent)
        with self._path.open("ab+") as mark:
            # a full disk cuts a line
            if mark.seek(0, os.SEEK_END) and not _ends_line(mark):
                mark.write(b"\n")
            mark.writelines(f"{day_of_ms(start_ms)} {stem}\n".encode() for start_ms, stem in files)

    def end(self) -> None:
        """Removes the mark: all that was written is in the ledger."""
        self._path.unlink(missing_ok=True)

    def leavings(self, routers: Iterable[str]) -> Leavings:
        """Where the killed runs may have left parts of these routers; everywhere, if the mark does not say."""
        begun_ns, owners = self._path.stat().st_mtime_ns, tuple(routers)
        try:
            span, aside = _marked(self._path.read_text(encoding="utf-8").splitlines())
        except (ValueError, OverflowError):
            return Leavings(self._tag, begun_ns, owners)
        return Leavings(self._tag, begun_ns, owners, span, aside)


def _ends_line(mark: IO[bytes]) -> bool:
    mark.seek(-1, os.SEEK_END)
    return mark.read(1) == b"\n"


def _marked(lines: Iterable[str]) -> tuple[tuple[date, date], frozenset[str]]:
    """Between which days records of the marked files can be, and the names of the parts of those set aside.

    Raises:
        ValueError: there is no line, or one cannot be read.
        OverflowError: a day is at an end of the calendar.
    """
    files = [(date.fromisoformat(day), stem) for day, stem in map(str.split, lines)]
    days = [day for day, _ in files]
    return (min(days) - _BEFORE, max(days) + _AFTER), frozenset(set_aside_name(stem, day) for day, stem in files)
