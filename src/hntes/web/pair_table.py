"""The pairs of a change as a table that is filtered, sorted, grouped and summed by the query of its address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal
from urllib.parse import urlencode

from hntes.rules.lifetime.pair_search import PairSearch
from hntes.web.errors import RefusedError
from hntes.web.figures import Spark, last_seen, spark
from hntes.workflow.review.pair_bytes import PairBytes, PrefixPair
from hntes.workflow.review.pair_groups import CHANGES, GROUPS, UNNAMED, Group, GroupNames, PairGroup, grouped

Shown = Literal["changed", "added", "removed", "kept", "all"]
Order = Literal["bytes", "pair", "seen"]
Grouping = Group | Literal["none"]
SHOWN: Mapping[Shown, tuple[str, str]] = {
    "changed": ("+-", "added and removed"), "added": ("+", "added"), "removed": ("-", "removed"), "kept": ("=", "kept"),
    "all": ("+-=", "all"),
}  # fmt: skip
ORDERS: Mapping[Order, str] = {"bytes": "most bytes first", "pair": "prefixes", "seen": "last seen first"}
GROUPINGS: Mapping[str, str] = {"none": "no groups", **GROUPS}
PAGE_PAIRS, MOST_GROUPS = 100, 200
SPARK_DAY_WIDTH, SPARK_HEIGHT = 4, 20


@dataclass(frozen=True)
class Wanted:
    """What of the pairs is shown: which, in which order and groups, matching `q`, from the `first`-th on."""

    show: Shown = "changed"
    order: Order = "bytes"
    group: Grouping = "none"
    q: str = ""
    first: int = 1

    def query(self, **changed: object) -> str:
        """The query of the address that shows this with these fields changed; "" for what is shown at first."""
        other = replace(self, **changed)  # type: ignore[arg-type]
        named = {"show": other.show, "sort": other.order, "by": other.group, "q": other.q, "pair": other.first}
        usual = {"show": "changed", "sort": "bytes", "by": "none", "q": "", "pair": 1}
        return urlencode({name: str(value) for name, value in named.items() if value != usual[name]})


@dataclass(frozen=True)
class PairRow:
    """One pair with its last weeks; `last_seen` is None if it was not seen in them."""

    change: str
    pair: PrefixPair
    reason: str
    alpha_bytes: int
    last_seen: date | None
    spark: Spark


@dataclass(frozen=True)
class PairTable:
    """The table: rows of pairs, or of groups. `of` pairs match, with `alpha_bytes` in all."""

    wanted: Wanted
    rows: tuple[PairRow, ...]
    groups: tuple[PairGroup, ...]
    of: int
    alpha_bytes: int
    groups_left: int = 0

    @property
    def last(self) -> int:
        """The last pair of the page, counted from 1."""
        return min(self.wanted.first + PAGE_PAIRS - 1, self.of)

    @property
    def earlier(self) -> int | None:
        """The first pair of the previous page, None on the first page."""
        return max(self.wanted.first - PAGE_PAIRS, 1) if self.wanted.first > 1 else None

    @property
    def later(self) -> int | None:
        """The first pair of the next page, None on the last page."""
        return self.last + 1 if self.last < self.of else None


def wanted_of(given: Mapping[str, str]) -> Wanted:
    """What the query of an address asks for.

    Raises:
        RefusedError: a field has a value that it cannot have.
        PairError: the search is no host, prefix or pair.
    """
    show, order, group = given.get("show", "changed"), given.get("sort", "bytes"), given.get("by", "none")
    for name, value, known in (("show", show, SHOWN), ("sort", order, ORDERS), ("by", group, GROUPINGS)):
        if value not in known:
            raise RefusedError(400, f"{name} = {value!r} is none of {', '.join(known)}")
    q = given.get("q", "").strip()
    if q:
        PairSearch.parse(q)
    return Wanted(show, order, group, q, _first_pair(given.get("pair", "1")))  # type: ignore[arg-type]


def pair_table(pairs: Sequence[PairBytes], wanted: Wanted, until_day: date, named: GroupNames = UNNAMED) -> PairTable:
    """The table of a change's pairs, whose last day is `until_day`; groups by site and owner need their names.

    Raises:
        RefusedError: fewer pairs match than the first that is asked for.
    """
    found = matching(pairs, wanted.show, wanted.q)
    if wanted.first > max(len(found), 1):
        raise RefusedError(404, f"there is no pair number {wanted.first}: {len(found)} match")
    total = sum(each.alpha_bytes for each in found)
    if wanted.group != "none":
        groups = grouped(found, wanted.group, named)
        return PairTable(wanted, (), groups[:MOST_GROUPS], len(found), total, max(len(groups) - MOST_GROUPS, 0))
    chosen = ordered(found, wanted.order)[wanted.first - 1 : wanted.first - 1 + PAGE_PAIRS]
    return PairTable(wanted, tuple(_row(each, until_day) for each in chosen), (), len(found), total)


def _row(each: PairBytes, until_day: date) -> PairRow:
    drawn = spark(each.by_day, until_day, day_width=SPARK_DAY_WIDTH, height=SPARK_HEIGHT)
    seen = last_seen(each.by_day, until_day)
    return PairRow(CHANGES[each.sign], each.pair, each.reason, each.alpha_bytes, seen, drawn)


def matching(pairs: Sequence[PairBytes], show: Shown, q: str) -> list[PairBytes]:
    """The pairs of these kinds that a search finds ("": all).

    Raises:
        PairError: the search is no host, prefix or pair.
    """
    signs, search = SHOWN[show][0], PairSearch.parse(q) if q else None
    return [each for each in pairs if each.sign in signs and (search is None or search.finds(each.pair))]


def ordered(pairs: Sequence[PairBytes], order: Order) -> Sequence[PairBytes]:
    """The pairs in this order; of equals the added ones first, then in the order of pairs."""
    if order == "pair":
        return sorted(pairs, key=lambda each: each.pair.sort_key)
    if order == "seen":
        return sorted(pairs, key=_days_unseen)
    return sorted(pairs, key=lambda each: -each.alpha_bytes)


def _days_unseen(each: PairBytes) -> int:
    return next((back for back, value in enumerate(reversed(each.by_day)) if value), len(each.by_day))


def _first_pair(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        raise RefusedError(400, f"{text!r} is not the number of a pair; pairs are counted from 1")
    return int(text)
