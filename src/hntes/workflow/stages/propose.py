"""The stage propose: renders a router's candidate from the rules as of a day and stores it as a change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from hntes import clock
from hntes.etl.days import day_bounds_ms
from hntes.files import write_changed_text
from hntes.platforms.hardware_fit import model_of
from hntes.platforms.render import render
from hntes.platforms.validate import validate
from hntes.rules.changeset import wording
from hntes.rules.changeset.candidate import Candidate, write_candidate
from hntes.rules.changeset.diff import diff_text
from hntes.rules.changeset.proposal import Proposal
from hntes.rules.changeset.proposal import propose as propose_rules
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.reserved import Reserved
from hntes.settings.model import Router
from hntes.sql import ageing_rules, change_facts, changes, proposals
from hntes.sql.ageing_rules import AGEING_DAYS, AgeingRule
from hntes.sql.change import Change, ChangeState
from hntes.sql.not_waiting import not_waiting as why_not_waiting
from hntes.sql.reasons import ChangeFacts
from hntes.sql.session import transaction
from hntes.workflow.context import Context
from hntes.workflow.folders import router_folder
from hntes.workflow.reservations.active_reservations import differs_only_in_reservations, with_reservations
from hntes.workflow.running_configuration import fitted
from hntes.workflow.settings_record import record_settings
from hntes.workflow.shares import read_load, share_notes
from hntes.workflow.stage_log import stage
from hntes.workflow.stages.announced_pairs import announced_note
from hntes.workflow.stages.detection_changes import other_rule_notes
from hntes.workflow.stages.effect import effect_of_change
from hntes.workflow.stages.rules_as_of import RulesAsOf, rules_as_of


@dataclass(frozen=True)
class ProposalResult:
    """The proposal, the change stored for its day, and the files that show it.

    If the day's change is already approved, that one is kept with its own candidate and facts, and no files are
    written. `overtaken_by` is the day of a later change that is in force, None if there is none. `not_waiting` says why
    the change does not wait for a decision, "" if it does or changes nothing.
    """

    proposal: Proposal
    change: Change
    facts: ChangeFacts
    files: dict[str, Path]
    overtaken_by: date | None = None
    not_waiting: str = ""

    @property
    def is_decided(self) -> bool:
        """Whether the day was already decided, with another candidate."""
        return self.change.candidate_hash != self.proposal.candidate.hash


def _outcome(proposed: ProposalResult) -> str:
    return proposed.change.state


@stage(_outcome)
def propose(context: Context, router: Router, day: date) -> ProposalResult:
    """Renders and writes the candidate, stores the change, and writes the files that show it.

    An approved change of the day is kept, since later days are based on it.
    """
    record_settings(context)
    as_of = rules_as_of(context, router, day)
    proposed = store_proposal(context, router, _proposal(context, router, day, as_of))
    with transaction(context.database) as session:
        ageing_rules.replace_ageing(session, router.name, day, _ageing(router, as_of))
    return proposed


def store_proposal(context: Context, router: Router, proposal: Proposal) -> ProposalResult:
    """Writes a proposal's candidate, stores its change, and writes the files that show it."""
    day = proposal.day
    write_candidate(router_folder(context, router), proposal.candidate)
    with transaction(context.database) as session:
        proposed = _change(context, proposal)
        words = wording.in_one_line(proposed, proposal.effect)
        stands = proposals.put(session, proposed, context.last_day, proposal.facts, words)
        in_force = changes.in_force(session, router.name)
        facts = change_facts.facts_of(session, stands.change_id)
        not_waiting = "" if stands.state in ("pending", "empty") else why_not_waiting(session, stands)
    overtaken_by = in_force.day if in_force and in_force.day > day else None
    is_decided = stands.candidate_hash != proposal.candidate.hash
    files = {} if is_decided or proposal.is_withheld else _write_files(context, router, proposal, stands)
    return ProposalResult(proposal, stands, facts, files, overtaken_by, not_waiting)


def render_candidate(
    context: Context, router: Router, pairs: Sequence[PrefixPair], reserved: Sequence[Reserved] = ()
) -> Candidate:
    """The candidate configuration for these pairs and reservations, validated and rendered, free of conflicts with the
    running configuration."""
    model = model_of(router, context.settings.plans[router.plan], pairs, reserved)
    validate(model)
    model = fitted(router, model)
    return Candidate(model, render(model))


def _ageing(router: Router, as_of: RulesAsOf) -> list[AgeingRule]:
    """The rules that age out soon. What is due on a night with incomplete data goes after the next complete day."""
    found = []
    for rule in as_of.selection.kept:
        days_left = max(as_of.rule_set.ageing_days + 1 - rule.age_days, 1)
        if rule.last_seen is not None and not rule.pinned and days_left <= AGEING_DAYS:
            source, destination = str(rule.pair.source), str(rule.pair.destination)
            found.append(
                AgeingRule(
                    router.name, source, destination, days_left, rule.last_seen, rule.days_seen, rule.alpha_bytes
                )
            )
    return found


def _proposal(context: Context, router: Router, day: date, as_of: RulesAsOf) -> Proposal:
    pairs = [rule.pair for rule in as_of.selection.kept]
    candidate, reserved_notes = with_reservations(
        context, router, lambda reserved: render_candidate(context, router, pairs, reserved)
    )
    return propose_rules(
        as_of.rule_set,
        as_of.selection,
        as_of.base,
        candidate,
        data_complete=as_of.status.complete,
        data_reason=as_of.status.reason,
        has_records=as_of.status.records > 0,
        more_notes=(
            *reserved_notes,
            *other_rule_notes(context, router, day),
            *announced_note(context, router, day, pairs, as_of.base.pairs if as_of.base else frozenset()),
            *share_notes(context, router, read_load(context, router, day), as_of.base),
        ),
        new_pairs_limit=context.settings.review.new_pairs_limit,
        effect=effect_of_change(context, router, day, as_of.base, candidate),
    )


def _change(context: Context, proposal: Proposal) -> Change:
    _, end_ms = day_bounds_ms(proposal.day)
    is_empty = proposal.is_empty or proposal.is_withheld or differs_only_in_reservations(proposal)
    state: ChangeState = "empty" if is_empty else "pending"
    expiry_ms = int(context.settings.review.expiry.total_seconds()) * 1000
    return proposal.change(state, max(end_ms, clock.now_ms()) + expiry_ms)


def _write_files(context: Context, router: Router, proposal: Proposal, change: Change) -> dict[str, Path]:
    day_folder = router_folder(context, router) / proposal.day.isoformat()
    before = proposal.base.text if proposal.base else ""
    texts = {
        "configuration": ("candidate.conf", proposal.candidate.text),
        "diff": ("change.diff", diff_text(before, proposal.candidate.text)),
        "summary": ("summary.txt", wording.summary(change, proposal.facts, proposal.other_changes)),
    }
    files = {}
    for kind, (name, text) in texts.items():
        files[kind] = day_folder / name
        write_changed_text(files[kind], text)
    return files
