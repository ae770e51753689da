"""The change of a router after one night, with the reasons of its pairs."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from hntes.format import counted
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.changeset.diff import MAX_LISTED_PAIRS, ModelDiff, diff_models
from hntes.rules.lifetime.rule import Departure, PairLife, Rule, RuleSet, Selection
from hntes.rules.pairs import PrefixPair
from hntes.sql.change import Change, ChangeState
from hntes.sql.reasons import ChangeEffect, ChangeFacts, PairReason, ReasonCause, Sign


@dataclass(frozen=True)
class Proposal:
    """One router's change after one day: an exact candidate against an exact base.

    `held_above` is the limit that its new pairs exceed, so that a person has to acknowledge their number before an
    approval; None if they do not. `notes` are for the operator: incomplete data, an exceeded
    budget. `effect` is the effect on traffic, None if not computed. `has_records`: the day has flow records.
    """

    router: str
    day: date
    base: Candidate | None
    candidate: Candidate
    diff: ModelDiff
    added: tuple[PairReason, ...]
    removed: tuple[PairReason, ...]
    kept: int
    data_complete: bool
    notes: tuple[str, ...]
    held_above: int | None = None
    effect: ChangeEffect | None = None
    has_records: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether the candidate is in force already."""
        return self.base is not None and self.base.hash == self.candidate.hash

    @property
    def is_withheld(self) -> bool:
        """Whether it is a first configuration of a day without flow records, which nobody is asked about."""
        return self.base is None and not self.has_records

    @property
    def other_changes(self) -> tuple[str, ...]:
        """Changes other than pairs, one line each; none for a first configuration, where all is new."""
        return () if self.base is None else self.diff.other_changes

    @property
    def facts(self) -> ChangeFacts:
        """The facts stored with the change."""
        return ChangeFacts((*self.added, *self.removed), self.notes, self.effect)

    def change(self, state: ChangeState, expires_ms: int) -> Change:
        """The change as it is stored."""
        return Change(
            router=self.router,
            day=self.day,
            base_hash=self.base.hash if self.base else None,
            candidate_hash=self.candidate.hash,
            model_hash=self.candidate.model_hash,
            state=state,
            expires_ms=expires_ms,
            data_complete=self.data_complete,
            pairs_added=len(self.added),
            pairs_removed=len(self.removed),
            pairs_kept=self.kept,
            is_rerendered=self.base is not None and not self.is_empty and self.diff.is_empty,
            settings_changed=len(self.other_changes),
            held_above=self.held_above,
        )


def propose(
    rule_set: RuleSet,
    selection: Selection,
    base: Candidate | None,
    candidate: Candidate,
    *,
    data_complete: bool,
    data_reason: str,
    has_records: bool = True,
    more_notes: tuple[str, ...] = (),
    new_pairs_limit: int | None = None,
    effect: ChangeEffect | None = None,
) -> Proposal:
    """The change from the configuration in force (None: nothing of HNTES) to the candidate."""
    before = base.pairs if base else frozenset()
    after = candidate.pairs
    come = {rule.pair: _of_rule(rule) for rule in rule_set.rules}
    gone = {departure.pair: _of_departure(departure) for departure in rule_set.left}
    gone |= {rule.pair: _over_budget(rule, selection.term_budget) for rule in selection.left_out}
    return Proposal(
        router=rule_set.router,
        day=rule_set.day,
        base=base,
        candidate=candidate,
        diff=diff_models(base.model if base else None, candidate.model),
        added=tuple(come[pair] for pair in _ordered(after - before)),
        removed=tuple(gone.get(pair) or _unknown(pair) for pair in _ordered(before - after)),
        kept=len(before & after),
        data_complete=data_complete,
        held_above=_held_above(len(after - before), new_pairs_limit),
        effect=effect,
        has_records=has_records,
        notes=(
            *([_WITHHELD] if base is None and not has_records else []),
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
    effect: ChangeEffect | None,
) -> Proposal:
    """The change from the configuration in force to a candidate chosen by an operator, regardless of the day's rules.

    `reason` is that of each added pair.
    """
    before, after = base.pairs if base else frozenset(), candidate.pairs
    return Proposal(
        router=router,
        day=day,
        base=base,
        candidate=candidate,
        diff=diff_models(base.model if base else None, candidate.model),
        added=tuple(_reason("+", pair, "proposed_again", reason) for pair in _ordered(after - before)),
        removed=tuple(_reason("-", pair, "proposed_again", f"not {reason}") for pair in _ordered(before - after)),
        kept=len(before & after),
        data_complete=True,
        held_above=_held_above(len(after - before), new_pairs_limit),
        effect=effect,
        notes=notes,
    )


_WITHHELD = "no flow record of the day was used: no first configuration is proposed from it"


def _held_above(new_pairs: int, new_pairs_limit: int | None) -> int | None:
    return new_pairs_limit if new_pairs_limit is not None and new_pairs > new_pairs_limit else None


def _of_rule(rule: Rule) -> PairReason:
    return _reason("+", rule.pair, "pinned" if rule.pinned else "seen", rule.why, rule)


def _of_departure(gone: Departure) -> PairReason:
    return _reason("-", gone.pair, gone.cause, gone.reason, gone.life)


def _over_budget(rule: Rule, term_budget: int) -> PairReason:
    return _reason("-", rule.pair, "over_budget", f"over the term budget of {term_budget}", rule)


def _unknown(pair: PrefixPair) -> PairReason:
    return _reason(
        "-", pair, "unknown", "the history no longer knows it (a prefix length, or observations, changed)"
    )  # fmt: skip


def _reason(
    sign: Sign, pair: PrefixPair, cause: ReasonCause, words: str, life: PairLife | None = None
) -> PairReason:  # fmt: skip
    return PairReason(
        sign=sign, source=str(pair.source), destination=str(pair.destination), cause=cause, words=words,
        first_seen=life.first_seen if life else None, last_seen=life.last_seen if life else None,
        days_seen=life.days_seen if life else None, flows=life.flows if life else None,
        alpha_bytes=life.alpha_bytes if life else None, peak_bytes=life.peak_bytes if life else None,
        age_days=life.age_days if life else None,
    )  # fmt: skip


def _notes(data_complete: bool, data_reason: str, selection: Selection) -> tuple[str, ...]:
    notes = []
    if not data_complete:
        notes.append(f"the day's flow data is incomplete ({data_reason}): ageing is paused, no pair ages out")
    elif data_reason:
        notes.append(data_reason)
    return (*notes, selection.report) if selection.report else tuple(notes)


def _waiting(rule_set: RuleSet) -> tuple[str, ...]:
    """Notes on pairs that are missing among the added ones."""
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
