"""What was true in a world, kept apart from HNTES: who approved and forbade what, and what the log has to tell."""

import re
from dataclasses import dataclass, field
from datetime import date

from hntes.platforms.owned_config import OwnedConfig
from tests.support.world.traffic import Day

# A reservation is on its routers so long before it starts.
LEAD_S = 120
# Of each reservation. As much as fits the class of the plan (a tenth of the slowest port) twice, so that a third at
# once is refused.
RATE_BPS = 500_000_000
# Sources of pairs are in 198.18.0.0/16 alone, whichever way a platform writes a prefix.
_NUMBER = re.compile(r"198\.18\.(\d+)\.0\b")


def pairs_in(text: str) -> frozenset[int]:
    """The numbers of the pairs of which a configuration names the source."""
    return frozenset(map(int, _NUMBER.findall(text)))


@dataclass(frozen=True)
class Approval:
    """A person approved a text. `rules`: of it without reservations; `before_rules`: of what the router was said to
    hold."""

    candidate_hash: str
    part: OwnedConfig
    rules: OwnedConfig
    before_rules: OwnedConfig
    who: str


@dataclass(frozen=True)
class Said:
    """What a call told its caller was done; the log has to have it."""

    kind: str
    router: str | None
    candidate_hash: str | None = None
    who: str | None = None
    outcome: str | None = None


@dataclass(frozen=True)
class Pin:
    """A person wanted a pair kept from this day on, until before `until`. `is_certain`: the call has said that it is
    stored, and none since has been asked to end it."""

    from_day: date
    until: date | None = None
    is_certain: bool = False


@dataclass(frozen=True)
class Booking:
    """A person asked for a rate of a pair through a router, in [start_s, end_s)."""

    router: str
    pair: int
    start_s: int
    end_s: int


@dataclass(frozen=True)
class Grant:
    """A person approved in advance what is reserved on a router, together up to a rate, in [start_s, end_s)."""

    router: str
    rate_bps: int
    start_s: int
    end_s: int


@dataclass
class Known:
    """What the database has to know, so that it goes back with one that is restored.

    By router: `excluded`, the pairs that may not be there and from which day on; `ending`, those of which a person
    wanted that ended, and no call has said that it is; `pins` by pair. `cancelled` and `revoked`: bookings and
    quotas of which a call has said so.
    """

    said: list[Said] = field(default_factory=list)
    excluded: dict[str, dict[int, date]] = field(default_factory=dict)
    ending: dict[str, set[int]] = field(default_factory=dict)
    pins: dict[str, dict[int, Pin]] = field(default_factory=dict)
    cancelled: set[Booking] = field(default_factory=set)
    revoked: set[Grant] = field(default_factory=set)


@dataclass
class Ledger:
    """By router: approvals, pairs ever wanted by a person, days, and what it held for good.

    `withdrawing`: routers from which a person is removing something just now, and what: None is all of HNTES.
    `edits`: routers at which a person has changed something by hand since the last look. `restarted`: that were
    restarted since. `undone`: at which a person has undone a delivery, and HNTES has not asked them since. `bookings`,
    `quotas`: all that were ever asked for and not refused. `cancelled_since`: bookings that were cancelled since the
    last night.
    """

    known: Known = field(default_factory=Known)
    approvals: dict[str, list[Approval]] = field(default_factory=dict)
    pinned: dict[str, set[int]] = field(default_factory=dict)
    days: dict[str, dict[date, Day]] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    withdrawing: dict[str, int | None] = field(default_factory=dict)
    edits: set[str] = field(default_factory=set)
    restarted: set[str] = field(default_factory=set)
    undone: set[str] = field(default_factory=set)
    bookings: list[Booking] = field(default_factory=list)
    quotas: list[Grant] = field(default_factory=list)
    cancelled_since: set[Booking] = field(default_factory=set)

    def has_been_alpha(self, router: str) -> frozenset[int]:
        """The pairs that truly had an alpha flow through a router, on any day so far."""
        return frozenset(pair for each in self.days.get(router, {}).values() for pair in each.alpha)

    def may_be_reserved(self, router: str, moment_s: float) -> frozenset[int]:
        """The pairs of reservations that may come to a router at a moment: it is to police them now, or soon."""
        standing = (each for each in self.bookings if each not in self.known.cancelled and each.router == router)
        return frozenset(each.pair for each in standing if each.start_s - LEAD_S <= moment_s < each.end_s)

    def not_ended(self, router: str, moment_s: float) -> frozenset[int]:
        """The pairs of reservations that may be on a router: also of those cancelled since the last night, and of those
        that by a clock which was set back have not begun.
        """
        cancelled = self.known.cancelled - self.cancelled_since
        standing = (each for each in self.bookings if each not in cancelled and each.router == router)
        return frozenset(each.pair for each in standing if moment_s < each.end_s)

    def last_alpha(self, router: str, pair: int) -> date | None:
        """The last day on which a pair truly had an alpha flow, whatever became of its files."""
        return max((day for day, each in self.days.get(router, {}).items() if pair in each.alpha), default=None)

    def quiet_good_days(self, router: str, pair: int, until: date) -> int:
        """On how many days with good files, since its last alpha flow in good files, a pair had none."""
        count = 0
        for _, each in sorted(self.days.get(router, {}).items(), reverse=True):
            if each.day > until or not each.is_good:
                continue
            if pair in each.alpha:
                return count
            count += 1
        return count
