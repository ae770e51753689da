"""Reservations that a router may not police: an exclusion or a protected prefix holds for their pair.

Such a reservation stays booked and keeps its part of the ports; texts leave it out as long as it is forbidden.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from hntes import clock
from hntes.etl.days import day_of_ms
from hntes.rules.columns import PairColumns
from hntes.rules.lifetime.evenings import exclusion_hits
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.reserved import Reserved
from hntes.rules.reservations.reservation import Reservation
from hntes.sql import overrides, reservations
from hntes.sql.entries import ExclusionEntry
from hntes.sql.session import Session
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.protected import OWNER, built_in_exclusions
from hntes.workflow.reservations.ports import as_reservation

__all__ = ["Forbidding", "HitReservation", "forbidding", "hit_by", "require_not_excluded"]


class Forbidding:
    """What may not be policed on a router, of the exclusions of people and those that always hold."""

    def __init__(self, exclusions: Sequence[ExclusionEntry], running: Collection[Reserved] = ()) -> None:
        self._exclusions = exclusions
        self._running = {(each.name, each.pair) for each in running}

    def forbids(self, reserved: Sequence[Reserved], moment_s: int) -> dict[str, str]:
        """Of these reservations, those that are forbidden on the day of a moment (epoch s): by name, in words why."""
        active = [each for each in self._exclusions if each.active_on(day_of_ms(1000 * moment_s))]
        asked = [each for each in reserved if (each.name, each.pair) not in self._running]
        columns = PairColumns.of([each.pair for each in asked])
        found: dict[str, str] = {}
        for entry in active:
            for row in exclusion_hits(columns, entry).nonzero()[0].tolist():
                found.setdefault(asked[row].name, _words(entry))
        return found

    def allowed(self, reserved: Sequence[Reserved], moment_s: int) -> tuple[Reserved, ...]:
        """Of these reservations, those that may be policed on the day of a moment (epoch s)."""
        forbidden = self.forbids(reserved, moment_s)
        return tuple(each for each in reserved if each.name not in forbidden)


def forbidding(
    context: Context, session: Session, router: str, *, must_know: bool = False, running: Collection[Reserved] = ()
) -> Forbidding:
    """What may not be policed on a router; `must_know` as for `built_in_exclusions`.

    `running`: what it polices already, and may go on to police until another text is proposed.

    Raises:
        CommandError: as `built_in_exclusions`.
    """
    stored = overrides.exclusions(session, router)
    return Forbidding((*stored, *built_in_exclusions(context, must_know=must_know)), running)


def require_not_excluded(session: Session, asked: Reservation) -> None:
    """Refuses a request whose pair is excluded on a router of its path on a day of its interval.

    Raises:
        CommandError: with the router, the exclusion and its days.
    """
    for router in dict.fromkeys(port.router for port in asked.ports):
        for entry in overrides.exclusions(session, router):
            if _hits(entry, asked, asked.start_s):
                raise CommandError(
                    f"reservation of {asked.pair}: excluded on {router} by {entry.owner} ({entry.side} {entry.prefix}) "
                    f"from {entry.from_day} through {entry.expires_day}; choose another time, or have the exclusion "
                    "withdrawn"
                )


@dataclass(frozen=True)
class HitReservation:
    """A reservation that an exclusion would hit: a rate of a pair, in [start_s, end_s), epoch s."""

    number: int
    owner: str
    pair: PrefixPair
    rate_bps: int
    start_s: int
    end_s: int


def hit_by(session: Session, entry: ExclusionEntry, router: str) -> tuple[HitReservation, ...]:
    """The reservations across a router that an exclusion would hit on a day on which they stand yet, by number."""
    now_s = clock.now_s()
    standing = map(as_reservation, reservations.standing(session, now_s, [router]))
    return tuple(
        HitReservation(each.number, each.owner, each.pair, each.rate_bps, each.start_s, each.end_s)
        for each in standing
        if _hits(entry, each, max(now_s, each.start_s))
    )


def _hits(entry: ExclusionEntry, asked: Reservation, since_s: int) -> bool:
    """Whether an exclusion is of the pair of a reservation, and holds on a day of its interval from `since_s` on."""
    begins = max(day_of_ms(1000 * since_s), entry.from_day)
    until = min(day_of_ms(1000 * asked.end_s - 1), entry.expires_day)
    holds = begins <= until and (entry.withdrawn_day is None or begins < entry.withdrawn_day)
    return holds and bool(exclusion_hits(PairColumns.of([asked.pair]), entry).any())


def _words(entry: ExclusionEntry) -> str:
    if entry.owner == OWNER:
        return f"holds {entry.prefix}: {entry.reason}"
    return f"excluded now by {entry.owner} ({entry.side} {entry.prefix}): {entry.reason}"
