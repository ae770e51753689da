"""Delivery by BGP FlowSpec: the pairs of the approved text as rules, announced by the configured BGP speaker.

Rules are derived from the approved text alone: its pairs as parsed from it, and the DSCP of its model.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from hntes import clock
from hntes.delivery.access import speaker_of
from hntes.delivery.flowspec.announce import (
    STARTS,
    TAKEN_BACK,
    Announcement,
    announce,
    settled,
    take_back,
    unknown_rules,
    verify,
    withdraw,
)
from hntes.delivery.flowspec.nlri import Community
from hntes.delivery.flowspec.rib import held_by
from hntes.delivery.flowspec.rule import Bounds, FlowSpecRule, RouteTarget, in_order, rules_of
from hntes.delivery.load_watch import LoadWatch
from hntes.delivery.request import PushResult
from hntes.delivery.timer import Timer
from hntes.delivery.verify import run_probes
from hntes.platforms.text_pairs import queued_pairs
from hntes.rules.changeset.candidate import Candidate
from hntes.settings import Settings
from hntes.settings.flowspec import FlowSpec
from hntes.settings.model import Router
from hntes.sql import audit
from hntes.sql.audit import NewEvent
from hntes.sql.change import Change
from hntes.sql.session import transaction
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.delivery.authority import require_arrival
from hntes.workflow.errors import CommandError
from hntes.workflow.router_state import RouterState

Rules = frozenset[FlowSpecRule]


def announced_rules(router: Router, candidate: Candidate, bounds: Bounds | None = None) -> Rules:
    """The FlowSpec rules of a candidate.

    Raises:
        CommandError: it was not rendered for FlowSpec, or its text has other pairs than its model.
        RuleError: the rules are out of bounds.
        ParseError: the text cannot be parsed.
    """
    mark = candidate.model.flowspec
    if mark is None:
        raise CommandError(
            f"router {router.name}: candidate {candidate.hash[:12]} was rendered to be loaded as text. If it is "
            "approved, run the night again and approve its change; if it was delivered, remove it from the router, "
            f"then record that with `hntes router remove --router {router.name} --commit`"
        )
    pairs = queued_pairs(candidate.model, candidate.text)
    if pairs != candidate.pairs:
        raise CommandError(
            f"router {router.name}: the text of candidate {candidate.hash[:12]} has {len(pairs)} pairs and its model "
            f"{len(candidate.pairs)}; restore it from a backup"
        )
    redirect = RouteTarget.parse(mark.redirect) if mark.redirect else None
    return frozenset(rules_of(pairs, mark.dscp, redirect, bounds))


def bounds_of(settings: Settings, router: Router) -> Bounds:
    """The bounds on announced rules: the router's term budget, and the shortest prefixes that may be pinned."""
    return Bounds(router.term_budget, settings.pins.min_ipv4_prefix_length, settings.pins.min_ipv6_prefix_length)


def announce_approved(
    context: Context, state: RouterState, chosen: FlowSpec, last_hash: str | None, timer: Timer,
    watch: LoadWatch | None, *, commit: bool,
) -> PushResult:  # fmt: skip
    """Announces the rules that are due; without `commit` only shows the changes. `watch` reads the router's load.

    `last_hash` is the hash of the text last delivered, None for nothing.

    Raises:
        DeliveryError: see `delivery.flowspec.announce.announce`.
        CommandError: see `announced_rules`.
    """
    router, entry = state.router, state.due
    last = _rules_of(context, router, last_hash)
    before = last.union(*(_rules_of(context, router, each) for each in state.pushed_since_report))
    request = _request(
        context, router, chosen, entry.candidate_hash, before, partial(_record, context, router, entry, watch)
    )
    candidate = known_candidate(context, router, entry.candidate_hash)
    request = replace(
        request,
        unverified_since=None if state.runs_due else last,
        require_allowed=partial(require_arrival, context, state, candidate, None, clock.now_s()),
    )
    if watch is not None:
        minutes = context.settings.delivery.confirm_minutes
        request = replace(request, before_push=watch.before_push, on_trial=partial(watch.on_trial, minutes))
    speaker = speaker_of(router.name, chosen, context.settings.delivery.timeout_s)
    try:
        return announce(request, speaker, timer, commit=commit)
    finally:
        speaker.close()


def is_cut(state: RouterState) -> bool:
    """Whether rules may be announced that no report names: the log has no end of their announcement.

    FlowSpec has no journal.
    """
    steps = (each.outcome for each in reversed(state.pushes_since_report))
    newest = next((each for each in steps if each == "kept" or each.startswith((STARTS, TAKEN_BACK))), TAKEN_BACK)
    return not newest.startswith(TAKEN_BACK)


