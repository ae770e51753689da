"""The authority of a delivery: what was approved must still be allowed at the moment at which it goes to a router.

Hours or days lie between an approval and its delivery. Exclusions, pins, protected prefixes, quotas, limits, settings
and the running configuration of now decide; what no longer holds is refused by name, with the way on.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from hntes import clock
from hntes.delivery.journal import Entry
from hntes.etl.days import day_of_ms
from hntes.format import counted, rfc3339
from hntes.platforms.conflict import CollisionError
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.columns import PairColumns
from hntes.rules.lifetime.evenings import exclusion_hits
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.rules.lifetime.rule import pinned_pair
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.reserved import Reserved, reserved_of, without_reserved
from hntes.settings.model import Router
from hntes.sql import audit, changes, day_status, judgements, overrides, reservations
from hntes.sql.change import Change
from hntes.sql.entries import AuditEventEntry, AuditKind, ExclusionEntry
from hntes.sql.session import Session, reading, transaction
from hntes.sql.verdicts import blocking_reasons
from hntes.workflow.audit_checks import require_chained, verified_decisions
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.judgement import judgement_now
from hntes.workflow.protected import built_in_exclusions
from hntes.workflow.reservations.forbidden import forbidding
from hntes.workflow.reservations.ports import section_of
from hntes.workflow.reservations.quota_coverage import is_by_quota, quota_reasons
from hntes.workflow.router_state import RouterState
from hntes.workflow.running_configuration import fitted
from hntes.workflow.stages.rules_as_of import rules_as_of

# More objections are counted, not listed.
SHOWN = 20
# The parts of a judgement that settings decide, and no measurement.
_SETTINGS = ("limits", "plan")


class AuthorityError(CommandError):
    """What was approved is no longer allowed; nothing was delivered."""


def require_authority(
    context: Context, state: RouterState, candidate: Candidate, approvals: Sequence[AuditEventEntry]
) -> None:
    """Refuses a text that could not be approved now, by each of its objections.

    Rules that the router was reported to run already do not arrive by this delivery: of them only what is added,
    the reservations, is asked about. `require_arrival` asks again once the router has said what it holds.

    Args:
        context: The context.
        state: The router's state, with the change that is due.
        candidate: The text of that change.
        approvals: The events that approved it.

    Raises:
        AuthorityError: names what no longer holds, and the way on.
        CommandError: what a router's running configuration protects is not known.
    """
    if not state.runs_due:
        held_hash, has_rules = state.reported_hash, state.runs_rules
        asked = _objections(context, state, candidate, approvals, held_hash, clock.now_s(), has_rules=has_rules)
        _refuse(state, asked)


def require_arrival(
    context: Context, state: RouterState, candidate: Candidate, held_hash: str | None, begun_s: int
) -> None:
    """As `require_authority`, for a router that was seen to hold a text, or had it before the trial that goes on.

    Reports do not count: somebody may have undone what was delivered, and then it arrives anew.

    Args:
        held_hash: The hash of that text, None for nothing of HNTES.
        begun_s: When the delivery began, epoch s: a reservation that ends in the middle of it is ended by the next one,
            and does not keep the rules from arriving.
    """
    with reading(context.database) as session:
        asked = tuple(dict.fromkeys((state.rules, state.due)))
        approvals = verified_decisions(session, asked, context.settings.paths.audit_anchors)
    has_rules = _is_alike(context, state.router, candidate, held_hash)
    _refuse(state, _objections(context, state, candidate, approvals, held_hash, begun_s, has_rules=has_rules))


def require_kept(context: Context, state: RouterState, begun: Entry) -> None:
    """As `require_arrival`, for the text of an interrupted push that may still be on trial.

    One without a day is what the removal of a pair left, which is always allowed.
    """
    if begun.day is None or begun.after_sha256 is None:
        return
    name = state.router.name
    with reading(context.database) as session:
        known = (changes.nightly_change(session, name, begun.day), *changes.scheduled_changes(session, name))
    about = (begun.after_sha256, begun.day, "approved")
    due = next((one for one in known if one and (one.candidate_hash, one.day, one.state) == about), None)
    if due is None:
        raise AuthorityError(f"router {name}: the text {begun.after_sha256[:12]} on trial is no longer approved")
    candidate = known_candidate(context, state.router, due.candidate_hash)
    require_arrival(context, replace(state, rules=due, due=due), candidate, begun.before_sha256, clock.now_s())


def _is_alike(context: Context, router: Router, candidate: Candidate, held_hash: str | None) -> bool:
    """Whether a text differs from the candidate in reservations alone."""
    if held_hash is None:
        return False
    held = known_candidate(context, router, held_hash)
    return without_reserved(held.model) == without_reserved(candidate.model)


def _refuse(state: RouterState, objections: Iterable[str]) -> None:
    found = list(objections)
    if not found:
        return
    shown = found[:SHOWN] + ([f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else [])
    listed = "\n".join(f"  {each}" for each in shown)
    raise AuthorityError(
        f"router {state.router.name}: the text approved for {state.due.day} may no longer be delivered:\n{listed}\n"
        f"{_way_on(state)}"
    )


def _way_on(state: RouterState) -> str:
    name = state.router.name
    if state.due.is_scheduled:
        return f"nothing was delivered. Propose again (`hntes reserve propose --router {name}`), approve, deliver"
    return (
        f"nothing was delivered. Propose again (`hntes nightly --router {name}` for the newest day, or `hntes stage "
        f"judge --router {name} --day {state.due.day}` where only limits or settings changed), approve, deliver"
    )


def _objections(
    context: Context, state: RouterState, candidate: Candidate, approvals: Sequence[AuditEventEntry],
    held_hash: str | None, begun_s: int, *, has_rules: bool,
) -> Iterator[str]:  # fmt: skip
    """held_hash: the text that the router holds. has_rules: it has these rules, only reservations may be others."""
    router, due = state.router, state.due
    if not has_rules:
        yield from _excluded(context, router, due.day, candidate.pairs)
        yield from _unpinned(context, router, due, candidate)
        yield from _over_budget(router, candidate)
        # a text that nobody approved on a judgement has none to compare with
        if any(each.judgement_id for each in approvals):
            yield from _unlike_judged(context, router, due, candidate)
    running = _running(context, router, held_hash)
    yield from _reserved(context, router, candidate, running, begun_s)
    yield from _without_quota(context, router, due, candidate, approvals, running)


def _excluded(context: Context, router: Router, day: date, pairs: Iterable[PrefixPair]) -> Iterator[str]:
    ordered = sorted(pairs, key=lambda each: each.sort_key)
    columns = PairColumns.of(ordered)
    for entry in _exclusions_now(context, router, day):
        hits = exclusion_hits(columns, entry)
        for row in hits.nonzero()[0].tolist():
            yield f"{ordered[row]}: excluded now by {entry.owner} ({entry.side} {entry.prefix}): {entry.reason}"


def _exclusions_now(context: Context, router: Router, day: date) -> list[ExclusionEntry]:
    """Those that hold now, and those of the change's own day, which were made after its proposal."""
    today = clock.today()
    with reading(context.database) as session:
        stored = overrides.exclusions(session, router.name)
        days = {day, *_days_now(session, "exclude")}
    lasting = [each for each in stored if each.withdrawn_day is None or each.withdrawn_day > today]
    active = [each for each in lasting if any(each.active_on(one) for one in days)]
    return [*(each for each in active if each.covers(router.name)), *built_in_exclusions(context, must_know=True)]


