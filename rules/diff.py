"""What changes between two models, in an operator's terms, and between two texts."""

import difflib
import json
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rules.pairs import PrefixPair
from rules.qos import Filter, FilterTerm, RouterModel
from rules.qos_json import plain

ABSENT = "(none)"


@dataclass(frozen=True)
class ModelDiff:
    """All that differs between two models; the lines name the old and the new value.

    `terms_reordered` holds the pairs present in both whose order among one another changed, `term_changes` what
    happens to a pair's packets, `settings_changes` everything else: plan, classes, schedulers, drop profiles,
    policers, interfaces, redirect, filter names and final actions.
    """

    pairs_added: tuple[PrefixPair, ...]
    pairs_removed: tuple[PrefixPair, ...]
    terms_reordered: tuple[PrefixPair, ...]
    term_changes: tuple[str, ...]
    settings_changes: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the two models say the same, to the last value."""
        return not (
            self.pairs_added or self.pairs_removed or self.terms_reordered or self.term_changes or self.settings_changes
        )

    def lines(self) -> Iterator[str]:
        """The whole difference as text, one line each, in a fixed order."""
        yield from (f"+ pair {pair}" for pair in self.pairs_added)
        yield from (f"- pair {pair}" for pair in self.pairs_removed)
        yield from (f"~ order of pair {pair}" for pair in self.terms_reordered)
        yield from (f"~ {line}" for line in self.term_changes)
        yield from (f"~ {line}" for line in self.settings_changes)


def diff_models(old: RouterModel | None, new: RouterModel) -> ModelDiff:
    """What changes from `old` to `new`; `old` is None where nothing was there before."""
    old_terms, new_terms = _terms(old), _terms(new)
    before, after = dict(old_terms), dict(new_terms)
    added = tuple(pair for pair in after if pair not in before)
    removed = tuple(pair for pair in before if pair not in after)
    return ModelDiff(
        pairs_added=added,
        pairs_removed=removed,
        terms_reordered=_reordered([pair for pair, _ in old_terms], [pair for pair, _ in new_terms]),
        term_changes=tuple(
            line for pair, term in after.items() if pair in before for line in _term_changes(pair, before[pair], term)
        ),
        settings_changes=(*_changes("", _settings(old), _settings(new)), *_repeats(old_terms, new_terms)),
    )


def diff_text(old: str, new: str) -> str:
    """A unified diff, old against new; empty if the texts are equal. It holds no times and no paths."""
    parts = difflib.unified_diff(_lines(old), _lines(new), fromfile="old", tofile="new")
    return "".join(part if part.endswith("\n") else part + "\n\\ No newline at end of file\n" for part in parts)


def _lines(text: str) -> list[str]:
    # Not splitlines(): that also cuts at form feeds and other characters that are no line ends on a router.
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _terms(model: RouterModel | None) -> list[tuple[PrefixPair, FilterTerm]]:
    filters: tuple[Filter, ...] = () if model is None else model.filters
    return [(term.pair, term) for each in filters for term in each.terms]


def _reordered(old: list[PrefixPair], new: list[PrefixPair]) -> tuple[PrefixPair, ...]:
    """The pairs that moved against the others: as few as explain the new order, in that order."""
    common = set(old) & set(new)
    old_order = [pair for pair in old if pair in common]
    new_order = [pair for pair in new if pair in common]
    if old_order == new_order:
        return ()
    rank = {pair: index for index, pair in enumerate(old_order)}
    stays = _longest_rise([rank[pair] for pair in new_order])
    moved = tuple(pair for index, pair in enumerate(new_order) if index not in stays)
    return moved or tuple(new_order)


def _longest_rise(values: list[int]) -> set[int]:
    """Positions of one longest strictly rising run of values (patience sorting, O(n log n))."""
    tops: list[int] = []
    top_positions: list[int] = []
    previous: list[int] = []
    for position, value in enumerate(values):
        pile = bisect_left(tops, value)
        previous.append(top_positions[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [value]
        top_positions[pile : pile + 1] = [position]
    kept: set[int] = set()
    position = top_positions[-1] if top_positions else -1
    while position >= 0:
        kept.add(position)
        position = previous[position]
    return kept


def _term_changes(pair: PrefixPair, old: FilterTerm, new: FilterTerm) -> Iterator[str]:
    return _changes(f"pair {pair}: ", plain(old), plain(new))


def _repeats(old: list[tuple[PrefixPair, FilterTerm]], new: list[tuple[PrefixPair, FilterTerm]]) -> Iterator[str]:
    """A pair's second term hides behind the first; no valid model has one, but a diff must show it."""
    if (len(dict(old)), len(dict(new))) != (len(old), len(new)) and old != new:
        yield f"terms: {len(old)} -> {len(new)}, some of them of one pair"


def _settings(model: RouterModel | None) -> dict[str, Any]:
    """All but the terms, with named things keyed by their names."""
    if model is None:
        return {}
    content: dict[str, Any] = plain(model)
    content["filters"] = [{key: value for key, value in each.items() if key != "terms"} for each in content["filters"]]
    return content


def _changes(where: str, old: object, new: object) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from _changes(f"{where}{key} ", old.get(key), new.get(key))
    elif _keyed(old) is not None and _keyed(new) is not None:
        yield from _list_changes(where, old, new)
    elif old != new:
        yield f"{where.strip()}: {_show(old)} -> {_show(new)}"


def _keyed(value: object) -> dict[str, Any] | None:
    """A list of named things by name; None if it is no such list or a name stands twice."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return None
    found = {_name(item): item for item in value}
    return found if len(found) == len(value) else None


def _name(item: dict[str, Any]) -> str:
    if "unit" in item:
        return f"{item['name']} unit {item['unit']}"
    return str(item.get("name") or item.get("loss_priority") or json.dumps(item, sort_keys=True))


def _list_changes(where: str, old: object, new: object) -> Iterator[str]:
    before, after = _keyed(old) or {}, _keyed(new) or {}
    for name in before:
        if name not in after:
            yield f"{where}{name}: {_show(before[name])} -> {ABSENT}"
    for name, item in after.items():
        if name in before:
            yield from _changes(f"{where}{name} ", before[name], item)
        else:
            yield f"{where}{name}: {ABSENT} -> {_show(item)}"
    kept_before, kept_after = [name for name in before if name in after], [name for name in after if name in before]
    if kept_before != kept_after:
        yield f"{where}order: {', '.join(kept_before)} -> {', '.join(kept_after)}"


def _show(value: object) -> str:
    if value is None:
        return ABSENT
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
