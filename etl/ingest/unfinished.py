"""The mark of a run in progress: a file beside the lake that says what the run is about to write.

A mark that is there when a run begins means that an earlier one was killed, and may have left parts. Each line is the
first day of a flow file and the name of its parts; of several killed runs there are the lines of all.
"""

from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

from hntes.etl.days import day_of_ms
from hntes.etl.lake.part import folder_tag
from hntes.etl.lake.store import Leavings
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
        with self._path.open("a", encoding="utf-8") as mark:
            mark.writelines(f"{day_of_ms(start_ms)} {stem}\n" for start_ms, stem in files)

    def end(self) -> None:
        """Removes the mark: all that was written is in the ledger."""
        self._path.unlink(missing_ok=True)

    def leavings(self, routers: Iterable[str]) -> Leavings:
        """Where the killed runs may have left parts of these routers; everywhere, if the mark does not say."""
        files = [line.split() for line in self._path.read_text(encoding="utf-8").splitlines()]
        begun_ns, owners = self._path.stat().st_mtime_ns, tuple(routers)
        if not files or any(len(file) != 2 for file in files):
            return Leavings(self._tag, begun_ns, owners)
        days = sorted(date.fromisoformat(day) for day, _ in files)
        span = days[0] - _BEFORE, days[-1] + _AFTER
        return Leavings(self._tag, begun_ns, owners, span, frozenset(stem for _, stem in files))