def _moments_ms(session: Session, decision: AuditKind) -> tuple[int, ...]:
    """The moments that may be now, epoch ms: the clock's, and each later one at which somebody decided so.

    The clock was set back since, or was ahead then: either way what was decided at once holds now.
    """
    now_ms = clock.now_ms()
    later = audit.events(session, kinds=(decision,), since_ms=now_ms)
    return now_ms, *(each.time_ms for each in later)


def _days_now(session: Session, decision: AuditKind) -> set[date]:
    """The days that may be today, as `_moments_ms`."""
    return {day_of_ms(each_ms) for each_ms in _moments_ms(session, decision)}


def _unpinned(context: Context, router: Router, due: Change, candidate: Candidate) -> Iterator[str]:
    """The pairs that were kept by a pin alone which has ended since, and that no later night has seen either.

    One that was seen since would be proposed now: the next proposal changes nothing, and nobody could approve it.
    """
    with reading(context.database) as session:
        known = overrides.pins(session, router.name)
        today = _days_now(session, "unpin")
        newest = day_status.newest_days(session).get(router.name)
    days = {due.day} if newest is None else {due.day, max(due.day, newest.day)}
    lasting = {pinned_pair(pin) for pin in known if all(pin.active_on(each) for each in today)}
    ended = {pinned_pair(pin): pin for pin in known if pin.active_on(due.day) or pin.withdrawn_day is not None}
    for pair in sorted((ended.keys() - lasting) & candidate.pairs, key=lambda each: each.sort_key):
        if not any(_is_rule(context, router, day, pair) for day in sorted(days)):
            pin = ended[pair]
            yield f"{pair}: was kept by the pin of {pin.owner} ({pin.reason}), which has ended"


