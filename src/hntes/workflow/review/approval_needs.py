"""Needs of an approval beside the gate: a hold, and what makes a change one to look at twice."""

from collections.abc import Sequence
from dataclasses import dataclass

from hntes.rules.changeset.candidate import PARSED, CandidateStoreError
from hntes.rules.changeset.diff import diff_models
from hntes.settings.model import Router
from hntes.sql.change import Change, hold_text
from hntes.sql.decisions import is_held_for_new_pairs
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.judgement import blocking_reasons_now

# More of the approved pairs leaving than this is no usual night: a lost exporter, a wrong prefix length.
LEAVING_LIMIT_PCT = 30
# Whether more than pairs differs between two candidates, by their hashes.
_COMPARED: dict[tuple[str, str], bool] = {}


@dataclass(frozen=True)
class ApprovalNeeds:
    """What an approval of a change set needs, as things are now.

    Attributes:
        blocking_reasons: Why the gate has not passed the candidate; none if it has.
        hold: Why a person must acknowledge new pairs first; None if none must.
        unusual: What makes the change one to look at twice, in words; mostly empty.
    """

    blocking_reasons: tuple[str, ...]
    hold: str | None
    unusual: tuple[str, ...]

    @property
    def is_approvable(self) -> bool:
        """Whether it can be approved at once, by whoever has looked twice where that is due."""
        return not self.blocking_reasons and self.hold is None


def approval_needs(
    context: Context, router: Router, entry: Change, blocking_reasons: Sequence[str] | None = None
) -> ApprovalNeeds:
    """What an approval of this change set needs; nothing is written. `blocking_reasons`, if they are known."""
    if blocking_reasons is None:
        blocking_reasons = blocking_reasons_now(context, entry)
    limit = context.settings.review.new_pairs_limit
    is_held = is_held_for_new_pairs(entry, limit)
    hold = hold_text(entry.router, entry.day, entry.pairs_added, limit) if is_held else None
    return ApprovalNeeds(tuple(blocking_reasons), hold, unusual(context, router, entry))


def unusual(context: Context, router: Router, entry: Change) -> tuple[str, ...]:
    """What makes a change one to look at twice: a first configuration, another plan, many pairs that leave.

    Scheduled changes are of reservations alone.
    """
    if entry.is_scheduled:
        return ()
    if entry.base_hash is None:
        return ("first configuration of this router",)
    found = []
    before = entry.pairs_kept + entry.pairs_removed
    if 100 * entry.pairs_removed > LEAVING_LIMIT_PCT * before:
        found.append(f"{entry.pairs_removed} of {before} approved pairs leave, more than {LEAVING_LIMIT_PCT}%")
    if _changes_beside_pairs(context, router, entry, entry.base_hash):
        found.append("more than pairs changes: the plan, an interface or the text around the pairs")
    return tuple(found)


def _changes_beside_pairs(context: Context, router: Router, entry: Change, base_hash: str) -> bool:
    if entry.candidate_hash == base_hash:
        return False
    # by hashes, so that what was compared once need not be read again
    named = base_hash, entry.candidate_hash
    known = _COMPARED.get(named)
    if known is None:
        try:
            base = known_candidate(context, router, base_hash)
            candidate = known_candidate(context, router, entry.candidate_hash)
        except CandidateStoreError:
            return True  # the blocking reasons say what is lost
        if len(_COMPARED) >= PARSED:
            _COMPARED.clear()
        found = diff_models(base.model, candidate.model)
        known = _COMPARED[named] = found.is_empty or bool(found.term_changes or found.settings_changes)
    return known
