"""Re-proposal of an earlier approved configuration for the present day, to be judged and decided as any other."""

from collections.abc import Sequence
from datetime import date, timedelta

from hntes import clock
from hntes.format import counted
from hntes.platforms.render import render
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.changeset.proposal import Proposal, propose_text
from hntes.rules.lifetime.rule import excludes
from hntes.rules.qos.reserved import Reserved, with_reserved
from hntes.settings.model import Router
from hntes.sql import changes, overrides
from hntes.sql.session import reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.change_lookup import change_of
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.protected import built_in_exclusions
from hntes.workflow.reservations.active_reservations import excess_class, with_reservations
from hntes.workflow.settings_record import record_settings
from hntes.workflow.stages.effect import effect_of_change
from hntes.workflow.stages.propose import ProposalResult, store_proposal


def earlier_approved(context: Context, router: Router, most: int = 3) -> tuple[date, ...]:
    """The newest days whose approved text is not in force and can be proposed again, newest first, each text once.

    Based on the database alone: `propose_again` may still refuse excluded pairs or more pairs than the term budget.
    """
    with reading(context.database) as session:
        in_force = changes.in_force(session, router.name)
        found = changes.nightly_changes(session, router.name)
    seen = {in_force.candidate_hash} if in_force else set()
    days = []
    for entry in reversed(found):
        if entry.state == "approved" and entry.candidate_hash not in seen:
            seen.add(entry.candidate_hash)
            days.append(entry.day)
    return tuple(days[:most])


def again_command(router: str, day: date) -> str:
    """The command that proposes the text approved for a day again."""
    return f"hntes stage propose --router {router} --again {day}"


def propose_again(context: Context, router: Router, approved_day: date) -> ProposalResult:
    """Proposes the text approved for a day as the present day's change.

    It gets the present reservations and is rendered by this version, so the text may differ. The next night that is
    run for the present day replaces it, unless it is approved by then.

    Raises:
        CandidateStoreError: the approved text is lost, on disk and in the database.
        CommandError: nothing was approved for that day, it is in force, the present day's change is already
            approved, or the router may no longer have these pairs.
    """
    approved = change_of(context, router.name, approved_day)
    if approved is None or approved.state != "approved":
        raise CommandError(
            f"router {router.name}: nothing was approved for {approved_day}; `hntes change list --all` lists approvals"
        )
    found = known_candidate(context, router, approved.candidate_hash)
    candidate, more_notes = with_reservations(context, router, lambda reserved: _with(context, router, found, reserved))
    day, base = _present(context, router)
    if base is not None and base.hash == candidate.hash:
        raise CommandError(f"router {router.name}: the text of {approved_day} is in force; there is nothing to propose")
    _require_allowed(context, router, day, candidate)
    reason = f"in the text approved for {approved_day}, which is proposed again"
    notes = [f"the text approved for {approved_day} is proposed again; the present day's flows do not affect it"]
    if candidate.hash != found.hash:
        is_same = candidate.model == found.model
        why = "this version renders its model differently" if is_same else "other reservations are in force now"
        notes.append(f"the text differs from the approved {found.hash[:12]}: {why}")
    record_settings(context)
    return store_proposal(
        context, router, _proposal(context, router, day, base, candidate, reason, (*notes, *more_notes))
    )


def _with(context: Context, router: Router, found: Candidate, reserved: Sequence[Reserved]) -> Candidate:
    model = with_reserved(found.model, reserved, excess_class(context, router))
    return Candidate(model, render(model))


def _proposal(
    context: Context, router: Router, day: date, base: Candidate | None, candidate: Candidate, reason: str,
    notes: tuple[str, ...],
) -> Proposal:  # fmt: skip
    return propose_text(
        router.name, day, base, candidate, reason, notes,
        new_pairs_limit=context.settings.review.new_pairs_limit,
        effect=effect_of_change(context, router, day, base, candidate),
    )  # fmt: skip


def _present(context: Context, router: Router) -> tuple[date, Candidate | None]:
    """The day of the proposal, which follows that of the candidate in force, and that candidate."""
    with reading(context.database) as session:
        in_force = changes.in_force(session, router.name)
    day = clock.today()
    if in_force is None:
        return day, None
    day = max(day, in_force.day + timedelta(days=1))
    if day > context.last_day:
        raise CommandError(
            f"router {router.name}: the change of {in_force.day} is approved already; propose it again tomorrow"
        )
    return day, known_candidate(context, router, in_force.candidate_hash)


def _require_allowed(context: Context, router: Router, day: date, candidate: Candidate) -> None:
    """Refuses excluded pairs, and more pairs than the term budget."""
    what = f"router {router.name}: that text cannot be proposed again"
    if len(candidate.pairs) > router.term_budget:
        raise CommandError(
            f"{what}: it has {counted(len(candidate.pairs), 'pair')}, and the term budget is {router.term_budget} now"
        )
    with reading(context.database) as session:
        stored = overrides.exclusions(session, router.name)
    entries = [each for each in (*stored, *built_in_exclusions(context)) if each.active_on(day)]
    for pair in sorted(candidate.pairs, key=lambda each: each.sort_key):
        for entry in entries:
            if entry.covers(router.name) and excludes(entry, pair):
                raise CommandError(
                    f"{what}: {pair} is excluded by {entry.prefix} ({entry.side}): {entry.reason}; see hntes override "
                    "exclude list"
                )
