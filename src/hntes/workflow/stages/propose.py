"""The stage propose: a router's candidate is rendered from the rules as of a day, as a change set to be decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from hntes.etl.days import day_bounds_ms
from hntes.files import write_changed_text
from hntes.platforms.render import render
from hntes.rules.changeset import proposal as proposals
from hntes.rules.changeset.candidate import Candidate, write_candidate
from hntes.rules.changeset.diff import diff_text
from hntes.rules.changeset.proposal import Proposal
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.reserved import Reserved
from hntes.rules.qos.validate import validate
from hntes.settings.model import Router
from hntes.sql import change_sets
from hntes.sql.entries import ChangeSetEntry
from hntes.sql.session import transaction
from hntes.workflow.context import Context
from hntes.workflow.folders import router_folder
from hntes.workflow.reports.shares import read_load, share_notes
from hntes.workflow.reservations.active_reservations import differs_by_reserved_alone, with_book
from hntes.workflow.settings_record import record_settings
from hntes.workflow.stage_log import stage
from hntes.workflow.stages.detection_changes import other_rule_notes
from hntes.workflow.stages.effect import effect_text
from hntes.workflow.stages.rules_as_of import RulesAsOf, rules_as_of
from hntes.workflow.stages.running_configuration import fitted


@dataclass(frozen=True)
class Proposed:
    """A router's change, the change set that stands for it, and the files that show it.

    Where the day's change set is approved already, it stands with its own candidate, and no files are written.
    `overtaken_by` is the day of a later change set that is in force, None where there is none.
    """

    proposal: Proposal
    change_set: ChangeSetEntry
    files: dict[str, Path]
    overtaken_by: date | None = None

    @property
    def is_decided(self) -> bool:
        """Whether the day was decided before, with another candidate."""
        return self.change_set.candidate_hash != self.proposal.candidate.hash

    @property
    def headline(self) -> str:
        """The change in one line."""
        if not self.is_decided:
            return proposals.headline(self.proposal)
        return (
            f"approved already, with candidate {self.change_set.candidate_hash[:12]}: {self.change_set.summary}; what "
            "the flows, rules or settings would change since then comes with the next night's change set"
        )

    @property
    def summary(self) -> str:
        """The change in an operator's words, some lines."""
        lines = [f"{self.proposal.router}, flows of {self.proposal.day}: {self.headline}"]
        if not self.is_decided:
            lines = [proposals.summary(self.proposal).rstrip()]
        if self.overtaken_by:
            lines.append(f"  note: the change set of {self.overtaken_by}, approved since then, is in force")
        return "\n".join(lines)


def _outcome(proposed: Proposed) -> str:
    return proposed.change_set.state


@stage(_outcome)
def propose(context: Context, router: Router, day: date) -> Proposed:
    """Renders and writes the candidate, stores the change set, and writes the files that show it.

    A day's approved change set stands, whatever the day gives now: later days are built upon it.
    """
    record_settings(context)
    as_of = rules_as_of(context, router, day)
    return store_proposal(context, router, _proposal(context, router, day, as_of))


def store_proposal(context: Context, router: Router, proposal: Proposal) -> Proposed:
    """Writes a proposal's candidate, stores its change set, and writes the files that show it."""
    day = proposal.day
    write_candidate(router_folder(context, router), proposal.candidate)
    with transaction(context.database) as session:
        stands = change_sets.put(session, _entry(context, proposal), context.last_day)
        in_force = change_sets.in_force(session, router.name)
    overtaken_by = in_force.day if in_force and in_force.day > day else None
    if stands.candidate_hash != proposal.candidate.hash:
        return Proposed(proposal, stands, {}, overtaken_by)
    return Proposed(proposal, stands, _write_files(context, router, proposal), overtaken_by)


def render_candidate(
    context: Context, router: Router, pairs: Sequence[PrefixPair], reserved: Sequence[Reserved] = ()
) -> Candidate:
    """The configuration for these pairs and reservations, validated, rendered, and without a collision with what the
    router has."""
    model = build_model(router, context.settings.plans[router.plan], pairs, reserved)
    validate(model)
    model = fitted(router, model)
    return Candidate(model, render(model))


def _proposal(context: Context, router: Router, day: date, as_of: RulesAsOf) -> Proposal:
    pairs = [rule.pair for rule in as_of.selection.kept]
    candidate, reserved_notes = with_book(
        context, router, lambda reserved: render_candidate(context, router, pairs, reserved)
    )
    return proposals.propose(
        as_of.rule_set,
        as_of.selection,
        as_of.base,
        candidate,
        data_complete=as_of.status.complete,
        data_reason=as_of.status.reason,
        more_notes=(
            *reserved_notes,
            *other_rule_notes(context, router, day),
            *share_notes(context, router, read_load(context, router, day), as_of.base),
        ),
        new_pairs_limit=context.settings.review.new_pairs_limit,
        effect=effect_text(context, router, day, as_of.base, candidate),
    )


def _entry(context: Context, proposal: Proposal) -> ChangeSetEntry:
    _, end_ms = day_bounds_ms(proposal.day)
    return ChangeSetEntry(
        router=proposal.router,
        day=proposal.day,
        base_hash=proposal.base_hash,
        candidate_hash=proposal.candidate.hash,
        model_hash=proposal.candidate.model_hash,
        state="empty" if proposal.is_empty or differs_by_reserved_alone(proposal) else "pending",
        expires_ms=end_ms + int(context.settings.review.expiry.total_seconds()) * 1000,
        data_complete=proposal.data_complete,
        pairs_added=len(proposal.added),
        pairs_removed=len(proposal.removed),
        pairs_kept=proposal.kept,
        summary=f"{proposals.headline(proposal)}; {proposal.effect}",
    )


def _write_files(context: Context, router: Router, proposal: Proposal) -> dict[str, Path]:
    day_folder = router_folder(context, router) / proposal.day.isoformat()
    before = proposal.base.text if proposal.base else ""
    texts = {
        "configuration": ("candidate.conf", proposal.candidate.text),
        "diff": ("change.diff", diff_text(before, proposal.candidate.text)),
        "summary": ("summary.txt", proposals.summary(proposal)),
    }
    files = {}
    for kind, (name, text) in texts.items():
        files[kind] = day_folder / name
        write_changed_text(files[kind], text)
    return files
