"""From the rules that were announced before to those that are approved: compare, record, change, read back.

There is no trial: each rule is a route of its own, and any part of the two sets is a state that was approved for its
pairs. So a call that was cut is ended by calling again. A rule that is in neither set was not announced by HNTES: it
stops the call.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from hntes.delivery.flowspec.nlri import Community
from hntes.delivery.flowspec.rib import Held, Speaker, announced, held_by, path_withdrawn, sent_by, withdrawn
from hntes.delivery.flowspec.rule import FlowSpecRule, in_order, rules_hash
from hntes.delivery.request import PushResult
from hntes.delivery.timer import Timer
from hntes.platforms.device_errors import DeliveryError, DriftError, NotKeptError, StuckError, UnclearError

_SHOWN = 20
# For how long the speaker is asked until a neighbor is sent what it was told.
SENDING_S = 10.0
POLL_S = 0.05

Rules = frozenset[FlowSpecRule]


@dataclass(frozen=True)
class Announcement:
    """What one speaker is to announce to one router.

    before: what was announced last, and what a call that was cut was about to announce. after: what is approved.
    neighbor: the router's address, as the speaker knows it. record: tells the audit log of a step before it is done,
    and of how it ended. verify: raises unless all is well, such as the operator's probes. unverified_since: the rules
    to go back to, where those of after may be announced already and the log does not say that they were verified.
    """

    router: str
    before: Rules
    after: Rules
    community: Community
    neighbor: str
    record: Callable[[str], None]
    verify: Callable[[], None] = field(default=lambda: None)
    unverified_since: Rules | None = None

    @property
    def name(self) -> str:
        return f"router {self.router}"


def announce(request: Announcement, speaker: Speaker, timer: Timer, *, commit: bool) -> PushResult:
    """Brings a speaker from the rules before to those after; without `commit` it only shows what would change.

    Raises:
        DriftError: the speaker holds rules with the community of HNTES that are in neither set; nothing was changed.
        NotKeptError: the rules were not verified, and the speaker holds those of before again.
        StuckError: it does not hold them again.
        DeliveryError: refused before anything was changed, or how it ended is not known: call again.
    """
    found = held_by(speaker, request.community)
    _require_known(request, found)
    leaving, coming = found.changes_to(request.after)
    difference = _difference(leaving, coming, found.others)
    if not commit:
        return PushResult("shown", difference) if leaving or coming else PushResult("held")
    if not speaker.has_session(request.neighbor):
        raise DeliveryError(
            f"{request.name}: the speaker's session with {request.neighbor} is not up; nothing was changed"
        )
    if not leaving and not coming and request.unverified_since is not None:
        _keep(request, speaker, timer, request.unverified_since)
        return PushResult("finished")
    if not leaving and not coming:
        _require_sent(request, speaker, timer)
        return PushResult("held")
    _change(request, speaker, timer, found.own)
    return PushResult("done", difference)


def verify(request: Announcement, speaker: Speaker, timer: Timer) -> None:
    """Raises DeliveryError unless the speaker holds the rules after, sends them, and all else is well."""
    found = held_by(speaker, request.community)
    if found.own != request.after or found.unlike:
        raise DeliveryError(f"{request.name}: the speaker does not hold the approved rules")
    _require_sent(request, speaker, timer)
    request.verify()


def withdraw(
    router: str, community: Community, speaker: Speaker, record: Callable[[str], None], *, commit: bool
) -> PushResult:
    """Withdraws all that has the community of HNTES and that the speaker was told itself, whatever it says.

    Raises:
        StuckError: the speaker holds some of it after the withdrawal.
        DeliveryError: how it ended is not known: call again.
    """
    found = held_by(speaker, community)
    if not found.own_paths:
        return PushResult("held")
    lines = [f"- {rule}" for rule in in_order(found.own)] + [f"- {each}" for each in found.unlike]
    difference = "\n".join(_first(lines))
    if not commit:
        return PushResult("shown", difference)
    record(f"withdrawal of {len(found.own_paths)} FlowSpec rules begins")
    speaker.change([path_withdrawn(path) for path in found.own_paths])
    if left := held_by(speaker, community).own_paths:
        raise StuckError(f"router {router}: the speaker still holds {len(left)} rules of HNTES; stop it to end them")
    record("kept")
    return PushResult("done", difference)


def unknown_rules(found: Held, known: Rules) -> list[str]:
    """What the speaker holds as HNTES' own that is not among the known rules."""
    return [*(f"+ {rule}" for rule in in_order(found.own - known)), *(f"+ {each}" for each in found.unlike)]


