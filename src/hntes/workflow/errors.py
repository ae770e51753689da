"""Expected errors: reported by message and exit status, without a traceback."""

import sys

from hntes.errors import HntesError

# Exit statuses, in addition to click's 2 for wrong usage.
FAILED = 1
FINISHED_WITH_PROBLEMS = 3
REFUSED = 4


class CommandError(HntesError):
    """A request that a command cannot carry out; the message says what to do."""


# By module name, so that a command without a database does not import its driver only to name its errors.
_DATABASE = (("sqlalchemy.exc", "DBAPIError"),)
# A restarting database, a slow file server, a busy cluster, an object store without network, another running process:
# these pass by themselves.
_TEMPORARY = (
    ("hntes.etl.engines.session", "SparkAwayError"),
    ("hntes.etl.errors", "FolderAwayError"),
    ("hntes.etl.errors", "LakeAwayError"),
    ("hntes.etl.locks", "LockedError"),
    ("hntes.sql.errors", "DatabaseUnreachableError"),
    ("sqlalchemy.exc", "InterfaceError"),
    ("sqlalchemy.exc", "OperationalError"),
)
# A text or a number that no column can hold, such as a text with NUL on PostgreSQL.
_UNSTORABLE = (("sqlalchemy.exc", "DataError"),)
# Invalid requests: nothing is wrong with this installation.
_MISTAKES = (
    *_UNSTORABLE,
    ("hntes.rules.pairs", "PairError"),
    ("hntes.rules.reservations.published", "PublishedError"),
    ("hntes.rules.reservations.reservation", "ReservationError"),
    ("hntes.sql.errors", "InvalidEntryError"),
    ("hntes.sql.errors", "UnknownEntryError"),
)


def expected() -> tuple[type[Exception], ...]:
    """The error types that an operator can fix, for an `except` clause."""
    return (HntesError, OSError, *_loaded(_DATABASE))


def is_temporary(problem: BaseException) -> bool:
    """Whether a later retry can succeed without intervention; not for errors of settings and data."""
    if isinstance(problem, FileNotFoundError | PermissionError):
        return False
    return isinstance(problem, (OSError, *_loaded(_TEMPORARY)))


def is_mistake(problem: BaseException) -> bool:
    """Whether the request itself is invalid."""
    return isinstance(problem, (CommandError, *_loaded(_MISTAKES)))


def is_missing(problem: BaseException) -> bool:
    """Whether the requested object does not exist."""
    return isinstance(problem, _loaded((("hntes.sql.errors", "UnknownEntryError"),)))


def message(problem: BaseException) -> str:
    """The message of an expected error, without a statement's parameters and without a traceback."""
    if isinstance(problem, _loaded(_DATABASE)):
        cause = getattr(problem, "orig", None)
        lines = str(cause).strip().splitlines() or [type(cause).__name__]
        if isinstance(problem, _loaded(_UNSTORABLE)):
            return f"the database cannot hold a value of the request: {lines[0]}; nothing was written"
        return f"the database refused the request or disconnected: {lines[0]}; nothing was half written, run it again"
    if isinstance(problem, OSError) and problem.filename is not None:
        return f"{problem.filename}: {problem.strerror}"
    return str(problem)


def _loaded(names: tuple[tuple[str, str], ...]) -> tuple[type[Exception], ...]:
    """The error types of loaded modules; no other can have been raised."""
    return tuple(getattr(sys.modules[module], name) for module, name in names if module in sys.modules)
