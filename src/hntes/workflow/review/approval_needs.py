"""Requirements of an approval other than the gate: acknowledgement of new pairs, and extra care for risky changes."""

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

# A larger share of leaving pairs is unusual: a lost exporter, a wrong prefix length.
LEAVING_LIMIT_PCT = 30
# Cache by hashes: whether two candidates differ in more than pairs.
_COMPARED: dict[tuple[str, str], bool] = {}


@dataclass(frozen=True)
class ApprovalNeeds:
    """The present requirements of an approval.

    Attributes:
        blocking_reasons: Why the gate has not passed the candidate; empty if it has.
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


def approval_needs(
    context: Context, router: Router, entry: Change, blocking_reasons: Sequence[str] | None = None
) -> ApprovalNeeds:
    """The requirements of an approval of this change; read-only. `blocking_reasons`: if already known."""
    if blocking_reasons is None:
        blocking_reasons = blocking_reasons_now(context, entry)
    limit = context.settings.review.new_pairs_limit
    is_held = is_held_for_new_pairs(entry, limit)
    hold = hold_text(entry.router, entry.day, entry.pairs_added, limit) if is_held else None
    return ApprovalNeeds(tuple(blocking_reasons), hold, unusual(context, router, entry))


def unusual(context: Context, router: Router, entry: Change) -> tuple[str, ...]:
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
    if _changes_beside_pairs(context, router, entry, entry.base_hash):
        found.append("more than the pairs changes: the plan, an interface or other statements")
    return tuple(found)


def _changes_beside_pairs(context: Context, router: Router, entry: Change, base_hash: str) -> bool:
    if entry.candidate_hash == base_hash:
        return False
    # cached by hashes, so that candidates are compared only once
    named = base_hash, entry.candidate_hash
    known = _COMPARED.get(named)
    if known is None:
        try:
            base = known_candidate(context, router, base_hash)
            candidate = known_candidate(context, router, entry.candidate_hash)
        except CandidateStoreError:
            return True  # the blocking reasons name the lost candidate
        if len(_COMPARED) >= PARSED:
            _COMPARED.clear()
        found = diff_models(base.model, candidate.model)
        known = _COMPARED[named] = found.is_empty or bool(found.term_changes or found.settings_changes)
    return known
