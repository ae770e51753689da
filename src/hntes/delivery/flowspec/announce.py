"""Announcement of approved rules in place of earlier ones: compare, record, change, verify.

There is no trial: each rule is a separate route, and any mix of the two sets was approved for its pairs, so an
interrupted call is completed by calling again. A rule in neither set was not announced by HNTES and stops the call.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from hntes.delivery.flowspec.nlri import Community
from hntes.delivery.flowspec.rib import Speaker, SpeakerTable, announced, held_by, path_withdrawn, sent_by, withdrawn
from hntes.delivery.flowspec.rule import FlowSpecRule, in_order, rules_hash
from hntes.delivery.request import PushResult, always_allowed, not_watched
from hntes.delivery.timer import Timer
from hntes.platforms.device_errors import DeliveryError, DriftError, NotKeptError, StuckError, UnclearError

_SHOWN = 20
# How long to wait until the speaker has sent its changes to the neighbor.
SENDING_S = 10.0
POLL_S = 0.05

# The first words of the step before a change, and of the one after it was taken back; kept, it is "kept".
STARTS = "announcement starts"
TAKEN_BACK = "not verified"

Rules = frozenset[FlowSpecRule]


@dataclass(frozen=True)
class Announcement:
    """A request to announce rules to one router.

    before: the rules announced last, and those that an interrupted call was about to announce. after: the approved
    rules. neighbor: the router's address in the speaker. record: writes a step to the audit log before it is done, and
    its end. verify: raises on failure, such as of the operator's probes. unverified_since: the rules to restore if
    those of after may already be announced without a recorded verification. require_allowed: raises if rules of after
    may not arrive, or not stay without that verification; asked before anything is announced, and again before rules
    that have arrived are kept. before_push and on_trial: raise if the router's load is too high, as in `PushRequest`.
    """

    router: str
    before: Rules
    after: Rules
    community: Community
    neighbor: str
    record: Callable[[str], None]
    verify: Callable[[], None] = field(default=lambda: None)
    unverified_since: Rules | None = None
    require_allowed: Callable[[], None] = always_allowed
    before_push: Callable[[], None] = not_watched
    on_trial: Callable[[], None] = not_watched

    @property
    def name(self) -> str:
        return f"router {self.router}"


def announce(request: Announcement, speaker: Speaker, timer: Timer, *, commit: bool) -> PushResult:
    """Replaces the rules before by those after on a speaker; without `commit` only shows the changes.

    "held" means that the router is sent the rules, too, but without `commit` for those that may be unverified: the call
    with `commit` takes them back if they are not sent.

    Raises:
        DriftError: the speaker has rules with the community of HNTES in neither set; nothing was changed.
        NotKeptError: the verification failed, and the earlier rules are announced again.
        StuckError: the earlier rules could not be restored.
        DeliveryError: refused before any change, or the result is unknown: call again.
    """
    found = held_by(speaker, request.community)
    _require_known(request, found)
    _require_allowed(request, speaker, found.own, commit=commit)
    if not speaker.has_session(request.neighbor):
        raise DeliveryError(
            f"{request.name}: the speaker's session with {request.neighbor} is not up; nothing was changed"
        )
    leaving, coming = found.changes_to(request.after)
    if not leaving and not coming:
        return _held(request, speaker, timer, commit=commit)
    difference = _difference(leaving, coming, found.others)
    if not commit:
        return PushResult("shown", difference)
    _change(request, speaker, timer, found.own)
    return PushResult("done", difference)


def _require_allowed(request: Announcement, speaker: Speaker, own: Rules, *, commit: bool) -> None:
    """Asks about rules that come, and about those that a cut call left; on a refusal these do not stay."""
    unverified = _unverified(request, own)
    if not unverified and not request.after - own:
        return
    try:
        request.require_allowed()
    except Exception as refusal:
        if unverified and commit:
            _back(request, speaker, own, _verified_last(request, own), refusal)
        raise


def _unverified(request: Announcement, own: Rules) -> Rules:
    return frozenset() if request.unverified_since is None else own - request.unverified_since


def _verified_last(request: Announcement, own: Rules) -> Rules:
    """What stands if the rules after may not: without rules that nobody has verified, what the speaker holds."""
    return own if request.unverified_since is None or not _unverified(request, own) else request.unverified_since


def take_back(request: Announcement, speaker: Speaker, refusal: Exception) -> None:
    """Ends a cut call whose rules may not come after all: where some are announced, the earlier ones are restored.

    Raises:
        DriftError: as `announce`.
        NotKeptError: they are announced again, because of `refusal`.
        StuckError: they could not be restored.
    """
    found = held_by(speaker, request.community)
    _require_known(request, found)
    if _unverified(request, found.own):
        _back(request, speaker, found.own, _verified_last(request, found.own), refusal)


def _held(request: Announcement, speaker: Speaker, timer: Timer, *, commit: bool) -> PushResult:
    if request.unverified_since is None:
        _require_sent(request, speaker, timer)
        return PushResult("held")
    if not commit:
        return PushResult("held")
    _keep(request, speaker, timer, request.unverified_since)
    return PushResult("finished")


def take_away(request: Announcement, speaker: Speaker, *, commit: bool) -> PushResult:
    """Withdraws the rules that are not among those after, and announces none; without `commit` only shows them.

    It stands whatever else the speaker sends or does not, and without a session, too: a rule that is taken away in an
    emergency does not come back.

    Raises:
        DriftError: as `announce`.
        StuckError: the speaker still has one of them.
        DeliveryError: the result is unknown: call again.
    """
    found = held_by(speaker, request.community)
    _require_known(request, found)
    leaving = found.own - request.after
    if not leaving:
        return PushResult("held")
    difference = _difference(leaving, frozenset(), found.others)
    if not commit:
        return PushResult("shown", difference)
    _start(request, leaving, frozenset())
    _apply(request, speaker, leaving, frozenset())
    if left := held_by(speaker, request.community).own & leaving:
        raise StuckError(f"{request.name}: the speaker still holds {len(left)} of the rules; stop it to end them")
    request.record("kept")
    return PushResult("done", difference)


def verify(request: Announcement, speaker: Speaker, timer: Timer) -> None:
    """Raises DeliveryError unless the speaker holds and sends the rules after, and `request.verify` succeeds."""
    found = held_by(speaker, request.community)
    if found.own != request.after or found.unlike:
        raise DeliveryError(f"{request.name}: the speaker does not hold the approved rules")
    _require_sent(request, speaker, timer)
    request.verify()


def withdraw(
    router: str, community: Community, speaker: Speaker, record: Callable[[str], None], *, commit: bool
) -> PushResult:
    """Withdraws all local paths with the community of HNTES, whatever their content.

    Raises:
        StuckError: the speaker still has some of them.
        DeliveryError: the result is unknown: call again.
    """
    found = held_by(speaker, community)
    if not found.own_paths:
        return PushResult("held")
    lines = [f"- {rule}" for rule in in_order(found.own)] + [f"- {each}" for each in found.unlike]
    difference = "\n".join(_first(lines))
    if not commit:
        return PushResult("shown", difference)
    record(f"withdrawal of {len(found.own_paths)} FlowSpec rules starts")
    speaker.change([path_withdrawn(path) for path in found.own_paths])
    if left := held_by(speaker, community).own_paths:
        raise StuckError(f"router {router}: the speaker still holds {len(left)} rules of HNTES; stop it to end them")
    record("kept")
    return PushResult("done", difference)


def unknown_rules(found: SpeakerTable, known: Rules) -> list[str]:
    """Rules of HNTES in the speaker that are not among the known ones."""
    return [*(f"+ {rule}" for rule in in_order(found.own - known)), *(f"+ {each}" for each in found.unlike)]


def _require_known(request: Announcement, found: SpeakerTable) -> None:
    if unknown := unknown_rules(found, request.before | request.after):
        shown = "\n".join(_first(unknown))
        raise DriftError(
            f"{request.name}: the speaker has rules with community {request.community} that were not approved; "
            f"nothing was changed. Find out who announced them, or remove all with `hntes router remove`\n{shown}"
        )
    if taken := sorted(found.taken & {rule.pair for rule in request.after}, key=lambda pair: pair.sort_key):
        raise DeliveryError(
            f"{request.name}: the speaker has foreign rules for {taken[0]} and {len(taken) - 1} more of the "
            "approved pairs; nothing was changed. Withdraw those rules, or exclude the pairs"
        )


def _change(request: Announcement, speaker: Speaker, timer: Timer, earlier: Rules) -> None:
    leaving, coming = earlier - request.after, request.after - earlier
    request.before_push()
    _start(request, leaving, coming)
    _apply(request, speaker, leaving, coming)
    _keep(request, speaker, timer, _verified_last(request, earlier))


def _start(request: Announcement, leaving: Rules, coming: Rules) -> None:
    request.record(f"{STARTS}: {len(coming)} added, {len(leaving)} withdrawn, to rules {rules_hash(request.after)}")


def _keep(request: Announcement, speaker: Speaker, timer: Timer, earlier: Rules) -> None:
    """Verifies the announcement; without an answer it stays as it is, for the next call."""
    try:
        verify(request, speaker, timer)
        request.on_trial()
        if request.after - earlier:
            request.require_allowed()
        request.record("kept")
    except UnclearError:
        raise
    except Exception as cause:  # noqa: BLE001 - no unverified rules may stay, whatever the error
        _back(request, speaker, request.after, earlier, cause)


def _apply(request: Announcement, speaker: Speaker, leaving: Rules, coming: Rules) -> None:
    """Withdraws before it announces, so that the router never has more rules than before or after."""
    pairs = {rule.pair for rule in coming}
    gone = [withdrawn(rule) for rule in in_order(leaving) if rule.pair not in pairs]
    speaker.change([*gone, *(announced(rule, request.community) for rule in in_order(coming))])


def _back(request: Announcement, speaker: Speaker, announced_now: Rules, earlier: Rules, cause: Exception) -> None:
    _apply(request, speaker, announced_now - earlier, earlier - announced_now)
    if held_by(speaker, request.community).own != earlier:
        raise StuckError(f"{request.name}: {cause}; and the speaker does not hold the earlier rules again") from cause
    request.record(f"{TAKEN_BACK}: the earlier rules are announced again")
    raise NotKeptError(f"{request.name}: {cause}; the earlier rules are announced again") from cause


def _require_sent(request: Announcement, speaker: Speaker, timer: Timer) -> None:
    """Requires that the neighbor is sent exactly the rules after: export policies could drop or change some."""
    sent = settled(speaker, request.community, request.neighbor, request.after, timer)
    own, unlike = (sent.own, sent.unlike) if sent is not None else (frozenset(), ())
    if sent is None or own != request.after or unlike:
        raise DeliveryError(
            f"{request.name}: {request.neighbor} is not sent the announced rules: {len(request.after - own)} rules are "
            f"missing, {len(own - request.after) + len(unlike)} unexpected; check its policies and its session"
        )


def settled(
    speaker: Speaker, community: Community, neighbor: str, wanted: Rules, timer: Timer
) -> SpeakerTable | None:  # fmt: skip
    """What a neighbor is sent, once that is what is wanted, at the latest after SENDING_S; None without a session."""
    deadline_s = timer.now_s() + SENDING_S
    while True:
        sent = sent_by(speaker, community, neighbor)
        is_up = speaker.has_session(neighbor)
        if is_up and sent.own == wanted and not sent.unlike:
            return sent
        if timer.now_s() >= deadline_s:
            return sent if is_up else None
        timer.sleep(POLL_S)


def _difference(leaving: Rules, coming: Rules, others: int) -> str:
    lines = [*(f"- {rule}" for rule in in_order(leaving)), *(f"+ {rule}" for rule in in_order(coming))]
    if others:
        lines.append(f"{others} foreign rules are not touched")
    return "\n".join(lines)


def _first(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _SHOWN else [*lines[:_SHOWN], f"and {len(lines) - _SHOWN} more"]
