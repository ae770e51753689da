"""What a caller saw of a change: compared again in the transaction that records a decision on it."""

from dataclasses import dataclass

from hntes.sql.change import Change
from hntes.sql.errors import InvalidEntryError

ANY_BASE = ""


@dataclass(frozen=True)
class Seen:
    """The candidate that was seen, and what it was seen to replace: None for nothing, ANY_BASE if that was not said."""

    candidate_hash: str
    base_hash: str | None = ANY_BASE


class AnotherCandidateError(InvalidEntryError):
    """A change is not what the caller saw; `change` is what it is now."""

    def __init__(self, change: Change) -> None:
        super().__init__("nothing was recorded: it was proposed again since; look at it again")
        self.change = change


def require_seen(present: Change, seen: Seen | None) -> None:
    """Refuses to go on if a change is not what was seen; None: the caller did not say.

    Raises:
        AnotherCandidateError: it has another candidate or base.
    """
    if seen is None:
        return
    if present.candidate_hash != seen.candidate_hash or seen.base_hash not in (ANY_BASE, present.base_hash):
        raise AnotherCandidateError(present)
