"""Kept runs that the database vouches for: a folder may be written by others, its results decide approvals."""

from dataclasses import dataclass

from sqlalchemy import Engine

from hntes.simulator import RunResult
from hntes.simulator.runs.files import RunFolder, run_digest
from hntes.simulator.runs.store import BrokenRunError
from hntes.sql import simulated_runs
from hntes.sql.session import reading, transaction


@dataclass(frozen=True)
class VouchedRuns:
    """Runs in a folder, each believed only if its result has the digest that the database holds for it."""

    folder: RunFolder
    database: Engine

    def get(self, key: str) -> RunResult | None:
        """The kept run of this key; None if there is none, or the database knows of none.

        Raises:
            BrokenRunError: the file is damaged, or its result is not the one that the engine gave.
        """
        with reading(self.database) as session:
            known = simulated_runs.digest_of(session, key)
        kept = self.folder.get(key) if known is not None else None
        if kept is not None and run_digest(kept) != known:
            raise BrokenRunError(f"{self.folder.path / key}.parquet: is not what the engine gave, by the database")
        return kept

    def put(self, key: str, result: RunResult) -> None:
        """Keep a run, and vouch for it; replaces one of the same key."""
        self.folder.put(key, result)
        with transaction(self.database) as session:
            simulated_runs.put(session, key, run_digest(result))
