"""What simulated runs gave: the digest of each result, by the run's key. Works within the caller's transaction.

Results lie in a folder that many may write to; the database says which of them are to be believed.
"""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from hntes.sql.models import SimulatedRun
from hntes.sql.rows import fetch, lock, remove, store


@dataclass(frozen=True)
class SimulatedRunEntry:
    """The digest of one run's result, as the engine gave it."""

    run_key: str
    digest: str


def digest_of(session: Session, run_key: str) -> str | None:
    """The digest of a run's result; None if this database knows of no such run."""
    found = fetch(session, SimulatedRun, SimulatedRunEntry, SimulatedRun.run_key == run_key)
    return found[0].digest if found else None


def put(session: Session, run_key: str, digest: str) -> None:
    """Keeps a digest; replaces one of the same key."""
    lock(session, "simulated_run", run_key)
    remove(session, SimulatedRun, SimulatedRun.run_key == run_key)
    store(session, SimulatedRun, [SimulatedRunEntry(run_key, digest)])
