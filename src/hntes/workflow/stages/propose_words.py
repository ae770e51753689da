"""Display text of a proposal."""

from hntes.rules.changeset import wording
from hntes.workflow.stages.propose import ProposalResult


def headline(proposed: ProposalResult) -> str:
    """A proposal in one line."""
    if not proposed.is_decided:
        return wording.headline(proposed.change)
    words = wording.in_one_line(proposed.change, proposed.facts.effect)
    return (
        f"approved already, with candidate {proposed.change.candidate_hash[:12]}: {words}; what the flows, rules or "
        "settings would change since then comes with the next night's change"
    )


def summary(proposed: ProposalResult) -> str:
    """A proposal in several lines."""
    proposal = proposed.proposal
    lines = [f"{proposal.router}, flows of {proposal.day}: {headline(proposed)}"]
    if not proposed.is_decided:
        lines = [wording.summary(proposed.change, proposal.facts, proposal.other_changes).rstrip()]
    if proposed.overtaken_by:
        lines.append(f"  note: the change of {proposed.overtaken_by}, approved since then, is in force")
    return "\n".join(lines)
