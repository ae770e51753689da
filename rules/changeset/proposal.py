"""What would change on a router after one night, and why, in the operator's words."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from hntes.format import counted
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.changeset.diff import MAX_LISTED_PAIRS, ModelDiff, diff_models
from hntes.rules.lifetime.rule import RuleSet, Selection
from hntes.rules.pairs import PrefixPair
from hntes.sql.held import hold_text


@dataclass(frozen=True)
class PairChange:
    """A pair that is added or removed, and why."""

    pair: PrefixPair
    reason: str


@dataclass(frozen=True)
class Proposal:
    """One router's change after one day: an exact candidate against an exact base.

    `is_held`: it has so many new pairs that a person has to acknowledge their number before it can be approved.
    `notes` are what an operator must know beside the pairs: incomplete data, a budget that does not suffice. `effect`
    is a sentence on what the change means for traffic, "" where nobody asked.
    """

    router: str
    day: date
    base: Candidate | None
    candidate: Candidate
    diff: ModelDiff
    added: tuple[PairChange, ...]
    removed: tuple[PairChange, ...]
    kept: int
    data_complete: bool
    notes: tuple[str, ...]
    is_held: bool = False
    effect: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether the candidate is what is in force already."""
        return self.base is not None and self.base.hash == self.candidate.hash

    @property
    def other_changes(self) -> tuple[str, ...]:
        """What changes beside the pairs, one line per change; nothing for a first configuration, where all is new."""
        return () if self.base is None else self.diff.other_changes

    @property
    def base_hash(self) -> str | None:
        return self.base.hash if self.base else None


def propose(
    rule_set: RuleSet,
    selection: Selection,
    base: Candidate | None,
    candidate: Candidate,
    *,
    data_complete: bool,
    data_reason: str,
    more_notes: tuple[str, ...] = (),
    new_pairs_limit: int | None = None,
    effect: str = "",
) -> Proposal:
    """The change from what is in force (None: nothing of HNTES) to the candidate."""
    before = base.pairs if base else frozenset()
    after = candidate.pairs
    why = {rule.pair: rule.why for rule in rule_set.rules}
    gone = {departure.pair: departure.reason for departure in rule_set.left}
    gone |= {rule.pair: f"over the term budget of {selection.term_budget}" for rule in selection.left_out}
    unknown = "the history no longer knows it (a prefix length, or observations, changed)"
    held = _held(rule_set, len(after - before), new_pairs_limit)
    return Proposal(
        router=rule_set.router,
        day=rule_set.day,
        base=base,
        candidate=candidate,
        diff=diff_models(base.model if base else None, candidate.model),
        added=tuple(PairChange(pair, why[pair]) for pair in _ordered(after - before)),
        removed=tuple(PairChange(pair, gone.get(pair, unknown)) for pair in _ordered(before - after)),
        kept=len(before & after),
        data_complete=data_complete,
        is_held=bool(held),
        effect=effect,
        notes=(
            *held,
            *_notes(data_complete, data_reason, selection),
            *_waiting(rule_set),
            *_excluded(rule_set, before),
            *more_notes,
        ),
    )


def propose_text(
    router: str,
    day: date,
    base: Candidate | None,
    candidate: Candidate,
    reason: str,
    notes: tuple[str, ...],
    *,
    new_pairs_limit: int | None,
    effect: str,
) -> Proposal:
    """The change from what is in force to a candidate that a person named, whatever the rules as of the day are.

    `reason` stands beside each pair that comes.
    """
    before, after = base.pairs if base else frozenset(), candidate.pairs
    added = after - before
    is_held = new_pairs_limit is not None and len(added) > new_pairs_limit
    held = (hold_text(router, day, len(added), new_pairs_limit or 0),) if is_held else ()
    return Proposal(
        router=router,
        day=day,
        base=base,
        candidate=candidate,
        diff=diff_models(base.model if base else None, candidate.model),
        added=tuple(PairChange(pair, reason) for pair in _ordered(added)),
        removed=tuple(PairChange(pair, f"not {reason}") for pair in _ordered(before - after)),
        kept=len(before & after),
        data_complete=True,
        is_held=is_held,
        effect=effect,
        notes=(*held, *notes),
    )


