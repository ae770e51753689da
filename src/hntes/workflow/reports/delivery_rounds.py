"""Rounds of deliveries: events that follow each other closely, each round whole."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hntes.sql.entries import AuditEventEntry

# A round of more events is shown without its beginning: about five each of 400 routers.
MOST_READ = 2_000
# Reads so many events, newest first, before the event of a number (None: the newest).
Read = Callable[[int | None, int], Sequence[AuditEventEntry]]


@dataclass(frozen=True)
class DeliveryRound:
    """Events of deliveries that followed each other, oldest first. If it is not whole, its first ones were not read."""

    events: tuple[AuditEventEntry, ...]
    is_whole: bool = True

    @property
    def routers(self) -> tuple[str, ...]:
        """Its routers in the order in which they began: the canary is the first."""
        return tuple(dict.fromkeys(each.router for each in self.events if each.router))


def newest_rounds(read: Read, gap_minutes: int, at_least: int) -> tuple[tuple[DeliveryRound, ...], int | None]:
    """The newest rounds with at least so many events, newest first, and the first event's number if there are older.

    The round that this limit cuts is read to its beginning, up to MOST_READ events in all. One that is cut then is left
    out, unless it is the newest, which is then not whole.
    """
    events = [*read(None, at_least + 1)]
    has_more, rounds = len(events) > at_least, rounds_of(events, gap_minutes)
    while has_more and _count(rounds[:-1]) < at_least and len(events) < MOST_READ:
        older = read(events[-1].number, at_least)
        events += older
        has_more, rounds = len(older) == at_least, rounds_of(events, gap_minutes)
    if not has_more:
        return rounds, None
    # whether the oldest one that was read is whole is not known
    shown = rounds[:-1] or (replace(rounds[0], is_whole=False),)
    return shown, shown[-1].events[0].number


def rounds_of(newest_first: Sequence[AuditEventEntry], gap_minutes: int) -> tuple[DeliveryRound, ...]:
    """The events in groups whose members follow each other within `gap_minutes`, the newest group first."""
    rounds: list[list[AuditEventEntry]] = []
    for event in newest_first:
        if rounds and rounds[-1][-1].time_ms - event.time_ms <= gap_minutes * 60_000:
            rounds[-1].append(event)
        else:
            rounds.append([event])
    return tuple(DeliveryRound(tuple(reversed(each))) for each in rounds)


def _count(rounds: Sequence[DeliveryRound]) -> int:
    return sum(len(each.events) for each in rounds)
