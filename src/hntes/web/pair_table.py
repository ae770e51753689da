"""The pairs of a change as a table that is filtered, sorted, grouped and summed by the query of its address."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, get_args
from urllib.parse import urlencode

from hntes.addresses import Network
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.web.errors import RefusedError
from hntes.web.figures import Spark, last_seen, spark
from hntes.workflow.review.pair_bytes import PairBytes, PairSums, PrefixPair, pair_sums
from hntes.workflow.review.pair_owners import NOBODY, Sites

Shown = Literal["changed", "added", "removed", "kept", "all"]
Order = Literal["bytes", "pair", "seen"]
Group = Literal["none", "source", "destination", "site", "owner", "reason"]
SHOWN: Mapping[Shown, tuple[str, str]] = {
    "changed": ("+-", "added and removed"), "added": ("+", "added"), "removed": ("-", "removed"), "kept": ("=", "kept"),
    "all": ("+-=", "all"),
}  # fmt: skip
ORDERS: Mapping[Order, str] = {"bytes": "most bytes first", "pair": "prefixes", "seen": "last seen first"}
GROUPS: Mapping[Group, str] = {
    "none": "no groups", "source": "source /16 or /32", "destination": "destination /16 or /32", "site": "named site",
    "owner": "owner", "reason": "reason",
}  # fmt: skip
# Of a group's prefix, by IP version: what a site or a provider's customer commonly has.
GROUP_LENGTH = {4: 16, 6: 32}
PAGE_PAIRS, MOST_GROUPS = 100, 200
SPARK_DAY_WIDTH, SPARK_HEIGHT = 4, 20
CHANGES: Mapping[str, Literal["added", "removed", "kept"]] = {"+": "added", "-": "removed", "=": "kept"}


@dataclass(frozen=True)
class Wanted:
    """What of the pairs is shown: which, in which order and groups, matching `q`, from the `first`-th on."""

    show: Shown = "changed"
    order: Order = "bytes"
    group: Group = "none"
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
class GroupRow:
    """Pairs that have something in common: its name, their sums by sign, and the search that finds them ("": none)."""

    name: str
    sums: Mapping[str, PairSums]
    q: str

    @property
    def alpha_bytes(self) -> int:
        return sum(each.alpha_bytes for each in self.sums.values())


@dataclass(frozen=True)
class PairTable:
    """The table: rows of pairs, or of groups. `of` pairs match, with `alpha_bytes` in all."""

    wanted: Wanted
    rows: tuple[PairRow, ...]
    groups: tuple[GroupRow, ...]
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


@dataclass(frozen=True)
class GroupNames:
    """What names of groups depend on besides the pairs: the named sites, and the owners of pairs that have some."""

    sites: Sites
    owners: Mapping[PrefixPair, Sequence[str]]


UNNAMED = GroupNames(Sites.of(()), {})


def wanted_of(given: Mapping[str, str]) -> Wanted:
    """What the query of an address asks for.

    Raises:
        RefusedError: a field has a value that it cannot have.
        PairError: the search is no host, prefix or pair.
    """
    show, order, group = given.get("show", "changed"), given.get("sort", "bytes"), given.get("by", "none")
    for name, value, known in (("show", show, Shown), ("sort", order, Order), ("by", group, Group)):
        if value not in get_args(known):
            raise RefusedError(400, f"{name} = {value!r} is none of {', '.join(get_args(known))}")
    q = given.get("q", "").strip()
    if q:
        PairSearch.parse(q)
    return Wanted(show, order, group, q, _first_pair(given.get("pair", "1")))  # type: ignore[arg-type]


def pair_table(pairs: Sequence[PairBytes], wanted: Wanted, until_day: date, named: GroupNames = UNNAMED) -> PairTable:
    """The table of a change's pairs, whose last day is `until_day`; groups by site and owner need their names.

    Raises:
        RefusedError: fewer pairs match than the first that is asked for.
    """
    signs, search = SHOWN[wanted.show][0], PairSearch.parse(wanted.q) if wanted.q else None
    found = [each for each in pairs if each.sign in signs and (search is None or search.finds(each.pair))]
    if wanted.first > max(len(found), 1):
        raise RefusedError(404, f"there is no pair number {wanted.first}: {len(found)} match")
    total = sum(each.alpha_bytes for each in found)
    if wanted.group != "none":
        groups = _groups(found, wanted.group, named)
        return PairTable(wanted, (), groups[:MOST_GROUPS], len(found), total, max(len(groups) - MOST_GROUPS, 0))
    chosen = ordered(found, wanted.order)[wanted.first - 1 : wanted.first - 1 + PAGE_PAIRS]
    return PairTable(wanted, tuple(_row(each, until_day) for each in chosen), (), len(found), total)


def _row(each: PairBytes, until_day: date) -> PairRow:
    drawn = spark(each.by_day, until_day, day_width=SPARK_DAY_WIDTH, height=SPARK_HEIGHT)
    seen = last_seen(each.by_day, until_day)
    return PairRow(CHANGES[each.sign], each.pair, each.reason, each.alpha_bytes, seen, drawn)


def ordered(pairs: Sequence[PairBytes], order: Order) -> Sequence[PairBytes]:
    """The pairs in this order; of equals the added ones first, then in the order of pairs."""
    if order == "pair":
        return sorted(pairs, key=lambda each: each.pair.sort_key)
    if order == "seen":
        return sorted(pairs, key=_days_unseen)
    return sorted(pairs, key=lambda each: -each.alpha_bytes)


def _days_unseen(each: PairBytes) -> int:
    return next((back for back, value in enumerate(reversed(each.by_day)) if value), len(each.by_day))


def _groups(pairs: Iterable[PairBytes], group: Group, named: GroupNames) -> tuple[GroupRow, ...]:
    """The groups, that with the most bytes first."""
    name_of = _NAMED[group]
    found: dict[tuple[str, str], list[PairBytes]] = {}
    for each in pairs:
        found.setdefault(name_of(each, named), []).append(each)
    rows = [GroupRow(name, pair_sums(inside), q) for (name, q), inside in found.items()]
    return tuple(sorted(rows, key=lambda row: (-row.alpha_bytes, row.name)))


def _by_source(each: PairBytes, _: GroupNames) -> tuple[str, str]:
    prefix = _wider(each.pair.source)
    return prefix, f"{prefix}>"


def _by_destination(each: PairBytes, _: GroupNames) -> tuple[str, str]:
    prefix = _wider(each.pair.destination)
    return prefix, f">{prefix}"


def _by_site(each: PairBytes, named: GroupNames) -> tuple[str, str]:
    return f"{named.sites.name(each.pair.source)} > {named.sites.name(each.pair.destination)}", ""


def _by_owner(each: PairBytes, named: GroupNames) -> tuple[str, str]:
    return ", ".join(named.owners.get(each.pair, ())) or NOBODY, ""


def _by_reason(each: PairBytes, _: GroupNames) -> tuple[str, str]:
    """What stands before the first particulars: dates, counts and names differ from pair to pair."""
    return each.reason.partition(":")[0].partition("(")[0].strip() or CHANGES[each.sign], ""


_NAMED: Mapping[str, Callable[[PairBytes, GroupNames], tuple[str, str]]] = {
    "source": _by_source, "destination": _by_destination, "site": _by_site, "owner": _by_owner, "reason": _by_reason,
}  # fmt: skip


def _wider(prefix: Network) -> str:
    length = GROUP_LENGTH[prefix.version]
    if prefix.prefixlen <= length:
        return str(prefix)
    return str(prefix.supernet(new_prefix=length))


def _first_pair(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        raise RefusedError(400, f"{text!r} is not the number of a pair; pairs are counted from 1")
    return int(text)