def summary(proposal: Proposal) -> str:
    """The change in an operator's words: its effect, then one line per pair and per other change.

    A change that many pairs share is one line.
    """
    first = f"{proposal.router}, flows of {proposal.day}: "
    lines = [first + headline(proposal)]
    if proposal.effect:
        lines = [first + proposal.effect, f"  change: {headline(proposal)}"]
    lines += [f"  note: {note}" for note in proposal.notes]
    lines += [f"  added    {change.pair}: {change.reason}" for change in proposal.added]
    lines += [f"  removed  {change.pair}: {change.reason}" for change in proposal.removed]
    lines += [f"  changed  {line}" for line in proposal.other_changes]
    return "\n".join(lines) + "\n"


def headline(proposal: Proposal) -> str:
    """The change in one line."""
    if proposal.is_empty:
        return f"no change, {counted(proposal.kept, 'pair')} kept"
    moved = [(len(proposal.added), "added"), (len(proposal.removed), "removed")]
    parts = [f"{counted(count, 'pair')} {how}" for count, how in moved if count]
    parts.append(f"{proposal.kept} kept" if parts else f"{counted(proposal.kept, 'pair')} kept")
    if proposal.base is None:
        parts.insert(0, "first configuration")
    if proposal.base is not None and proposal.diff.is_empty:
        parts.append("the same model rendered as another text")
    if proposal.other_changes:
        parts.append("other settings changed")
    if proposal.is_held:
        parts.append("held until the new pairs are acknowledged")
    return ", ".join(parts)


def _notes(data_complete: bool, data_reason: str, selection: Selection) -> tuple[str, ...]:
    notes = []
    if not data_complete:
        notes.append(f"the day's flow data is incomplete ({data_reason}): ageing stands still, no pair ages out")
    elif data_reason:
        notes.append(data_reason)
    return (*notes, selection.report) if selection.report else tuple(notes)


def _held(rule_set: RuleSet, new_pairs: int, new_pairs_limit: int | None) -> tuple[str, ...]:
    if new_pairs_limit is None or new_pairs <= new_pairs_limit:
        return ()
    return (hold_text(rule_set.router, rule_set.day, new_pairs, new_pairs_limit),)


def _waiting(rule_set: RuleSet) -> tuple[str, ...]:
    """What a person would else look for among the added pairs."""
    pairs = [departure.pair for departure in rule_set.left if departure.cause == "waiting"]
    if not pairs:
        return ()
    verb = "waits" if len(pairs) == 1 else "wait"
    return (f"{counted(len(pairs), 'pair')} seen once on weak evidence {verb} for a second sighting: {_named(pairs)}",)


def _excluded(rule_set: RuleSet, before: frozenset[PrefixPair]) -> tuple[str, ...]:
    """The same of pairs that had flows on the day. Those in force are among the removed, with the reason."""
    pairs = [
        departure.pair
        for departure in rule_set.left
        if departure.cause == "excluded" and departure.life.last_seen == rule_set.day and departure.pair not in before
    ]
    if not pairs:
        return ()
    verb = "is" if len(pairs) == 1 else "are"
    return (f"{counted(len(pairs), 'pair')} with alpha flows on the day {verb} excluded: {_named(pairs)}",)


def _named(pairs: list[PrefixPair]) -> str:
    return ", ".join(map(str, pairs[:MAX_LISTED_PAIRS])) + (", ..." if len(pairs) > MAX_LISTED_PAIRS else "")


def _ordered(pairs: Iterable[PrefixPair]) -> list[PrefixPair]:
    return sorted(pairs, key=lambda pair: pair.sort_key)
