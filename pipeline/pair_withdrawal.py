"""One pair's terms are taken off a router, from settings and files alone; all else that is there stays.

The text before is the delivered one that the router is seen to hold. The text after is that text's model without the
pair, rendered again, read back by the closed grammar and compared with that model before anything is asked of the
router. It waits in `candidates` and `delivery/reduced` for the next withdrawal, and to be recorded.
"""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from base.files import write_changed_text
from delivery.access import opener
from delivery.device import Device, Opener, held
from delivery.errors import DeliveryError, DriftError
from delivery.journal import Entry, Journal
from delivery.language import LANGUAGES, Language
from delivery.order import Order, Pace, Pushed, sha256
from delivery.push import push
from delivery.verify import check_effect, check_part
from etl.locks import locked
from pipeline.errors import CommandError
from pipeline.folders import reduced_folder
from pipeline.transitions import last_text
from pipeline.withdrawal_steps import WithdrawalSteps
from rules.change.candidate import Candidate, CandidateStoreError, read_candidate, write_candidate
from rules.pairs import PrefixPair
from rules.qos.without import without_pair
from rules.readback import read_back
from rules.readback.compare import differences
from rules.readback.expected import effective_of
from rules.render.text import render
from settings import Settings
from settings.model import Router

__all__ = ["PairWithdrawal", "PrefixPair", "reduced", "withdraw_pair"]

# Texts that a router may hold beside the one that was handed over last.
_EARLIER = 20
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class PairWithdrawal:
    """What became of it; `pushed` is None where the router has no term of exactly this pair.

    `wider` are the pairs there that match all of its packets, too.
    """

    pushed: Pushed | None
    wider: tuple[PrefixPair, ...]


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
    opened = opener(router, settings.delivery.timeout_s)
    folder = settings.paths.output / router.name
    journal = Journal(folder / "delivery" / "journal.json")
    with locked(folder / ".locks" / "push", f"push to {router.name}", wait_s=1.0):
        begun = journal.entry()
        base = _begun(folder, router, begun) if begun else _held(settings.paths.output, router, opened)
        wider = tuple(each for each in sorted(base.pairs, key=lambda one: one.sort_key) if _is_wider(each, pair))
        if pair not in base.pairs:
            return PairWithdrawal(None, wider)
        less = reduced(base, pair)
        if begun is not None and begun.after_sha256 != less.hash:
            raise DeliveryError(f"router {router.name}: {_NOT_ENDED}")
        if commit:
            write_candidate(folder, less)
            write_changed_text(reduced_folder(folder) / f"{less.hash}.conf", less.text)
        steps = WithdrawalSteps(settings.paths.output, router.name)
        order = Order(
            router.name, base.text, less.text, None, settings.delivery.confirm_minutes, partial(_verify, less),
            partial(steps.add, pair=str(pair), candidate_hash=less.hash), judge=partial(_judge, less),
        )  # fmt: skip
        return PairWithdrawal(push(order, opened, journal, pace, commit=commit), wider)


_NOT_ENDED = (
    "another push has not ended; `hntes deliver --commit` ends it, `hntes withdraw --commit` without a pair removes all"
)


def reduced(base: Candidate, pair: PrefixPair) -> Candidate:
    """A candidate less one pair, checked by what its text does.

    Raises:
        CommandError: this version does not render the candidate as it was, or the text does something else.
        ReadBackError: the text is not one of the closed grammar.
    """
    language = LANGUAGES[base.model.platform]
    if language.part_of(render(base.model)) != language.part_of(base.text):
        raise CommandError(
            f"{base.hash[:12]}: was rendered by another version, so more than the pair would change; withdraw all of "
            "HNTES (`hntes withdraw` without --pair), or install that version"
        )
    model = without_pair(base.model, pair)
    less = Candidate(model, render(model))
    found = read_back(model.platform, less.text, model.interfaces)
    if unlike := differences(found, effective_of(model)):
        raise CommandError(f"{base.hash[:12]} without {pair}: the text does something else: {unlike[0]}")
    return less


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
        language, holds = device.language, held(device)
    finally:
        device.close()
    lost = []
    for name in _known(output / router.name, sha256(text)):
        try:
            candidate = read_candidate(output / router.name, name)
        except CandidateStoreError as cause:
            lost.append(str(cause))
            continue
        if language.part_of(candidate.text) == holds:
            return candidate
    shown = "\n".join([*holds.differences(language.part_of(text)), *lost])
    raise DriftError(
        f"router {router.name}: holds something else than what was delivered last (- is missing, + stands beside); "
        f"nothing was changed. `hntes withdraw --router {router.name}` removes all of HNTES, whatever it is\n{shown}"
    )


def _known(folder: Path, last: str | None) -> list[str]:
    """Hashes of texts that were delivered or left by a withdrawal: the last delivered one, then the newest first."""
    paths = [path for place in (folder / "approved", reduced_folder(folder)) for path in place.glob("*.conf")]
    paths.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
    names = dict.fromkeys(path.stem for path in paths if _SHA256.fullmatch(path.stem))
    return list(dict.fromkeys([*([last] if last else []), *names]))[:_EARLIER]


def _is_wider(other: PrefixPair, pair: PrefixPair) -> bool:
    ends = ((pair.source[at], pair.destination[at]) for at in (0, -1))
    return other != pair and all(other.contains(*each) for each in ends)


def _verify(less: Candidate, device: Device) -> None:
    check_part(device.language, device.running(), less.text)
    _judge(less, device.language, device.inherited())


def _judge(less: Candidate, language: Language, configuration: str) -> None:
    check_effect(language, configuration, less.text, less.model.interfaces)