def take_back_cut(context: Context, state: RouterState, chosen: FlowSpec, refusal: Exception) -> None:
    """Restores the rules last reported, where a cut call announced others that may no longer come.

    Raises:
        DeliveryError: see `delivery.flowspec.announce.take_back`.
    """
    if not is_cut(state):
        return
    router = state.router
    last = _rules_of(context, router, state.reports[-1].candidate_hash if state.reports else None)
    before = last.union(*(_rules_of(context, router, each) for each in state.pushed_since_report))
    record = partial(_record, context, router, state.due, None)
    request = Announcement(
        router.name, before, last, community_of(chosen), str(chosen.neighbor), record, unverified_since=last
    )
    speaker = speaker_of(router.name, chosen, context.settings.delivery.timeout_s)
    try:
        take_back(request, speaker, refusal)
    finally:
        speaker.close()


def verify_announced(context: Context, router: Router, chosen: FlowSpec, candidate_hash: str, timer: Timer) -> None:
    """Raises DeliveryError unless the speaker sends the router the rules of that candidate and its probes succeed."""
    request = _request(context, router, chosen, candidate_hash, frozenset(), lambda _: None)
    speaker = speaker_of(router.name, chosen, context.settings.delivery.timeout_s)
    try:
        verify(request, speaker, timer)
    finally:
        speaker.close()


def withdraw_announced(
    settings: Settings, router: Router, chosen: FlowSpec, record: Callable[[str], None], *, commit: bool
) -> PushResult:
    """Withdraws all rules of HNTES from the router's speaker; needs no database."""
    speaker = speaker_of(router.name, chosen, settings.delivery.timeout_s)
    try:
        return withdraw(router.name, community_of(chosen), speaker, record, commit=commit)
    finally:
        speaker.close()


@dataclass(frozen=True)
class RuleDifference:
    """The rules that a router is sent compared with those last delivered, one per line: `- ` missing, `+ ` unexpected.

    Without a session, which a line with `! ` tells, all are missing.
    """

    missing: tuple[str, ...]
    unexpected: tuple[str, ...]


def announced_difference(
    context: Context, router: Router, chosen: FlowSpec, last_hash: str | None, timer: Timer
) -> RuleDifference:  # fmt: skip
    """The difference between the rules that the speaker holds and sends to the router, and those last delivered."""
    wanted, community, neighbor = _rules_of(context, router, last_hash), community_of(chosen), str(chosen.neighbor)
    speaker = speaker_of(router.name, chosen, context.settings.delivery.timeout_s)
    try:
        found = held_by(speaker, community)
        sent = settled(speaker, community, neighbor, found.own, timer) if speaker.has_session(neighbor) else None
    finally:
        speaker.close()
    gone = in_order(wanted - (found.own & sent.own) if sent is not None else wanted)
    down = [f"! the speaker's session with {neighbor} is not up"] if gone and sent is None else []
    replaced = (
        f"+ {rule.pair}: another rule, not of HNTES, stands in its place" for rule in gone if rule.pair in found.taken
    )
    altered = unknown_rules(sent, wanted | found.own) if sent is not None else []
    unexpected = (*unknown_rules(found, wanted), *altered, *replaced)
    return RuleDifference((*down, *(f"- {rule}" for rule in gone)), tuple(dict.fromkeys(unexpected)))


def _request(
    context: Context,
    router: Router,
    chosen: FlowSpec,
    candidate_hash: str,
    before: Rules,
    record: Callable[[str], None],
) -> Announcement:
    candidate = known_candidate(context, router, candidate_hash)
    return Announcement(
        router.name,
        before,
        announced_rules(router, candidate, bounds_of(context.settings, router)),
        community_of(chosen),
        str(chosen.neighbor),
        record,
        partial(run_probes, router.name, chosen.probes, context.settings.delivery.probe_timeout_s),
    )


def _rules_of(context: Context, router: Router, candidate_hash: str | None) -> Rules:
    return announced_rules(router, known_candidate(context, router, candidate_hash)) if candidate_hash else frozenset()


def _record(context: Context, router: Router, entry: Change, watch: LoadWatch | None, step: str) -> None:
    read = watch.unrecorded() if watch is not None else ""
    event = NewEvent("push", router.name, entry.day, entry.candidate_hash, detail=read, outcome=step)
    with transaction(context.database) as session:
        audit.append(session, event)


def community_of(chosen: FlowSpec) -> Community:
    """The community that marks rules of this installation."""
    asn, _, number = chosen.community.partition(":")
    return Community(int(asn), int(number))
