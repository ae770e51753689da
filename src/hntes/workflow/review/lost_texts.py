"""What is said of a change whose texts cannot be read any more, and what can be done."""

from hntes import clock
from hntes.format import counted
from hntes.rules.changeset.candidate import CandidateStoreError
from hntes.sql.change import Change
from hntes.workflow.context import Context


def lost_words(context: Context, entry: Change, cause: CandidateStoreError) -> str:
    """Why the texts of a change cannot be shown, and what to do; `cause` is of reading them."""
    kept_days = context.settings.retention.candidate_days
    is_over = kept_days is not None and (clock.today() - entry.day).days > kept_days
    if kept_days is not None and is_over and _was_deletable(entry) and isinstance(cause.__cause__, FileNotFoundError):
        return (
            "its candidate was never approved, and retention removed it: such candidates are kept for "
            f"{counted(kept_days, 'day')} ([retention] candidate_days); only a backup may have it"
        )
    told = f"its texts cannot be read: {cause}"
    if entry.state != "pending":
        return told
    if entry.is_scheduled:
        return f"{told}; without them it can only be rejected"
    return (
        f"{told}; or run `hntes nightly --router {entry.router} --day {entry.day}`, which proposes it again. Without "
        "them it can only be rejected or deferred"
    )


def _was_deletable(entry: Change) -> bool:
    """Whether retention deletes the candidate of such a change."""
    return entry.state not in ("approved", "pending")
