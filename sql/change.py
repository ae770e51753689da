"""A change of a router's configuration, and what is in force; free of SQLAlchemy."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from hntes.format import counted, rfc3339

ChangeState = Literal["empty", "pending", "approved", "rejected", "superseded", "expired", "withdrawn"]


@dataclass(frozen=True)
class Change:
    """A text that is to replace another on one router, bound to an exact candidate, an exact base and an expiry.

    A nightly one follows from the flows of `day`; `base_hash` is what was in force when it was made (None: nothing). A
    scheduled one holds from `effective_s` until before `until_s` (None: until something else is reserved) on the rules
    of `day`, whose text is `base_hash`; if it `leads`, as something begins, it is due before its instant.

    Pairs are counted against the base. `is_rerendered`: the same model in another text; `settings_changed` counts what
    else differs. `held_above` is the limit that the new pairs exceeded, None if they did not; `acknowledged_pairs` the
    number that a person has acknowledged. `first_approval` is the event of the first of two approvals. The approval
    also binds the transition of `transition_hash` from the text `transition_from`.
    """

    router: str
    day: date
    base_hash: str | None
    candidate_hash: str
    model_hash: str
    state: ChangeState
    expires_ms: int | None
    effective_s: int | None = None
    until_s: int | None = None
    leads: bool = False
    data_complete: bool = True
    pairs_added: int = 0
    pairs_removed: int = 0
    pairs_kept: int = 0
    is_rerendered: bool = False
    settings_changed: int = 0
    held_above: int | None = None
    acknowledged_pairs: int | None = None
    first_approval: int | None = None
    transition_hash: str | None = None
    transition_from: str | None = None
    decided_by: str | None = None
    decision_note: str | None = None

    @property
    def change_id(self) -> str:
        """By which tables, the audit log and addresses name it."""
        return nightly_id(self.router, self.day) if self.effective_s is None else self._scheduled_id(self.effective_s)

    def _scheduled_id(self, effective_s: int) -> str:
        return f"{self.router}/from/{(self.base_hash or '')[:16]}/{rfc3339(effective_s * 1000)}"

    @property
    def is_scheduled(self) -> bool:
        return self.effective_s is not None

    @property
    def is_text_of_base(self) -> bool:
        """Whether its text is that of its base, so that nothing changes."""
        return self.candidate_hash == self.base_hash

    def is_over(self, now_ms: int) -> bool:
        """Whether its time to be decided, or to hold, is over."""
        return self.expires_ms is not None and self.expires_ms <= now_ms


def nightly_id(router: str, day: date) -> str:
    """The id of a router's nightly change of a day."""
    return f"{router}/{day}"


@dataclass(frozen=True)
class InForceEntry:
    """The candidate last approved for one router, and the day of its change."""

    router: str
    candidate_hash: str
    day: date


def hold_text(router: str, day: date, new_pairs: int, new_pairs_limit: int) -> str:
    """Why it may not be approved yet, and what to do."""
    return (
        f"held: {counted(new_pairs, 'new pair')}, more than review.new_pairs_limit = {new_pairs_limit}; look where "
        f"they come from, then run hntes change acknowledge --router {router} --day {day} --new-pairs {new_pairs}"
    )
