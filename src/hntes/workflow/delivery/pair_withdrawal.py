"""One pair's terms are taken off a router, from settings and files alone; all else that is there stays.

The text before is the delivered one that the router is seen to hold. The text after is that text's model without the
pair, rendered again, read back by the closed grammar and compared with that model before anything is asked of the
router. It waits in `candidates` and `delivery/reduced` for the next withdrawal, and to be recorded.
"""

from functools import partial
from pathlib import Path

from hntes.delivery.access import opener
from hntes.delivery.journal import Entry, Journal
from hntes.delivery.push import push
from hntes.delivery.request import Order, sha256
from hntes.delivery.timer import Pace
from hntes.delivery.verify import check_effect, check_part
from hntes.etl.locks import locked
from hntes.platforms.device import Device, Opener, held
from hntes.platforms.device_errors import DeliveryError, DriftError
from hntes.platforms.dialect import Dialect
from hntes.rules.changeset.candidate import Candidate, CandidateStoreError, read_candidate
from hntes.rules.pairs import PrefixPair
from hntes.settings import Settings
from hntes.settings.model import Router
from hntes.workflow.delivery.flowspec_pair_removal import withdraw_announced_pair
from hntes.workflow.delivery.handed_over import last_text
from hntes.workflow.delivery.pair_removal import PairWithdrawal, keep, known_texts, reduced, wider_pairs
from hntes.workflow.delivery.withdrawal_steps import WithdrawalSteps


def withdraw_pair(
    settings: Settings, router: Router, pair: PrefixPair, pace: Pace, *, commit: bool
) -> PairWithdrawal:  # fmt: skip
    """Takes a pair out of what a router holds; without `commit` it only shows that.

    Raises:
        CandidateStoreError: the text's model is lost or changed.
        CommandError: no delivered text is known, or this version renders it in another way.
        DeliveryError: see `delivery.push.push`; or another push has not ended.
        DriftError: the router holds none of the texts that are known.
        LockedError: another process delivers to this router.
    """
    if router.flowspec is not None:
        return withdraw_announced_pair(settings, router, router.flowspec, pair, pace, commit=commit)
    opened = opener(router, settings.delivery.timeout_s)
    folder = settings.paths.output / router.name
    journal = Journal(folder / "delivery" / "journal.json")
    with locked(folder / ".locks" / "push", f"push to {router.name}", wait_s=1.0):
        begun = journal.entry()
        base = _begun(folder, router, begun) if begun else _held(settings.paths.output, router, opened)
        wider = wider_pairs(base, pair)
        if pair not in base.pairs:
            return PairWithdrawal(None, wider)
        less = reduced(base, pair)
        if begun is not None and begun.after_sha256 != less.hash:
            raise DeliveryError(f"router {router.name}: {_NOT_ENDED}")
        if commit:
            keep(folder, less)
        steps = WithdrawalSteps(settings.paths.output, router.name)
        order = Order(
            router.name, base.text, less.text, None, settings.delivery.confirm_minutes, partial(_verify, less),
            partial(steps.add, pair=str(pair), candidate_hash=less.hash), judge=partial(_judge, less),
        )  # fmt: skip
        return PairWithdrawal(push(order, opened, journal, pace, commit=commit), wider)


_NOT_ENDED = (
    "another push has not ended; `hntes router deliver --commit` ends it, `hntes router remove --commit` without a "
    "pair removes all"
)


def _begun(folder: Path, router: Router, begun: Entry) -> Candidate:
    """What a router held before the push that has not ended."""
    if begun.before_sha256 is None:
        raise DeliveryError(f"router {router.name}: {_NOT_ENDED}")
    return read_candidate(folder, begun.before_sha256)


def _held(output: Path, router: Router, opened: Opener) -> Candidate:
    """The delivered text that a router holds."""
    _, text = last_text(output, router)
    device = opened()
    try:
        dialect, holds = device.dialect, held(device)
    finally:
        device.close()
    lost = []
    for name in known_texts(output / router.name, sha256(text)):
        try:
            candidate = read_candidate(output / router.name, name)
        except CandidateStoreError as cause:
            lost.append(str(cause))
            continue
        if dialect.part_of(candidate.text) == holds:
            return candidate
    shown = "\n".join([*holds.differences(dialect.part_of(text)), *lost])
    raise DriftError(
        f"router {router.name}: holds something else than what was delivered last (- is missing, + stands beside); "
        f"nothing was changed. `hntes router remove --router {router.name}` removes all of HNTES, whatever it "
        f"is\n{shown}"
    )


def _verify(less: Candidate, device: Device) -> None:
    check_part(device.dialect, device.running(), less.text)
    _judge(less, device.dialect, device.inherited())


def _judge(less: Candidate, dialect: Dialect, configuration: str) -> None:
    check_effect(dialect, configuration, less.text, less.model.interfaces)
