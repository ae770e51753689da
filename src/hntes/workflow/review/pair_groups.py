"""The pairs of a change in groups with their sums, for the page, for programs, and on the command line."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from hntes.addresses import Network
from hntes.settings.model import Router
from hntes.workflow.context import Context
from hntes.workflow.review.pair_bytes import PairBytes, PairSums, PrefixPair, pair_sums
from hntes.workflow.review.pair_owners import NOBODY, Sites, pair_owners, sites_of

Group = Literal["source", "destination", "site", "owner", "reason"]
GROUPS: Mapping[str, str] = {
    "source": "source /16 or /32", "destination": "destination /16 or /32", "site": "named site", "owner": "owner",
    "reason": "reason",
}  # fmt: skip
# Of a group's prefix, by IP version: what a site or a provider's customer commonly has.
GROUP_LENGTH = {4: 16, 6: 32}
CHANGES: Mapping[str, Literal["added", "removed", "kept"]] = {"+": "added", "-": "removed", "=": "kept"}


@dataclass(frozen=True)
class PairGroup:
    """Pairs that have something in common: its name, their sums by sign, and the search that finds them ("": none)."""

    name: str
    sums: Mapping[str, PairSums]
    q: str

    @property
    def alpha_bytes(self) -> int:
        return sum(each.alpha_bytes for each in self.sums.values())


@dataclass(frozen=True)
class GroupNames:
    """What names of groups depend on besides the pairs: the named sites, and the owners of pairs that have some."""

    sites: Sites
    owners: Mapping[PrefixPair, Sequence[str]]


UNNAMED = GroupNames(Sites.of(()), {})


def group_names(context: Context, router: Router, pairs: Sequence[PairBytes], day: date, group: str) -> GroupNames:
    """What groups of a change of this day are named by; owners are looked up only where they are asked for.

    Raises:
        AnnouncedError: as `pair_owners`.
    """
    if group == "owner":
        return GroupNames(UNNAMED.sites, pair_owners(context, router, [each.pair for each in pairs], day))
    return GroupNames(sites_of(context), {}) if group == "site" else UNNAMED


def grouped(pairs: Iterable[PairBytes], group: Group, named: GroupNames = UNNAMED) -> tuple[PairGroup, ...]:
    """The groups, that with the most bytes first."""
    name_of = _NAMED[group]
    found: dict[tuple[str, str], list[PairBytes]] = {}
    for each in pairs:
        found.setdefault(name_of(each, named), []).append(each)
    rows = [PairGroup(name, pair_sums(inside), q) for (name, q), inside in found.items()]
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


_NAMED: Mapping[Group, Callable[[PairBytes, GroupNames], tuple[str, str]]] = {
    "source": _by_source, "destination": _by_destination, "site": _by_site, "owner": _by_owner, "reason": _by_reason,
}  # fmt: skip


def _wider(prefix: Network) -> str:
    length = GROUP_LENGTH[prefix.version]
    if prefix.prefixlen <= length:
        return str(prefix)
    return str(prefix.supernet(new_prefix=length))
