"""How far an approved configuration has come, in words."""

from hntes.workflow.delivery.drift_known import KnownDrift
from hntes.workflow.review.status import RouterProgress


def standing_words(progress: RouterProgress, drift: KnownDrift | None) -> tuple[str, bool]:
    """The words, and whether nothing is left to do."""
    if not progress.is_delivered:
        return "approved, not delivered", False
    if not progress.is_confirmed:
        return "delivered, not verified", False
    if drift is not None and not drift.is_well:
        return f"verified, {drift.words}", False
    return "verified", True
