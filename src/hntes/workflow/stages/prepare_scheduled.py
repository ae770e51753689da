"""Preparation of scheduled changes for delivery: proposal, judgement, approval by quotas."""

from collections.abc import Sequence
from dataclasses import dataclass

from hntes import clock
from hntes.settings.model import Router
from hntes.sql.change import Change
from hntes.sql.decisions import Decision, base_problem
from hntes.sql.judgements import judgement_of
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.judgement import judgement_now, verified_candidate
from hntes.workflow.reservations.quota_approvals import approve_by_quota
from hntes.workflow.reservations.scheduled_changes import ProposedChanges, propose_scheduled
from hntes.workflow.stages.judge import Lab, judge_change
from hntes.workflow.stages.judged_text import JudgedText

__all__ = ["PreparedChanges", "judge_scheduled", "prepare_scheduled"]


@dataclass(frozen=True)
class PreparedChanges:
    """One router's scheduled changes as proposed, the new judgements, and the decisions by quota with reasons."""

    proposed: ProposedChanges
    judged: tuple[JudgedText, ...]
    by_quota: tuple[Decision, ...]

    @property
    def has_problems(self) -> bool:
        """Whether a text could not be rendered, or did not pass the gate."""
        return bool(self.proposed.failed_periods) or any(not each.is_passing for each in self.judged)


def prepare_scheduled(
    context: Context, router: Router, until_s: int | None = None, lab: Lab | None = None
) -> PreparedChanges:
    """Proposes and judges scheduled changes and approves them by quota; a repeated call changes nothing.

    Raises:
        CandidateStoreError, CommandError: as `propose_scheduled` and `judge_scheduled`.
    """
    proposed = propose_scheduled(context, router, until_s)
    judged = judge_scheduled(context, router, proposed.valid, lab)
    return PreparedChanges(proposed, judged, approve_by_quota(context, router))


def judge_scheduled(
    context: Context, router: Router, entries: Sequence[Change], lab: Lab | None = None
) -> tuple[JudgedText, ...]:
    """Judges the texts of pending changes without a current judgement; each text once.

    The text of an approved base is not judged again.

    Raises:
        CandidateStoreError, CommandError: as `judge`.
    """
    now_ms = clock.now_ms()
    waiting = {each.candidate_hash: each for each in entries if each.state == "pending" and not each.is_over(now_ms)}
    return tuple(
        judge_change(context, router, each, lab=lab)
        for each in waiting.values()
        if not _is_judged(context, router, each)
    )


def _is_judged(context: Context, router: Router, entry: Change) -> bool:
    with reading(context.database) as session:
        stored = judgement_of(session, router.name, entry.candidate_hash)
        is_approved_base = entry.is_text_of_base and base_problem(session, entry) is None
    holds_now = judgement_now(context, router, entry, verified_candidate(context, router, entry))
    return is_approved_base or (stored is not None and stored.judgement_id == holds_now.judgement_id)
