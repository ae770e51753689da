"""Digests of simulation results by the run's key. Works within the caller's transaction.

The results are in a folder that many may write to; the database says which are authentic.
"""

from dataclasses import dataclass

from hntes.sql.rows import fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import table


@dataclass(frozen=True)
class SimulatedRunEntry:
    """The digest of one run's result, as the engine gave it."""

    run_key: str
    digest: str


SIMULATED_RUN = table(
    "simulated_run", SimulatedRunEntry, key=("run_key",),
    grain="One row per simulated run, by its key: the digest of what the engine gave.",
)  # fmt: skip


def digest_of(session: Session, run_key: str) -> str | None:
    """The digest of a run's result; None if this database knows of no such run."""
    found = fetch_by(session, SIMULATED_RUN, SimulatedRunEntry, run_key=run_key)
    return found[0].digest if found else None


def put(session: Session, run_key: str, digest: str) -> None:
    """Keeps a digest; replaces one of the same key."""
    lock(session, "simulated_run", run_key)
    remove(session, SIMULATED_RUN, run_key=run_key)
    store(session, SIMULATED_RUN, [SimulatedRunEntry(run_key, digest)])
