"""All that is done about a router's edges before anything is delivered: texts are made, judged, approved by quotas."""

from dataclasses import dataclass

from hntes.settings.model import Router
from hntes.workflow.context import Context
from hntes.workflow.reservations.edge_changes import ProposedEdges, propose_edges
from hntes.workflow.review.edge_decisions import EdgeDecision, approve_by_quota, judge_edges
from hntes.workflow.stages.judge import Lab
from hntes.workflow.stages.judged_text import JudgedText


@dataclass(frozen=True)
class PreparedEdges:
    """One router's edges: what stands, what was judged just now, and what quotas approved or did not, with reasons."""

    proposed: ProposedEdges
    judged: tuple[JudgedText, ...]
    by_quota: tuple[EdgeDecision, ...]

    @property
    def has_problems(self) -> bool:
        """Whether a text cannot be made, or was not passed."""
        return bool(self.proposed.unmade) or any(not each.is_passing for each in self.judged)


def prepare_edges(
    context: Context, router: Router, until_s: int | None = None, lab: Lab | None = None
) -> PreparedEdges:
    """Proposes, judges, and lets quotas approve; again it changes nothing.

    Raises:
        CandidateStoreError, CommandError: as `propose_edges` and `judge_edges`.
    """
    proposed = propose_edges(context, router, until_s)
    judged = judge_edges(context, router, proposed.standing, lab)
    return PreparedEdges(proposed, judged, approve_by_quota(context, router))
