"""What the history alone says of every prefix pair, as columns: quick to store, to read, and to search for a few pairs.

Pins and exclusions are left out. The outcome of a pair follows from its own sightings, from the pins of it and the
exclusions that hit it; so whatever operators enter, the outcome of all other pairs stays what the history says.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

from hntes import format as wording
from hntes.addresses import Network
from hntes.rules import pairs
from hntes.rules.lifetime import overlaps, pair_days, rule_set
from hntes.rules.lifetime.budget import Standing, standing
from hntes.rules.lifetime.rule_set import Departure, PairLife, Rule, RuleSet
from hntes.rules.pairs import PrefixPair
from hntes.sql import observations
from hntes.sql.entries import ExclusionEntry

_WIDTH = {4: 32, 6: 128}
_DAYS = ("first_seen", "last_seen", "since")
_COUNTS = ("days_seen", "flows", "alpha_bytes", "recent_bytes", "peak_bytes", "age_days", "frozen_days", "weak_days")
_OUTCOME = ("cause", "absent_since", "why")


@dataclass(frozen=True)
class RulesByHistory:
    """The rules of a router as of a day without pins, exclusions and budget; one place per pair, in filter order.

    `columns` are named after the fields of `PairLife`, days as ordinals; `version`, `source` and `destination` are the
    pair's. `cause` and `absent_since` are None for a rule; `why` is the rule's or the departure's reason. All pairs of
    a family have the length of `lengths` for it, IPv4 first.
    """

    router: str
    day: date
    ageing_days: int
    lengths: tuple[int, int]
    columns: dict[str, list[Any]]

    @classmethod
    def of(cls, found: RuleSet, lengths: tuple[int, int]) -> "RulesByHistory":
        """From a rule set that was made without pins and exclusions, of pairs with these prefix lengths."""
        outcomes: list[Rule | Departure] = sorted((*found.rules, *found.left), key=lambda one: one.pair.sort_key)
        lives = [one if isinstance(one, Rule) else one.life for one in outcomes]
        gone = [one if isinstance(one, Departure) else None for one in outcomes]
        columns: dict[str, list[Any]] = {
            "version": [life.pair.ip_version for life in lives],
            "source": [int(life.pair.source.network_address) for life in lives],
            "destination": [int(life.pair.destination.network_address) for life in lives],
            "cause": [each.cause if each else None for each in gone],
            "absent_since": [each.absent_since.toordinal() if each else None for each in gone],
            "why": [one.why if isinstance(one, Rule) else one.reason for one in outcomes],
        }
        for name in _DAYS:
            columns[name] = [day.toordinal() if (day := getattr(life, name)) else None for life in lives]
        for name in _COUNTS:
            columns[name] = [getattr(life, name) for life in lives]
        return cls(found.router, found.day, found.ageing_days, lengths, columns)

    @classmethod
    def read(cls, content: str, router: str, day: date) -> "RulesByHistory":
        """From what `content` gave."""
        found = json.loads(content)
        return cls(router, day, found["ageing_days"], tuple(found["lengths"]), found["columns"])

    @property
    def content(self) -> str:
        """A text from which it can be read again; it does not name router and day."""
        found = {"ageing_days": self.ageing_days, "lengths": self.lengths, "columns": self.columns}
        return json.dumps(found, separators=(",", ":"), ensure_ascii=False)

    def __len__(self) -> int:
        return len(self.columns["version"])

    @cached_property
    def _ipv4_pairs(self) -> int:
        return sum(version == 4 for version in self.columns["version"])

    def pair(self, place: int) -> PrefixPair:
        """The pair at a place."""
        source, destination = self.columns["source"][place], self.columns["destination"][place]
        if place < self._ipv4_pairs:
            length = self.lengths[0]
            return PrefixPair(IPv4Network((source, length)), IPv4Network((destination, length)))
        length = self.lengths[1]
        return PrefixPair(IPv6Network((source, length)), IPv6Network((destination, length)))

    def place(self, pair: PrefixPair) -> int | None:
        """Where the pair is; None if the history does not know it."""
        lengths = (pair.source.prefixlen, pair.destination.prefixlen)
        if lengths != (self.lengths[pair.ip_version == 6],) * 2:
            return None
        ends = (pair.ip_version, int(pair.source.network_address), int(pair.destination.network_address))
        return self._places.get(ends)

    @cached_property
    def _places(self) -> dict[tuple[int, int, int], int]:
        ends = zip(*(self.columns[name] for name in ("version", "source", "destination")), strict=True)
        return {key: place for place, key in enumerate(ends)}

    def standings(
        self, places: Iterable[int], in_force: Collection[int], day_complete: bool
    ) -> list[tuple[Standing, int]]:
        """How the rules at these places stand in the order of terms, sorted; `in_force` are places, too.

        On a night with incomplete data what is in force is kept and protected, as by `never_remove_when_incomplete`.
        """
        cause, octets, days = (self.columns[name] for name in ("cause", "recent_bytes", "days_seen"))
        found = []
        for place in places:
            is_in_force = place in in_force
            is_protected = is_in_force and not day_complete
            if cause[place] is None or is_protected:
                found.append((standing(octets[place], days[place], is_in_force, is_protected), place))
        return sorted(found)

    def outcomes(self, places: Iterable[int]) -> Iterator[Rule | Departure]:
        """The rules and departures at these places."""
        columns = [self.columns[name] for name in (*_DAYS, *_COUNTS, *_OUTCOME)]
        day_of = cache(lambda ordinal: None if ordinal is None else date.fromordinal(ordinal))
        for place in places:
            first, last, since, *counts, weak_days, cause, absent, why = (column[place] for column in columns)
            seen = (self.pair(place), day_of(first), day_of(last), date.fromordinal(since))
            days_seen, flows, octets, recent, peak, age, frozen = counts
            count = (days_seen, flows, octets, recent, peak, age, frozen)
            if cause is None:
                yield Rule(*seen, *count, why, pinned=False, weak_days=weak_days)
            else:
                yield Departure(PairLife(*seen, *count, weak_days=weak_days), cause, date.fromordinal(absent), why)

    def overlapping(self, source: Network | None, destination: Network | None) -> set[int]:
        """The places of the pairs that overlap these prefixes, each on its side; None: whatever is there."""
        sides = [(name, one) for name, one in (("source", source), ("destination", destination)) if one is not None]
        found = [self._overlapping(name, {one}) for name, one in sides]
        return set.intersection(*found) if found else set(range(len(self)))

    def hit_by(self, exclusions: Sequence[ExclusionEntry]) -> set[int]:
        """The places of the pairs that some exclusion hits, whatever its days."""
        found: set[int] = set()
        for side in ("source", "destination"):
            found |= self._overlapping(side, {ip_network(e.prefix) for e in exclusions if e.side in (side, "either")})
        return found

    def _overlapping(self, side: str, prefixes: Iterable[Network]) -> set[int]:
        """Two prefixes overlap if they agree in as many bits as the shorter one has."""
        heads: dict[tuple[int, int], set[int]] = {}
        for prefix in prefixes:
            length = self.lengths[prefix.version == 6]
            drop = _WIDTH[prefix.version] - min(length, prefix.prefixlen)
            heads.setdefault((prefix.version, drop), set()).add(int(prefix.network_address) >> drop)
        found: set[int] = set()
        for (version, drop), wanted in heads.items():
            first, end = (0, self._ipv4_pairs) if version == 4 else (self._ipv4_pairs, len(self))
            column = self.columns[side][first:end]
            found.update(place for place, number in enumerate(column, first) if number >> drop in wanted)
        return found


@cache
def code_digest() -> str:
    """Names the code that decides what the history says: what other code made is made anew."""
    modules = (rule_set, pair_days, overlaps, pairs, wording)
    files = [str(module.__file__) for module in (*modules, observations)] + [__file__]
    return hashlib.sha256(b"".join(Path(file).read_bytes() for file in files)).hexdigest()


def made_from(
    digests: Iterable[tuple[date, str]],
    complete_days: Iterable[date],
    lengths: tuple[int, int],
    ageing_days: int,
    weak_evidence: str,
    day: date,
) -> str:
    """Names all that the rules by history of a day follow from.

    Args:
        digests: Those of all days with observations, later ones too: whether a flow that cannot be true counts depends
            on whether its hosts are ever seen otherwise.
        complete_days: The complete days up to the day.
        lengths: Prefix lengths of IPv4 and IPv6.
        ageing_days: The complete days after which a pair goes.
        weak_evidence: What a day of borderline flows counts for.
        day: The day as of which they are.
    """
    taken: tuple[object, ...] = (
        code_digest(), [f"{each} {digest}" for each, digest in sorted(digests)], sorted(map(str, complete_days)),
        lengths, ageing_days, weak_evidence, str(day),
    )  # fmt: skip
    return hashlib.sha256(json.dumps(taken).encode()).hexdigest()
