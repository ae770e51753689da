"""The differences between two models, in an operator's terms, and between two texts."""

import difflib
import json
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.json_form import plain
from hntes.rules.qos.model import Filter, FilterTerm, RouterModel

ABSENT = "(none)"
MAX_LISTED_PAIRS = 3

_Terms = list[tuple[int, PrefixPair, FilterTerm]]


@dataclass(frozen=True)
class ModelDiff:
    """All that differs between two models; the lines name the old and the new value.

    `terms_reordered` holds the pairs present in both whose relative order changed, `term_changes` the treatment of a
    pair's packets, `settings_changes` everything else: plan, classes, schedulers, drop profiles,
    policers, interfaces, redirect, filter names and final actions.
    """

    pairs_added: tuple[PrefixPair, ...]
    pairs_removed: tuple[PrefixPair, ...]
    terms_reordered: tuple[PrefixPair, ...]
    term_changes: tuple[str, ...]
    settings_changes: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the two models are equal."""
        return not (
            self.pairs_added or self.pairs_removed or self.terms_reordered or self.term_changes or self.settings_changes
        )

    @property
    def other_changes(self) -> tuple[str, ...]:
        """All but the pairs added and removed; a change that many pairs share is one line with their number."""
        return (*_reorderings(self.terms_reordered), *_grouped(self.term_changes), *self.settings_changes)

    def lines(self) -> Iterator[str]:
        """All differences as text, one per line, in a fixed order."""
        yield from (f"+ pair {pair}" for pair in self.pairs_added)
        yield from (f"- pair {pair}" for pair in self.pairs_removed)
        yield from (f"~ order of pair {pair}" for pair in self.terms_reordered)
        yield from (f"~ {line}" for line in self.term_changes)
        yield from (f"~ {line}" for line in self.settings_changes)


def diff_models(old: RouterModel | None, new: RouterModel) -> ModelDiff:
    """The differences from `old` to `new`; `old` is None if there was nothing before."""
    old_terms, new_terms = _terms(old), _terms(new)
    before = {pair: term for _, pair, term in old_terms}
    after = {pair: term for _, pair, term in new_terms}
    repeats = _repeats(old_terms, new_terms)
    added = tuple(pair for pair in after if pair not in before)
    removed = tuple(pair for pair in before if pair not in after)
    return ModelDiff(
        pairs_added=added,
        pairs_removed=removed,
        terms_reordered=_reordered(list(before), list(after)),
        term_changes=tuple(
            line
            for pair, term in after.items()
            if pair in before and before[pair] != term
            for line in _term_changes(pair, before[pair], term)
        ),
        settings_changes=(*_changes("", _settings(old), _settings(new)), *repeats),
    )


def diff_text(old: str, new: str) -> str:
    """A unified diff, old against new; empty if the texts are equal. It holds no times and no paths."""
    parts = difflib.unified_diff(_lines(old), _lines(new), fromfile="in force", tofile="candidate")
    return "".join(part if part.endswith("\n") else part + "\n\\ No newline at end of file\n" for part in parts)


def _lines(text: str) -> list[str]:
    # Not splitlines(): that also cuts at form feeds and other characters that do not end a line on a router.
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _terms(model: RouterModel | None) -> _Terms:
    filters: tuple[Filter, ...] = () if model is None else model.filters
    return [(each.ip_version, term.pair, term) for each in filters for term in each.terms]


def _reordered(old: list[PrefixPair], new: list[PrefixPair]) -> tuple[PrefixPair, ...]:
    """The pairs that moved: the smallest set that explains the new order, in that order."""
    common = set(old) & set(new)
    old_order = [pair for pair in old if pair in common]
    new_order = [pair for pair in new if pair in common]
    if old_order == new_order:
        return ()
    rank = {pair: index for index, pair in enumerate(old_order)}
    stays = _longest_rise([rank[pair] for pair in new_order])
    return tuple(pair for index, pair in enumerate(new_order) if index not in stays)


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


def _reorderings(pairs: tuple[PrefixPair, ...]) -> Iterator[str]:
    if len(pairs) > MAX_LISTED_PAIRS:
        yield f"order of {len(pairs)} pairs changes"
    else:
        yield from (f"order of pair {pair} changes" for pair in pairs)


def _grouped(term_changes: tuple[str, ...]) -> Iterator[str]:
    by_change: dict[str, list[str]] = {}
    for line in term_changes:
        pair, change = line.split(": ", maxsplit=1)
        by_change.setdefault(change, []).append(pair)
    for change, pairs in by_change.items():
        if len(pairs) > MAX_LISTED_PAIRS:
            yield f"{len(pairs)} pairs: {change}"
        else:
            yield from (f"{pair}: {change}" for pair in pairs)


def _repeats(old: _Terms, new: _Terms) -> Iterator[str]:
    """No valid model has a pair twice or in the other family's filter, but a diff must show it."""
    misplaced = any(place != term.source.version for place, _, term in (*old, *new))
    repeated = any(len({pair for _, pair, _ in terms}) != len(terms) for terms in (old, new))
    if (misplaced or repeated) and old != new:
        yield f"terms: {len(old)} -> {len(new)}, some of them twice or in the other family's filter"


def _settings(model: RouterModel | None) -> dict[str, Any]:
    """All but the terms, with named things keyed by their names."""
    if model is None:
        return {}
    content: dict[str, Any] = plain(replace(model, filters=tuple(replace(each, terms=()) for each in model.filters)))
    for each in content["filters"]:
        del each["terms"]
    return content


def _changes(where: str, old: object, new: object) -> Iterator[str]:
    old, new = _like(old, new), _like(new, old)
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from _changes(f"{where}{key} ", old.get(key), new.get(key))
    elif _keyed(old) is not None and _keyed(new) is not None:
        yield from _list_changes(where, old, new)
    elif old != new:
        yield f"{where.strip()}: {_show(old)} -> {_show(new)}"


def _like(value: object, other: object) -> object:
    """The empty value of the other side's type."""
    if value is None and isinstance(other, dict | list):
        return type(other)()
    return value


def _keyed(value: object) -> dict[str, Any] | None:
    """A list of named things by name; None if it is not such a list or a name occurs twice."""
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
    if isinstance(value, dict):
        return ", ".join(f"{key} {_show(item)}" for key, item in value.items() if key != "name")
    if isinstance(value, list):
        return "[" + "; ".join(_show(item) for item in value) + "]"
    return value if isinstance(value, str) else json.dumps(value)
