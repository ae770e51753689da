"""Installations after one night of the demonstration, run once per test run and copied for tests that begin there."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import delete, insert, select

from hntes.sql.engine import open_database
from hntes.sql.schema import METADATA
from tests.support.installation import ROUTERS, Installation, demo_installation

NIGHT = "2026-11-20"


@dataclass(frozen=True)
class PreparedNights:
    """Where the run's test processes keep what they prepared for each other."""

    folder: Path

    def site(
        self, folder: Path, database_url: str | None = None, *, router: str | None = None, routers: int = ROUTERS
    ) -> Installation:
        """A new installation of so many routers in `folder` in which the first night was run, for one router or all."""
        prepared = self._prepared(router, routers)
        made = demo_installation(folder, database_url, routers=routers)
        for source, target in ((prepared.lake, made.lake), (prepared.output, made.output)):
            shutil.copytree(source, target)
        _copy_rows(prepared.database_url, made.database_url)
        return made

    def _prepared(self, router: str | None, routers: int) -> Installation:
        # copies have the name of their folder in common, whatever an output may say of it
        folder = self.folder / f"night-{router or 'all'}-of-{routers}" / "site"
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _alone(folder.parent / "lock"):
            is_ready = (folder.parent / "ready").exists()
            if not is_ready:
                shutil.rmtree(folder, ignore_errors=True)  # of a process that died in the middle
                made = demo_installation(folder, routers=routers)
                made.run("nightly", "--day", NIGHT, *(("--router", router) if router else ()))
                (folder.parent / "ready").touch()
        return Installation(
            folder / "hntes.toml", f"sqlite:///{folder / 'hntes.db'}", folder / "lake", folder / "output"
        )


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _copy_rows(source_url: str, target_url: str) -> None:
    """All rows of all tables, into the empty tables of a database of either kind."""
    source, target = open_database(source_url), open_database(target_url)
    with source.connect() as reading, target.begin() as writing:
        for table in METADATA.sorted_tables:
            rows = [dict(row._mapping) for row in reading.execute(select(table))]
            if table.name == "simulated_run":
                writing.execute(delete(table))  # a new database vouches for the tests' shared runs
            if rows:
                writing.execute(insert(table), rows)
    source.dispose()
    target.dispose()
