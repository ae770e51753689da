"""Which errors are the user's to mend: they get their message and an exit status, no traceback."""

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from base.errors import HntesError
from etl.locks import LockedError
from sql.errors import DatabaseUnreachableError


class CommandError(HntesError):
    """A command cannot do what it was asked; the message says what to do."""


class StandingChangeError(CommandError):
    """A day's change set is decided, and the day now gives another candidate."""


EXPECTED = (HntesError, DBAPIError, OSError)

# What goes without anybody's doing: a database that restarts, a file server that is slow, another process at work.
_PASSING = (DatabaseUnreachableError, InterfaceError, LockedError, OperationalError, OSError)


def passes(problem: BaseException) -> bool:
    """Whether trying again later can help, nothing else being changed. Settings and data do not mend themselves."""
    return isinstance(problem, _PASSING) and not isinstance(problem, FileNotFoundError | PermissionError)


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
