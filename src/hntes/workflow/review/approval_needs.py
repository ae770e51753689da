"""Requirements of an approval other than the gate: acknowledgement of new pairs, and extra care for risky changes."""

from collections.abc import Sequence
from dataclasses import dataclass

from hntes.sql.change import Change, hold_text
from hntes.sql.decisions import is_held_for_new_pairs
from hntes.workflow.context import Context

# A larger share of leaving pairs is unusual: a lost exporter, a wrong prefix length.
LEAVING_LIMIT_PCT = 30


@dataclass(frozen=True)
class ApprovalNeeds:
    """The present requirements of an approval.

    Attributes:
        blocking_reasons: Why the gate has not passed the candidate, or why its rules do not carry it; empty if neither.
        hold: Why a person must acknowledge new pairs first; None if that is not needed.
        unusual: What makes the change risky, in words; usually empty.
    """

    blocking_reasons: tuple[str, ...]
    hold: str | None
    unusual: tuple[str, ...]

    @property
    def is_approvable(self) -> bool:
        """Whether it can be approved now, with the extra confirmation that a risky change requires."""
        return not self.blocking_reasons and self.hold is None


def approval_needs(context: Context, entry: Change, blocking_reasons: Sequence[str]) -> ApprovalNeeds:
    """The requirements of an approval of this change, `blocking_reasons` being those of the gate and the rules."""
    limit = context.settings.review.new_pairs_limit
    is_held = is_held_for_new_pairs(entry, limit)
    hold = hold_text(entry.router, entry.day, entry.pairs_added, limit) if is_held else None
    return ApprovalNeeds(tuple(blocking_reasons), hold, unusual(entry))


def unusual(entry: Change) -> tuple[str, ...]:
    """What makes a change risky: a first configuration, another plan, many leaving pairs.

    Empty for scheduled changes, which change only reservations.
    """
    if entry.is_scheduled:
        return ()
    if entry.base_hash is None:
        return ("first configuration of this router",)
    found = []
    before = entry.pairs_kept + entry.pairs_removed
    if 100 * entry.pairs_removed > LEAVING_LIMIT_PCT * before:
        found.append(f"{entry.pairs_removed} of {before} approved pairs leave, more than {LEAVING_LIMIT_PCT}%")
    if entry.is_rerendered or entry.settings_changed:
        found.append("more than the pairs changes: the plan, an interface or other statements")
    return tuple(found)
