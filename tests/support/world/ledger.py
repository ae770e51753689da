"""What was true in a world, kept apart from HNTES: who approved and forbade what, and what the log has to tell."""

import re
from dataclasses import dataclass, field
from datetime import date

from hntes.platforms.owned_config import OwnedConfig
from tests.support.world.traffic import Day

# Sources of pairs are in 198.18.0.0/16 alone, whichever way a platform writes a prefix.
_NUMBER = re.compile(r"198\.18\.(\d+)\.0\b")


def pairs_in(text: str) -> frozenset[int]:
    """The numbers of the pairs of which a configuration names the source."""
    return frozenset(map(int, _NUMBER.findall(text)))


@dataclass(frozen=True)
class Approval:
    """A person approved a text for a router that held `before`."""

    candidate_hash: str
    part: OwnedConfig
    before: OwnedConfig
    who: str


@dataclass(frozen=True)
class Said:
    """What a call told its caller was done; the log has to have it."""

    kind: str
    router: str | None
    candidate_hash: str | None = None
    who: str | None = None
    outcome: str | None = None


@dataclass
class Ledger:
    """By router: approvals, pairs that may not arrive, pairs wanted by a person, days, and what it held for good.

    `withdrawing`: routers from which a person is removing something just now, and what: None is all of HNTES.
    `edits`: routers at which a person has changed something by hand since the last look.
    """

    approvals: dict[str, list[Approval]] = field(default_factory=dict)
    excluded: dict[str, set[int]] = field(default_factory=dict)
    pinned: dict[str, set[int]] = field(default_factory=dict)
    days: dict[str, dict[date, Day]] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    withdrawing: dict[str, int | None] = field(default_factory=dict)
    edits: set[str] = field(default_factory=set)
    said: list[Said] = field(default_factory=list)

    def has_been_alpha(self, router: str) -> frozenset[int]:
        """The pairs that truly had an alpha flow through a router, on any day so far."""
        return frozenset(pair for each in self.days.get(router, {}).values() for pair in each.alpha)

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
