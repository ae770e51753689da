"""Removal of HNTES, or of one pair, from a router: needs only settings and files, not the database.

For a pair, the text before is the delivered one that the router holds. The text after is rendered from that text's
model without the pair, parsed by the closed grammar and compared with the model before the router is contacted. It is
kept in `candidates` and `delivery/reduced` for the next removal and for the record.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hntes.delivery.access import opener, speaker_of
from hntes.delivery.flowspec.announce import Announcement, take_away
from hntes.delivery.flowspec.rib import held_by
from hntes.delivery.flowspec.rule import in_order
from hntes.delivery.journal import Entry, Journal
from hntes.delivery.push import push
from hntes.delivery.request import PushRequest, PushResult, sha256
from hntes.delivery.timer import Timer
from hntes.delivery.verify import check_effect, check_part
from hntes.etl.locks import locked
from hntes.platforms.device import Device, held
from hntes.platforms.device_errors import DeliveryError, DriftError
from hntes.platforms.dialect import Dialect
from hntes.rules.changeset.candidate import Candidate, CandidateStoreError, read_candidate
from hntes.rules.pairs import PrefixPair
from hntes.settings import Settings
from hntes.settings.flowspec import FlowSpec
from hntes.settings.model import Router
from hntes.workflow.delivery.flowspec_delivery import announced_rules, community_of, withdraw_announced
from hntes.workflow.delivery.handed_over import last_text
from hntes.workflow.delivery.removal_log import RemovalLog
from hntes.workflow.delivery.without_pair import keep, known_texts, reduced, wider_pairs
from hntes.workflow.errors import CommandError

_SHOWN = 20
_NOT_ENDED = (
    "another push is unfinished; `hntes router deliver --commit` ends it, `hntes router remove --commit` without a "
    "pair removes all of HNTES"
)


@dataclass(frozen=True)
class PairRemoval:
    """The result of a pair's removal; `pushed` is None if the router has no term for exactly this pair.

    `wider` are remaining pairs that match all of its packets, too.
    """

    pushed: PushResult | None
    wider: tuple[PrefixPair, ...]


def remove_all(
    settings: Settings, router: Router, timer: Timer, *, commit: bool, confirms_others: bool = False
) -> PushResult:
    """Removes everything that HNTES owns on a router; without `commit` only shows it.

    The removal is committed on trial, verified over a second connection, and confirmed. Another user's commit that
    awaits its confirmation (Junos) stops it, unless `confirms_others`.

    Raises:
        DeliveryError: see `delivery.push.push`; or the router has no driver or no [routers.delivery].
        LockedError: another process delivers to this router.
    """
    record = RemovalLog(settings.paths.output, router.name).add
    with _locked(settings, router):
        if router.flowspec is not None:
            pushed = withdraw_announced(settings, router, router.flowspec, record, commit=commit)
        else:
            minutes = settings.delivery.confirm_minutes
            request = PushRequest(
                router.name, None, None, None, minutes, _check_nothing, record, takes_anything=True,
                begun_text=partial(_text_of, settings, router), confirms_others=confirms_others,
            )  # fmt: skip
            opened = opener(router, settings.delivery.timeout_s)
            pushed = push(request, opened, _journal(settings, router), timer, commit=commit)
        if commit and pushed.outcome == "held":
            record("held")
    return pushed


def remove_pair(settings: Settings, router: Router, pair: PrefixPair, timer: Timer, *, commit: bool) -> PairRemoval:
    """Removes one pair from the configuration of a router and keeps the rest; without `commit` only shows the change.

    For a router with FlowSpec delivery the rule is withdrawn from its speaker. The probes are not run: a pair that is
    removed in an emergency must not come back because a probe fails.

    Raises:
        CandidateStoreError: the text's model is lost or altered.
        CommandError: no delivered text is known, or this version renders it differently.
        DeliveryError: see `delivery.push.push` and `delivery.flowspec.announce.take_away`; or another push is
            unfinished.
        DriftError: the router holds, or its speaker announces, none of the known texts.
        LockedError: another process delivers to this router.
    """
    with _locked(settings, router):
        if router.flowspec is not None:
            return _remove_rule(settings, router, router.flowspec, pair, commit=commit)
        return _remove_term(settings, router, pair, timer, commit=commit)


def _remove_term(settings: Settings, router: Router, pair: PrefixPair, timer: Timer, *, commit: bool) -> PairRemoval:
    journal = _journal(settings, router)
    begun = journal.entry()
    base = _begun(settings, router, begun) if begun else _held(settings, router)
    wider = wider_pairs(base, pair)
    if pair not in base.pairs:
        return PairRemoval(None, wider)
    less = reduced(base, pair)
    if begun is not None and begun.after_sha256 != less.hash:
        raise DeliveryError(f"router {router.name}: {_NOT_ENDED}")
    if commit:
        keep(_folder(settings, router), less)
    record = partial(RemovalLog(settings.paths.output, router.name).add, pair=str(pair), candidate_hash=less.hash)
    request = PushRequest(
        router.name, base.text, less.text, None, settings.delivery.confirm_minutes, partial(_verify, less), record,
        judge=partial(_judge, less),
    )  # fmt: skip
    return PairRemoval(push(request, opener(router, settings.delivery.timeout_s), journal, timer, commit=commit), wider)


def _remove_rule(
    settings: Settings, router: Router, chosen: FlowSpec, pair: PrefixPair, *, commit: bool
) -> PairRemoval:
    log = RemovalLog(settings.paths.output, router.name)
    speaker = speaker_of(router.name, chosen, settings.delivery.timeout_s)
    try:
        own = held_by(speaker, community_of(chosen)).own
        base = _known(
            settings, router, lambda each: announced_rules(router, each) == own,
            lambda: [f"+ {rule}" for rule in in_order(own)[:_SHOWN]],
            "its speaker announces rules that match no delivered configuration",
        )  # fmt: skip
        wider = wider_pairs(base, pair)
        if pair not in base.pairs:
            return PairRemoval(_end_cut_removal(log, base, pair) if commit else None, wider)
        less = reduced(base, pair)
        if commit:
            keep(_folder(settings, router), less)
        request = Announcement(
            router.name, announced_rules(router, base), announced_rules(router, less), community_of(chosen),
            str(chosen.neighbor), partial(log.add, pair=str(pair), candidate_hash=less.hash),
        )  # fmt: skip
        return PairRemoval(take_away(request, speaker, commit=commit), wider)
    finally:
        speaker.close()


def _end_cut_removal(log: RemovalLog, base: Candidate, pair: PrefixPair) -> PushResult | None:
    """Ends an earlier removal of this pair that was interrupted after its change."""
    with log.locked():
        waiting = log.read()
    last = waiting[-1] if waiting else None
    if last is None or (last.pair, last.candidate_hash) != (str(pair), base.hash) or last.step == "kept":
        return None
    log.add("kept", pair=str(pair), candidate_hash=base.hash)
    return PushResult("finished")


def _begun(settings: Settings, router: Router, begun: Entry) -> Candidate:
    """The text that a router held before the unfinished push."""
    if begun.before_sha256 is None:
        raise DeliveryError(f"router {router.name}: {_NOT_ENDED}")
    return read_candidate(_folder(settings, router), begun.before_sha256)


def _text_of(settings: Settings, router: Router, text_sha256: str) -> str | None:
    try:
        return read_candidate(_folder(settings, router), text_sha256).text
    except CandidateStoreError:
        return None


def _held(settings: Settings, router: Router) -> Candidate:
    """The delivered text that a router holds."""
    _, text = last_text(settings.paths.output, router)
    device = opener(router, settings.delivery.timeout_s)()
    try:
        dialect, holds = device.dialect, held(device)
    finally:
        device.close()
    return _known(
        settings, router, lambda each: dialect.part_of(each.text) == holds,
        lambda: holds.differences(dialect.part_of(text)),
        "its running configuration differs from the last delivery (- missing, + unexpected)",
    )  # fmt: skip


def _known(
    settings: Settings, router: Router, is_there: Callable[[Candidate], bool], shown: Callable[[], Iterable[str]],
    what: str,
) -> Candidate:  # fmt: skip
    """The delivered text that matches, newest first."""
    folder, lost = _folder(settings, router), []
    for name in known_texts(folder, sha256(last_text(settings.paths.output, router)[1])):
        try:
            candidate = read_candidate(folder, name)
            if is_there(candidate):
                return candidate
        except (CandidateStoreError, CommandError) as cause:
            lost.append(str(cause))
    lines = "\n".join([*shown(), *lost])
    raise DriftError(
        f"router {router.name}: {what}; nothing was changed. To remove everything of HNTES, run `hntes router remove "
        f"--router {router.name}`\n{lines}"
    )


def _locked(settings: Settings, router: Router) -> AbstractContextManager[None]:
    return locked(_folder(settings, router) / ".locks" / "push", f"push to {router.name}", wait_s=1.0)


def _folder(settings: Settings, router: Router) -> Path:
    return settings.paths.output / router.name


def _journal(settings: Settings, router: Router) -> Journal:
    return Journal(_folder(settings, router) / "delivery" / "journal.json")


def _check_nothing(device: Device) -> None:
    check_part(device.dialect, device.running(), None)


def _verify(less: Candidate, device: Device) -> None:
    check_part(device.dialect, device.running(), less.text)
    _judge(less, device.dialect, device.inherited())


def _judge(less: Candidate, dialect: Dialect, configuration: str) -> None:
    check_effect(dialect, configuration, less.text, less.model.interfaces)