def _require_known(request: Announcement, found: Held) -> None:
    if unknown := unknown_rules(found, request.before | request.after):
        shown = "\n".join(_first(unknown))
        raise DriftError(
            f"{request.name}: the speaker holds rules with community {request.community} that were not approved; "
            f"nothing was changed. Ask who announced them, or remove all with `hntes router remove`\n{shown}"
        )
    if taken := sorted(found.taken & {rule.pair for rule in request.after}, key=lambda pair: pair.sort_key):
        raise DeliveryError(
            f"{request.name}: somebody else told the speaker a rule for {taken[0]} and {len(taken) - 1} more of the "
            "approved pairs; nothing was changed. Have theirs withdrawn, or exclude the pairs"
        )


def _change(request: Announcement, speaker: Speaker, timer: Timer, earlier: Rules) -> None:
    leaving, coming = earlier - request.after, request.after - earlier
    request.record(
        f"announcement begins: {len(coming)} come, {len(leaving)} leave, to rules {rules_hash(request.after)}"
    )
    _apply(request, speaker, leaving, coming)
    _keep(request, speaker, timer, earlier)


def _keep(request: Announcement, speaker: Speaker, timer: Timer, earlier: Rules) -> None:
    """Verifies what is announced; without an answer it stays as it is, for the next call."""
    try:
        verify(request, speaker, timer)
        request.record("kept")
    except UnclearError:
        raise
    except Exception as cause:  # noqa: BLE001 - whatever went wrong, nothing unverified stays
        _back(request, speaker, earlier, cause)


def _apply(request: Announcement, speaker: Speaker, leaving: Rules, coming: Rules) -> None:
    """What leaves goes first: the router never holds more rules than before or after. A changed rule is replaced."""
    pairs = {rule.pair for rule in coming}
    gone = [withdrawn(rule) for rule in in_order(leaving) if rule.pair not in pairs]
    speaker.change([*gone, *(announced(rule, request.community) for rule in in_order(coming))])


def _back(request: Announcement, speaker: Speaker, earlier: Rules, cause: Exception) -> None:
    _apply(request, speaker, request.after - earlier, earlier - request.after)
    if held_by(speaker, request.community).own != earlier:
        raise StuckError(f"{request.name}: {cause}; and the speaker does not hold the earlier rules again") from cause
    request.record("not verified: the earlier rules are announced again")
    raise NotKeptError(f"{request.name}: {cause}; the earlier rules are announced again") from cause


def _require_sent(request: Announcement, speaker: Speaker, timer: Timer) -> None:
    """The neighbor is sent exactly the rules after: a policy of the speaker's could hold some back, or change them."""
    deadline_s = timer.now_s() + SENDING_S
    while True:
        sent = sent_by(speaker, request.community, request.neighbor)
        if sent.own == request.after and not sent.unlike and speaker.has_session(request.neighbor):
            return
        if timer.now_s() >= deadline_s:
            missing = len(request.after - sent.own)
            raise DeliveryError(
                f"{request.name}: {request.neighbor} is not sent the announced rules: {missing} rules are missing, "
                f"{len(sent.own - request.after) + len(sent.unlike)} unexpected; check its policies and its session"
            )
        timer.sleep(POLL_S)


def _difference(leaving: Rules, coming: Rules, others: int) -> str:
    lines = [*(f"- {rule}" for rule in in_order(leaving)), *(f"+ {rule}" for rule in in_order(coming))]
    if others:
        lines.append(f"{others} rules of others are left alone")
    return "\n".join(lines)


def _first(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _SHOWN else [*lines[:_SHOWN], f"and {len(lines) - _SHOWN} more"]
