"""Rules of a router as of a day, the known pairs that have none, and the facts about both."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from ipaddress import ip_network
from typing import Literal

from hntes.format import gigabytes
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ExclusionEntry, PinEntry

Cause = Literal["aged_out", "pin_ended", "excluded", "waiting", "weak_evidence"]


@dataclass(frozen=True)
class PairLife:
    """The facts about one prefix pair of one router as of day D, whether it has a rule or not.

    Counts and bytes are of the whole history up to D, whatever the lives; `recent_bytes` of the last `ageing_days`
    calendar days, D included. `since` is the first day of the latest life. Pairs never seen (pinned ones) have neither
    first_seen nor last_seen, and age 0. Days of weak evidence that did not count are in none of these, unless there is
    nothing else; `weak_days` of the days seen are weak.
    """

    pair: PrefixPair
    first_seen: date | None
    last_seen: date | None
    since: date
    days_seen: int
    flows: int
    alpha_bytes: int
    recent_bytes: int
    peak_bytes: int
    age_days: int
    frozen_days: int
    weak_days: int = field(default=0, kw_only=True)


@dataclass(frozen=True)
class Rule(PairLife):
    """A pair with a filter term, and the reason.

    `protected`: in force on a night with incomplete data, so not to be removed.
    """

    why: str
    pinned: bool
    protected: bool = False


@dataclass(frozen=True)
class Departure:
    """A known pair without a rule as of day D, since when, and the reason."""

    life: PairLife
    cause: Cause
    absent_since: date
    reason: str

    @property
    def pair(self) -> PrefixPair:
        return self.life.pair


@dataclass(frozen=True)
class RuleSet:
    """The rules of one router as of one day, the known pairs without one, and the exclusions that held; all sorted."""

    router: str
    day: date
    ageing_days: int
    rules: tuple[Rule, ...]
    left: tuple[Departure, ...]
    exclusions: tuple[ExclusionEntry, ...]


@dataclass(frozen=True)
class Selection:
    """The rules with a term, in filter order, and those without, by descending priority."""

    term_budget: int
    kept: tuple[Rule, ...]
    left_out: tuple[Rule, ...]

    @property
    def left_out_bytes(self) -> int:
        """Alpha bytes in the ageing interval that the dropped rules would have matched."""
        return sum(rule.recent_bytes for rule in self.left_out)

    @property
    def report(self) -> str:
        """One line for an operator, empty if all rules have a term."""
        if not self.left_out:
            return ""
        pinned = sum(rule.pinned for rule in self.left_out)
        wanted = len(self.kept) + len(self.left_out)
        line = (
            f"{wanted} pairs qualify for a term, the budget is {self.term_budget}: {len(self.left_out)} left out, "
            f"with {gigabytes(self.left_out_bytes)} of alpha traffic in the ageing interval"
        )
        return f"{line}; {pinned} of them pinned: raise term_budget or withdraw pins" if pinned else line


def excludes(exclusion: ExclusionEntry, pair: PrefixPair) -> bool:
    """Whether the exclusion's prefix overlaps the pair's prefix on the exclusion's side, whatever its days."""
    prefix = ip_network(exclusion.prefix)
    if prefix.version != pair.ip_version:
        return False
    on_source, on_destination = prefix.overlaps(pair.source), prefix.overlaps(pair.destination)
    return {"source": on_source, "destination": on_destination, "either": on_source or on_destination}[exclusion.side]


def pins_of(pair: PrefixPair, pins: Iterable[PinEntry], router: str) -> tuple[PinEntry, ...]:
    """The router's pins of exactly this pair, ended and future ones too, by first day."""
    return sorted_pins(pin for pin in pins if pin.router == router and pinned_pair(pin) == pair)


def pinned_pair(pin: PinEntry) -> PrefixPair:
    """The pair of a pin."""
    return PrefixPair(ip_network(pin.source), ip_network(pin.destination))


def sorted_pins(pins: Iterable[PinEntry]) -> tuple[PinEntry, ...]:
    """Pins by first day, in an order that does not depend on the input's."""
    return tuple(sorted(pins, key=lambda pin: (pin.from_day, pin.owner, pin.reason, *_ends(pin))))


def sorted_exclusions(exclusions: Iterable[ExclusionEntry]) -> tuple[ExclusionEntry, ...]:
    """Exclusions by last day, in an order that does not depend on the input's."""
    return tuple(
        sorted(exclusions, key=lambda e: (*_ends(e), e.scope_router, e.side, e.prefix, e.from_day, e.owner, e.reason))
    )


def _ends(entry: PinEntry | ExclusionEntry) -> tuple[date, date]:
    return entry.expires_day or date.max, entry.withdrawn_day or date.max
