"""Expected errors: reported by message and exit status, without a traceback."""

import sys

from hntes.errors import HntesError

# Exit statuses, beside click's 2 for wrong usage.
FAILED = 1
FINISHED_WITH_PROBLEMS = 3
REFUSED = 4


class CommandError(HntesError):
    """A command cannot do what it was asked; the message says what to do."""


# Named by their modules: a command that uses no database loads none only to name its errors.
_DATABASE = (("sqlalchemy.exc", "DBAPIError"),)
# A database that restarts, a file server that is slow, another process at work: gone by themselves after a while.
_TEMPORARY = (
    ("hntes.etl.locks", "LockedError"),
    ("hntes.sql.errors", "DatabaseUnreachableError"),
    ("sqlalchemy.exc", "InterfaceError"),
    ("sqlalchemy.exc", "OperationalError"),
)
# What was asked for cannot be: nothing is wrong with this installation.
_MISTAKES = (
    ("hntes.rules.pairs", "PairError"),
    ("hntes.rules.reservations.published", "PublishedError"),
    ("hntes.rules.reservations.reservation", "ReservationError"),
    ("hntes.sql.errors", "InvalidEntryError"),
    ("hntes.sql.errors", "UnknownEntryError"),
)


def expected() -> tuple[type[Exception], ...]:
    """The types of errors that a person can mend, for an `except` clause."""
    return (HntesError, OSError, *_loaded(_DATABASE))


def is_temporary(problem: BaseException) -> bool:
    """Whether a later retry can succeed without intervention; not for errors of settings and data."""
    if isinstance(problem, FileNotFoundError | PermissionError):
        return False
    return isinstance(problem, (OSError, *_loaded(_TEMPORARY)))


def is_mistake(problem: BaseException) -> bool:
    """Whether the request is at fault, and another one would succeed."""
    return isinstance(problem, (CommandError, *_loaded(_MISTAKES)))


def is_missing(problem: BaseException) -> bool:
    """Whether what was asked about is not there."""
    return isinstance(problem, _loaded((("hntes.sql.errors", "UnknownEntryError"),)))


def message(problem: BaseException) -> str:
    """The message of an expected error, without a statement's parameters and without a traceback."""
    if isinstance(problem, _loaded(_DATABASE)):
        cause = getattr(problem, "orig", None)
        lines = str(cause).strip().splitlines() or [type(cause).__name__]
        return f"the database refused or went away: {lines[0]}; nothing was half written, run it again"
    if isinstance(problem, OSError) and problem.filename is not None:
        return f"{problem.filename}: {problem.strerror}"
    return str(problem)


def _loaded(names: tuple[tuple[str, str], ...]) -> tuple[type[Exception], ...]:
    """The types of modules that are loaded: an error of any other cannot have been raised."""
    return tuple(getattr(sys.modules[module], name) for module, name in names if module in sys.modules)
