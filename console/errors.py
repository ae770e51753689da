"""Which errors are the user's to mend: they get their message and an exit status, no traceback."""

from etl.errors import EtlError
from rules.pairs import PairError
from rules.qos import ModelError
from rules.store import CandidateStoreError
from settings import SettingsError
from sql.errors import StoreError


class CommandError(Exception):
    """A command cannot do what it was asked; the message says what to do."""


class StandingChangeError(CommandError):
    """A day's change set is decided, and the day now gives another candidate."""


EXPECTED = (CandidateStoreError, CommandError, EtlError, ModelError, PairError, SettingsError, StoreError)

# Exit statuses, beside click's 2 for wrong usage.
FAILED = 1
FINISHED_WITH_PROBLEMS = 3
REFUSED = 4
