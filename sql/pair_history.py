"""What approved changes did with one pair, and what its counters held. Works within the caller's transaction."""

from dataclasses import dataclass
from datetime import date

from sqlalchemy import and_, select

from hntes.sql.change_facts import CHANGE_PAIR
from hntes.sql.changes import CHANGE
from hntes.sql.counter_readings import COUNTER_READING, CounterReadingEntry
from hntes.sql.reasons import Sign
from hntes.sql.rows import fetch_by
from hntes.sql.session import Session


@dataclass(frozen=True)
class ApprovedStep:
    """An approved nightly change; `sign` is what it did with the pair, None if it left it as it was."""

    day: date
    sign: Sign | None


def approved_steps(session: Session, router: str, source: str, destination: str) -> tuple[ApprovedStep, ...]:
    """The router's approved nightly changes by day, with what they did with a pair."""
    of, pair = CHANGE.c, CHANGE_PAIR.c
    is_of_pair = and_(
        pair.change_id == of.change_id, pair.sign.in_(("+", "-")), pair.source == source,
        pair.destination == destination,
    )  # fmt: skip
    chosen = select(of.day, pair.sign).select_from(CHANGE.outerjoin(CHANGE_PAIR, is_of_pair))
    rows = session.execute(
        chosen.where(of.router == router, of.state == "approved", of.effective_s.is_(None)).order_by(of.day)
    )
    return tuple(ApprovedStep(day, sign) for day, sign in rows)


@dataclass(frozen=True)
class PairReading:
    """What the counters of one pair held at one moment, over all interfaces: bytes and packets since they began."""

    read_ms: int
    bytes: int
    packets: int


def pair_readings(session: Session, router: str, source: str, destination: str) -> tuple[PairReading, ...]:
    """The readings of a pair's own counters, by moment; none where the router counts all pairs together."""
    found = fetch_by(
        session, COUNTER_READING, CounterReadingEntry, router=router, source=source, destination=destination
    )
    sums: dict[int, tuple[int, int]] = {}
    for each in found:
        held = sums.get(each.read_ms, (0, 0))
        sums[each.read_ms] = (held[0] + each.bytes, held[1] + each.packets)
    return tuple(PairReading(read_ms, *held) for read_ms, held in sorted(sums.items()))
