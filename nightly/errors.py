"""Which errors are the user's to mend: they get their message and an exit status, no traceback."""

from sqlalchemy.exc import DBAPIError

from etl.errors import EtlError
from rules.gate import UnsoundRunError
from rules.pairs import PairError
from rules.qos import ModelError
from rules.store import CandidateStoreError
from settings import SettingsError
from simulator import EngineMissingError, ScenarioError
from sql.errors import StoreError


class CommandError(Exception):
    """A command cannot do what it was asked; the message says what to do."""


class StandingChangeError(CommandError):
    """A day's change set is decided, and the day now gives another candidate."""


EXPECTED = (
    CandidateStoreError,
    CommandError,
    DBAPIError,
    EngineMissingError,
    EtlError,
    ModelError,
    OSError,
    PairError,
    ScenarioError,
    SettingsError,
    StoreError,
    UnsoundRunError,
)


def message(problem: BaseException) -> str:
    """What to tell of an expected error: never a statement's parameters, never a traceback."""
    if isinstance(problem, DBAPIError):
        told = str(problem.orig).strip().splitlines() or [type(problem.orig).__name__]
        return f"the database refused or went away: {told[0]}; nothing was half written, run it again"
    if isinstance(problem, OSError) and problem.filename is not None:
        return f"{problem.filename}: {problem.strerror}"
    return str(problem)


# Exit statuses, beside click's 2 for wrong usage.
FAILED = 1
FINISHED_WITH_PROBLEMS = 3
REFUSED = 4