def _is_rule(context: Context, router: Router, day: date, pair: PrefixPair) -> bool:
    """Whether a pair had a rule as of a day without its pins."""
    search = PairSearch(source=pair.source, destination=pair.destination)
    rules = rules_as_of(context, router, day, about=search, without_pins_of=frozenset({pair})).rule_set.rules
    return any(rule.pair == pair and not rule.protected for rule in rules)


def _over_budget(router: Router, candidate: Candidate) -> Iterator[str]:
    if len(candidate.pairs) > router.term_budget:
        yield f"it has {counted(len(candidate.pairs), 'pair')}, and the term budget is {router.term_budget} now"


def _unlike_judged(context: Context, router: Router, due: Change, candidate: Candidate) -> Iterator[str]:
    """Whether the gate passed this text, under the limits and settings of now, beside what the router runs now.

    Every text counts, one without pairs and one that a scheduled change falls back to, too.
    """
    with reading(context.database) as session:
        reasons = blocking_reasons(session, router.name, candidate.hash)
        stored = judgements.judgement_of(session, router.name, candidate.hash)
    yield from reasons
    if stored is None:
        return
    now = judgement_now(context, router, due, candidate)
    yield from judgements.changed_parts(judgements.without_running(stored), judgements.without_running(now), _SETTINGS)
    if stored.plan != now.plan:
        yield from _conflicts(router, candidate)


def _conflicts(router: Router, candidate: Candidate) -> Iterator[str]:
    try:
        model = fitted(router, candidate.model)
    except CollisionError as problem:
        yield f"the running configuration has changed since it was judged: {problem}"
        return
    if model != candidate.model:
        yield "the running configuration has changed since it was judged: statements of it would be displaced"


def _running(context: Context, router: Router, held_hash: str | None) -> tuple[Reserved, ...]:
    """What the router polices already: its exclusion must not stop the end of another reservation."""
    return () if held_hash is None else reserved_of(known_candidate(context, router, held_hash).model)


def _reserved(
    context: Context, router: Router, candidate: Candidate, running: Collection[Reserved], begun_s: int
) -> Iterator[str]:
    promised = reserved_of(candidate.model)
    if not promised:
        return
    lead_s = section_of(context.settings).lead_s
    with reading(context.database) as session:
        standing = {each.entry.number: each.entry for each in reservations.standing(session, 0)}
        forbidding_here = forbidding(context, session, router.name, must_know=True, running=running)
        moments_s = [each_ms // 1000 for each_ms in _moments_ms(session, "exclude")]
    for each in promised:
        number = each.name.rpartition("-")[2]
        if not number.isdecimal():
            continue
        booked = standing.get(int(number))
        if booked is None:
            yield f"reservation {number} ({each.pair}) was cancelled"
        elif booked.end_s <= begun_s:
            yield f"reservation {number} ({each.pair}) has ended"
        elif booked.start_s - lead_s > clock.now_s():
            # no text has one before: this machine's clock was right when the text was made, or is now
            begins = rfc3339(1000 * booked.start_s)
            yield f"reservation {number} ({each.pair}) begins at {begins} only; look at the clock of this machine"
    pairs = {each.name: each.pair for each in promised}
    forbidden = {name: why for each_s in moments_s for name, why in forbidding_here.forbids(promised, each_s).items()}
    for name, why in forbidden.items():
        yield f"{name} ({pairs[name]}) {why}"


def _without_quota(
    context: Context, router: Router, due: Change, candidate: Candidate, approvals: Sequence[AuditEventEntry],
    running: Collection[Reserved],
) -> Iterator[str]:  # fmt: skip
    """Why the quotas no longer cover a change that they approved."""
    by_quota = [each for each in approvals if each.change_id == due.change_id and is_by_quota(each.who)]
    if not by_quota or due.base_hash is None:
        return
    base = known_candidate(context, router, due.base_hash)
    with transaction(context.database) as session:
        covered = quota_reasons(context, session, router, due, base, candidate, running)
        require_chained(session, covered.events, context.settings.paths.audit_anchors)
    yield from covered.reasons
