"""Two texts side by side: lines that belong together in one row, equal ones folded, each part under its prefix pair."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network
from itertools import groupby, pairwise

from hntes.rules.changeset.candidate import PARSED, Candidate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import RouterModel
from hntes.web.errors import RefusedError

_PLACE = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_TOKEN = re.compile(r"[^\s;{}\"]+")
_DOTTED = re.compile(r"[0-9]+(?:\.[0-9]+){3}")
_CLOSING = ("}", "!")
_HOST = "host"
# Of a page; a first configuration has tens of thousands.
PAGE_LINES = 500


@dataclass(frozen=True)
class Side:
    """A line of one text; `number` counts from 1."""

    number: int
    text: str


@dataclass(frozen=True)
class Row:
    """Lines of both texts that belong together; None where a text has none. `pair` is what they are about, if known."""

    old: Side | None
    new: Side | None
    pair: PrefixPair | None = None

    @property
    def kind(self) -> str:
        """ "same", "changed", "added" or "removed"."""
        if self.old is not None and self.new is not None:
            return "same" if self.old.text == self.new.text else "changed"
        return "removed" if self.new is None else "added"


@dataclass(frozen=True)
class Part:
    """Rows about one pair (None: about no pair, or about several) without a gap; `folded` lines before it are equal."""

    pair: PrefixPair | None
    rows: tuple[Row, ...]
    folded: int

    @property
    def added(self) -> int:
        """The lines that only the candidate has."""
        return sum(row.new is not None for row in self.rows if row.kind != "same")

    @property
    def removed(self) -> int:
        """The lines that only the text in force has."""
        return sum(row.old is not None for row in self.rows if row.kind != "same")


@dataclass(frozen=True)
class Paged:
    """The parts of one page; `first` is that of the page, counted from 1, of `of` that match."""

    parts: tuple[Part, ...]
    first: int
    of: int

    @property
    def later(self) -> int | None:
        """The first part of the next page, None on the last."""
        following = self.first + len(self.parts)
        return following if following <= self.of else None


class Owners:
    """The prefix pairs that lines of configurations are about, by the names of their terms and by their prefixes."""

    def __init__(self, models: Iterable[RouterModel | None]) -> None:
        terms = [
            term for model in models if model is not None for each in model.filters for term in each.all_terms
        ]  # fmt: skip
        self._by_name = {name: term.pair for term in terms for name in (term.name, term.counter)}
        self._by_text = {str(term.pair): term.pair for term in terms}

    def of(self, line: str) -> PrefixPair | None:
        """The pair that a line names; None if it names none."""
        tokens = _TOKEN.findall(line)
        named = next((self._by_name[token] for token in tokens if token in self._by_name), None)
        if named is not None:
            return named
        prefixes = list(_prefixes(tokens))
        texts = (f"{source} > {destination}" for source, destination in pairwise(prefixes))
        return next((self._by_text[text] for text in texts if text in self._by_text), None)


def _prefixes(tokens: Sequence[str]) -> Iterator[str]:
    """The prefixes of a line, written with a length, as `host ADDRESS`, or with a wildcard behind the address."""
    for number, token in enumerate(tokens):
        behind = tokens[number + 1] if number + 1 < len(tokens) else ""
        if "/" in token:
            yield token
        elif token == _HOST:
            yield f"{behind}/{128 if ':' in behind else 32}"
        elif _DOTTED.fullmatch(token) and _DOTTED.fullmatch(behind):
            with suppress(ValueError):  # two addresses that are no prefix with its wildcard
                yield str(IPv4Network(f"{token}/{behind}"))


def parts_of(unified: str, models: Sequence[RouterModel | None]) -> tuple[Part, ...]:
    """The parts of a unified diff of two texts that were rendered from these models."""
    owners, parts, place = Owners(models), list[Part](), (1, 1)
    for head, lines in _hunks(unified):
        begin = (int(head[1]), int(head[2]))
        folded = max(begin[0] - place[0], begin[1] - place[1], 0)
        rows = list(_rows(lines, begin, owners))
        place = (begin[0] + sum(1 for row in rows if row.old), begin[1] + sum(1 for row in rows if row.new))
        for pair, some in groupby(rows, lambda row: row.pair):
            parts.append(Part(pair, tuple(some), folded))
            folded = 0
    return tuple(parts)


def _hunks(unified: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    head, lines = None, list[str]()
    for line in unified.split("\n")[2:]:
        if found := _PLACE.match(line):
            if head is not None:
                yield head, lines
            head, lines = found, []
        elif line[:1] in (" ", "+", "-"):
            lines.append(line)
    if head is not None:
        yield head, lines


def _rows(lines: Sequence[str], begin: tuple[int, int], owners: Owners) -> Iterator[Row]:
    old = _about(
        [Side(begin[0] + n, line[1:]) for n, line in enumerate(line for line in lines if line[0] != "+")], owners
    )
    new = _about(
        [Side(begin[1] + n, line[1:]) for n, line in enumerate(line for line in lines if line[0] != "-")], owners
    )
    for is_same, some in groupby(lines, lambda line: line[0] == " "):
        run = list(some)
        gone = [next(old) for line in run if line[0] != "+"]
        come = [next(new) for line in run if line[0] != "-"]
        # beside each other stand as many lines about the same: others would stand beside what happens to be there
        if is_same or [pair for _, pair in gone] == [pair for _, pair in come]:
            yield from (Row(before, after, pair) for (before, _), (after, pair) in zip(gone, come, strict=True))
        else:
            yield from (Row(side, None, pair) for side, pair in gone)
            yield from (Row(None, side, pair) for side, pair in come)


def _about(lines: Sequence[Side], owners: Owners) -> Iterator[tuple[Side, PrefixPair | None]]:
    """Consecutive lines of a text with their pairs: a line that names none is about what the line before it is about.

    Until it is indented less than the first line of the term, or closes the term. A block that is named by its first
    statement begins a line before that.
    """
    pairs, pair, depth = list[PrefixPair | None](), None, 0
    for number, text in enumerate(line.text for line in lines):
        named, indent = owners.of(text), _indent(text)
        if named is not None and named != pair:
            pair, depth = named, indent
            if number and pairs[-1] is None and _opens(lines[number - 1].text, indent):
                pairs[-1], depth = pair, _indent(lines[number - 1].text)
        elif indent < depth and text.strip():
            pair = None
        pairs.append(pair)
        if indent == depth and text.strip() in _CLOSING:
            pair = None
    return zip(lines, pairs, strict=True)


def _opens(text: str, indent: int) -> bool:
    return text.endswith("{") and _indent(text) < indent


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


@lru_cache(maxsize=PARSED)
def parts_between(base: Candidate | None, candidate: Candidate, unified: str) -> tuple[Part, ...]:
    """The parts of a change's texts, from their unified diff."""
    return parts_of(unified, (base.model if base else None, candidate.model))


def paged(parts: Sequence[Part], first: str) -> Paged:
    """The parts from the `first`-th on, at least one, up to PAGE_LINES lines.

    Raises:
        RefusedError: there is no such part.
    """
    if not (first.isascii() and first.isdigit() and len(first) <= 9 and int(first) > 0):
        raise RefusedError(400, f"{first!r} is not the number of a part; parts are counted from 1")
    if int(first) > max(len(parts), 1):
        raise RefusedError(404, f"there is no part number {first}: {len(parts)} match")
    return Paged(tuple(_up_to_a_page(parts[int(first) - 1 :])), int(first), len(parts))


def _up_to_a_page(parts: Sequence[Part]) -> Iterator[Part]:
    lines = 0
    for each in parts:
        lines += len(each.rows)
        if lines > PAGE_LINES and lines > len(each.rows):
            return
        yield each
