"""One pair's rule is withdrawn from a router's speaker, from settings and files alone; all other rules stay."""

from functools import partial
from pathlib import Path

from hntes.delivery.access import speaker_of
from hntes.delivery.flowspec.announce import Announcement, announce
from hntes.delivery.flowspec.rib import held_by
from hntes.delivery.flowspec.rule import in_order
from hntes.delivery.request import Pushed, sha256
from hntes.delivery.timer import Pace
from hntes.etl.locks import locked
from hntes.platforms.device_errors import DriftError
from hntes.rules.changeset.candidate import Candidate, CandidateStoreError, read_candidate
from hntes.rules.pairs import PrefixPair
from hntes.settings import Settings
from hntes.settings.flowspec import FlowSpec
from hntes.settings.model import Router
from hntes.workflow.delivery.flowspec_delivery import Rules, announced_rules, community_of
from hntes.workflow.delivery.handed_over import last_text
from hntes.workflow.delivery.pair_removal import PairWithdrawal, keep, known_texts, reduced, wider_pairs
from hntes.workflow.delivery.withdrawal_steps import WithdrawalSteps
from hntes.workflow.errors import CommandError

_SHOWN = 20


def withdraw_announced_pair(
    settings: Settings, router: Router, chosen: FlowSpec, pair: PrefixPair, pace: Pace, *, commit: bool
) -> PairWithdrawal:
    """Withdraws the rule of a pair; without `commit` it only shows that.

    The probes are not run: a pair that is withdrawn in need does not come back because one of them fails.

    Raises:
        CandidateStoreError: the text's model is lost or changed.
        CommandError: no delivered text is known, or this version renders it in another way.
        DeliveryError: see `delivery.flowspec.announce.announce`.
        DriftError: the speaker announces the rules of none of the texts that are known.
        LockedError: another process delivers to this router.
    """
    folder = settings.paths.output / router.name
    steps = WithdrawalSteps(settings.paths.output, router.name)
    with locked(folder / ".locks" / "push", f"push to {router.name}", wait_s=1.0):
        speaker = speaker_of(router.name, chosen, settings.delivery.timeout_s)
        try:
            base = _announced(settings.paths.output, router, held_by(speaker, community_of(chosen)).own)
            wider = wider_pairs(base, pair)
            if pair not in base.pairs:
                return PairWithdrawal(_ended(steps, base, pair) if commit else None, wider)
            less = reduced(base, pair)
            if commit:
                keep(folder, less)
            order = Announcement(
                router.name, announced_rules(router, base), announced_rules(router, less), community_of(chosen),
                str(chosen.neighbor), partial(steps.add, pair=str(pair), candidate_hash=less.hash),
            )  # fmt: skip
            return PairWithdrawal(announce(order, speaker, pace, commit=commit), wider)
        finally:
            speaker.close()


def _announced(output: Path, router: Router, own: Rules) -> Candidate:
    """The delivered text whose rules a speaker announces."""
    _, text = last_text(output, router)
    lost = []
    for name in known_texts(output / router.name, sha256(text)):
        try:
            candidate = read_candidate(output / router.name, name)
            if announced_rules(router, candidate) == own:
                return candidate
        except (CandidateStoreError, CommandError) as cause:
            lost.append(str(cause))
    shown = "\n".join([*(f"+ {rule}" for rule in in_order(own)[:_SHOWN]), *lost])
    raise DriftError(
        f"router {router.name}: its speaker announces the rules of none of the texts that were delivered; nothing was "
        f"changed. `hntes router remove --router {router.name}` withdraws all of HNTES, whatever it is\n{shown}"
    )


def _ended(steps: WithdrawalSteps, base: Candidate, pair: PrefixPair) -> Pushed | None:
    """Ends an earlier call that was cut behind its change, if that was the pair's."""
    with steps.locked():
        waiting = steps.read()
    last = waiting[-1] if waiting else None
    if last is None or (last.pair, last.candidate_hash) != (str(pair), base.hash) or last.step == "kept":
        return None
    steps.add("kept", pair=str(pair), candidate_hash=base.hash)
    return Pushed("finished")
