"""The hosts that sent alpha flows, with and without ECN. Works within the caller's transaction."""

from dataclasses import dataclass
from datetime import date

from sqlalchemy import Float, case, cast, func, select

from hntes.sql.observations import OBSERVATION
from hntes.sql.session import Session


@dataclass(frozen=True)
class AlphaSenders:
    """Source hosts of a router's believed alpha flows from `from_day` through `until_day`.

    `known` are those with a flow whose ToS the lake has, in all of its records; `with_ecn` of them had one with a
    record that shows an ECN codepoint other than Not-ECT (RFC 3168): no fewer have negotiated ECN, perhaps more, since
    a record has the ToS of one packet, which may be a SYN. `unknown` are the other hosts. `known_bytes` and `ecn_bytes`
    are those of all such flows.
    """

    router: str
    from_day: date
    until_day: date
    known: int
    with_ecn: int
    unknown: int
    known_bytes: float
    ecn_bytes: float

    @property
    def ecn_bytes_share(self) -> float | None:
        """Of the bytes whose ToS is known, those of flows with ECN (0..1); None without any."""
        return self.ecn_bytes / self.known_bytes if self.known_bytes else None


def alpha_senders(session: Session, router: str, from_day: date, until_day: date) -> AlphaSenders:
    """The senders in the observations of these days."""
    of = OBSERVATION.c
    is_known, has_ecn = of.ecn_records.is_not(None), of.ecn_records > 0
    # as floating point: forged counters may add up to more than 64 bits
    byte_count = cast(of.flow_bytes, Float)
    chosen = select(
        func.count(of.source.distinct()),
        func.count(case((is_known, of.source)).distinct()),
        func.count(case((has_ecn, of.source)).distinct()),
        func.coalesce(func.sum(case((is_known, byte_count))), 0.0),
        func.coalesce(func.sum(case((has_ecn, byte_count))), 0.0),
    ).where(of.router == router, of.day >= from_day, of.day <= until_day, of.implausible.is_(False))
    hosts, known, with_ecn, known_bytes, ecn_bytes = session.execute(chosen).one()
    return AlphaSenders(router, from_day, until_day, known, with_ecn, hosts - known, known_bytes, ecn_bytes)
