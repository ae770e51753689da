"""A change in words for operators, generated from its facts when it is shown; no program parses it."""

from collections.abc import Iterable, Sequence

from hntes.format import counted, exact_rate
from hntes.rules.backtest.effect_words import Effect, Seen, effect_sentence
from hntes.rules.pairs import PrefixPair
from hntes.sql.change import Change, hold_text
from hntes.sql.reasons import ChangeEffect, ChangeFacts, PairReason, ReservedRate


def headline(change: Change) -> str:
    """The change in one line."""
    if change.is_text_of_base:
        return f"no change, {counted(change.pairs_kept, 'pair')} kept"
    moved = [(change.pairs_added, "added"), (change.pairs_removed, "removed")]
    parts = [f"{counted(count, 'pair')} {how}" for count, how in moved if count]
    parts.append(f"{change.pairs_kept} kept" if parts else f"{counted(change.pairs_kept, 'pair')} kept")
    if change.base_hash is None:
        parts.insert(0, "first configuration" if change.state != "empty" else "no first configuration")
    if change.is_rerendered:
        parts.append("the same model rendered as another text")
    if change.settings_changed:
        parts.append("other settings changed")
    if change.held_above is not None:
        parts.append("held until the new pairs are acknowledged")
    return ", ".join(parts)


def effect_words(effect: ChangeEffect | None) -> str:
    """The effect of a change on traffic, in one sentence; "" if it was not computed."""
    if effect is None:
        return ""
    if effect.problem is not None:
        return f"the effect on traffic is unknown, a configuration cannot be parsed: {effect.problem}"
    return effect_sentence(
        Effect(
            seen=Seen(effect.days, effect.incomplete_days, effect.beta_day), is_first=effect.is_first,
            alpha_bytes=effect.alpha_bytes, queued_bytes_before=effect.queued_bytes_before,
            queued_bytes_after=effect.queued_bytes_after, flows_gained=effect.flows_gained,
            flows_lost=effect.flows_lost, beta_bytes_before=effect.beta_bytes_before,
            beta_bytes_after=effect.beta_bytes_after,
        )
    )  # fmt: skip


def in_one_line(change: Change, effect: ChangeEffect | None, reserved: Sequence[ReservedRate] = ()) -> str:
    """The change and its effect on traffic; for a scheduled change its reservations."""
    if change.is_scheduled:
        return reserved_words(reserved)
    return "; ".join(filter(None, (headline(change), effect_words(effect))))


def reserved_words(reserved: Sequence[ReservedRate]) -> str:
    """The policers of reservations in a configuration; the first few by name."""
    if not reserved:
        return "no reservation"
    named = ", ".join(f"{each.name} {exact_rate(each.rate_bps)}" for each in reserved[:_NAMED])
    return named + (f" and {len(reserved) - _NAMED} more" if len(reserved) > _NAMED else "")


def notes(change: Change, facts: ChangeFacts) -> tuple[str, ...]:
    """Notes other than the pairs: whether the change is held, and the notes of its proposal."""
    if change.held_above is None:
        return facts.notes
    return (hold_text(change.router, change.day, change.pairs_added, change.held_above), *facts.notes)


def summary(change: Change, facts: ChangeFacts, other_changes: Sequence[str]) -> str:
    """A change in several lines: its effect, then one line per note, pair and other change."""
    first = f"{change.router}, flows of {change.day}: "
    lines = [first + headline(change)]
    if facts.effect is not None:
        lines = [first + effect_words(facts.effect), f"  change: {headline(change)}"]
    lines += [f"  note: {note}" for note in notes(change, facts)]
    lines += [f"  {_VERBS[each.sign]:<8} {pair_of(each)}: {each.words}" for each in ordered(facts.pairs)]
    lines += [f"  changed  {line}" for line in other_changes]
    return "\n".join(lines) + "\n"


def ordered(pairs: Iterable[PairReason]) -> list[PairReason]:
    """Added, then removed pairs, each in the order of pairs."""
    return sorted(pairs, key=lambda each: (each.sign != "+", pair_of(each).sort_key))


def pair_of(reason: PairReason) -> PrefixPair:
    """The pair that a reason is about."""
    return PrefixPair.parse(f"{reason.source}>{reason.destination}")


_NAMED = 5
_VERBS = {"+": "added", "-": "removed"}
