"""A clock that a test moves for all processes of an installation: the machine's, and an offset that lies in a file.

Only HNTES's own reading of the present (`base.clock`) is moved. Airflow, PostgreSQL and SSH keep the machine's time, so
their timeouts and heartbeats are real.
"""

import os
import time
from datetime import datetime
from pathlib import Path

from tests.conftest import ROOT

# Python imports this module by itself when a process starts.
_SITE = """import time
from pathlib import Path

from hntes import clock

_OFFSET = Path({offset!r})
clock.now_ms = lambda: time.time_ns() // 1_000_000 + int(_OFFSET.read_text())
"""


class MovedClock:
    """It goes on at the machine's pace from wherever it was set."""

    def __init__(self, folder: Path, moment: datetime) -> None:
        self._offset = folder / "offset_ms"
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.set(moment)
        (folder / "sitecustomize.py").write_text(_SITE.format(offset=str(self._offset)), encoding="utf-8")

    @property
    def python_path(self) -> str:
        """$PYTHONPATH of a process that is to have this clock."""
        given = filter(None, [os.environ.get("PYTHONPATH")])
        return os.pathsep.join((str(self._folder), str(ROOT), str(ROOT / "dags"), *given))

    def set(self, moment: datetime) -> None:
        """From now on it is this moment, in all processes at once."""
        written = self._folder / "offset_ms.new"
        written.write_text(str(round(moment.timestamp() * 1000) - time.time_ns() // 1_000_000), encoding="utf-8")
        written.replace(self._offset)

    def now_ms(self) -> int:
        """For this process, in the place of `base.clock.now_ms`."""
        return time.time_ns() // 1_000_000 + int(self._offset.read_text(encoding="utf-8"))
