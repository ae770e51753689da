"""Stored simulation runs, verified by digests in the database, since others may write to the folder."""

from contextlib import AbstractContextManager
from dataclasses import dataclass

from sqlalchemy import Engine

from hntes.simulator import RunResult
from hntes.simulator.runs.files import RunFolder
from hntes.simulator.runs.store import BrokenRunError
from hntes.sql import simulated_runs
from hntes.sql.session import reading, transaction


@dataclass(frozen=True)
class VouchedRuns:
    """Runs in a folder, each accepted only if its result has the digest stored in the database."""

    folder: RunFolder
    database: Engine

    def get(self, key: str) -> RunResult | None:
        """The stored run with this key; None if there is none, or it is not in the database.

        Raises:
            BrokenRunError: the file is damaged, or its result does not match its digest.
        """
        with reading(self.database) as session:
            known = simulated_runs.digest_of(session, key)
        kept = self.folder.kept(key) if known is not None else None
        if kept is None:
            return None
        if kept.digest != known:
            raise BrokenRunError(f"{self.folder.path / key}.parquet: does not match its digest in the database")
        return kept.result

    def put(self, key: str, result: RunResult) -> None:
        """Stores a run and its digest; replaces one with the same key."""
        digest = self.folder.keep(key, result)
        with transaction(self.database) as session:
            simulated_runs.put(session, key, digest)

    def claim(self, key: str) -> AbstractContextManager[None] | None:
        """The right to make this run, held for the block; None while another process has it."""
        return self.folder.claim(key)
