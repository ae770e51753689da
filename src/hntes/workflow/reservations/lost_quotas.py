"""Approvals by quotas that no quota covers any more: what they approved has to be approved again."""

from collections.abc import Iterable

from hntes.settings.model import Router
from hntes.sql import audit, deliveries, proposals
from hntes.sql.change import Change
from hntes.sql.deliveries import REMOVAL, REPORTS
from hntes.sql.session import reading, transaction
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.reservations.quota_coverage import is_by_quota, quota_reasons

__all__ = ["end_lost_approvals"]


def end_lost_approvals(context: Context, router: Router, entries: Iterable[Change], now_s: int) -> tuple[Change, ...]:
    """Supersedes the scheduled changes that a quota approved and that none covers now; returns them.

    No delivery takes them, and while they count as approved nobody can approve them. What the router was last reported
    to run stays: its end is proposed for its time.

    Raises:
        CandidateStoreError: a text is lost, on disk and in the database.
    """
    with reading(context.database) as session:
        reports = audit.events(session, router.name, (*REPORTS, REMOVAL))
    lasting = (each for each in entries if each.until_s is None or each.until_s > now_s)
    asked = [each for each in lasting if each.state == "approved" and is_by_quota(each.decided_by)]
    lost = [each for each in asked if not deliveries.is_run(reports, each) and _lacks_quota(context, router, each)]
    with transaction(context.database) as session:
        return proposals.supersede(session, lost)


def _lacks_quota(context: Context, router: Router, entry: Change) -> bool:
    assert entry.base_hash is not None  # noqa: S101 - a scheduled change has a base
    base, candidate = (known_candidate(context, router, each) for each in (entry.base_hash, entry.candidate_hash))
    with transaction(context.database) as session:
        return quota_reasons(context, session, router, entry, base, candidate).is_lacking
