"""The rules of a router that age out soon, as of its newest proposal. Works within the caller's transaction.

They follow from the whole history, which takes half a second to read for 10,000 pairs; so the night stores them.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import func, select

from hntes.sql.rows import capped, fetch, fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import table

# Rules that age out after more complete days are not stored.
AGEING_DAYS = 7


@dataclass(frozen=True)
class AgeingRule:
    """A rule that ages out after `days_left` more complete days (1 to AGEING_DAYS) without alpha traffic of its pair.

    `source` and `destination` are its prefixes; `days_seen` and `alpha_bytes` are of its whole history.
    """

    router: str
    source: str
    destination: str
    days_left: int
    last_seen: date
    days_seen: int
    alpha_bytes: int


@dataclass(frozen=True)
class AgeingDay:
    """The rules of a router, as of `day`, that age out after so many more complete days: their number and bytes."""

    router: str
    days_left: int
    day: date
    rules: int
    alpha_bytes: int


AGEING_DAY = table(
    "ageing_day", AgeingDay, key=("router", "days_left"),
    grain="One row per router and number of complete days (1 to 7) after which rules of its newest proposal age out.",
)  # fmt: skip
AGEING_RULE = table(
    "ageing_rule", AgeingRule, key=("router", "source", "destination"),
    grain="One row per router and rule of its newest proposal that ages out within seven complete days.",
)  # fmt: skip


def replace_ageing(session: Session, router: str, day: date, rules: Sequence[AgeingRule]) -> None:
    """Puts the rules as of a day in the place of what the router had, unless that is of a later day."""
    lock(session, "ageing_rule", router)
    known = session.execute(select(func.max(AGEING_DAY.c.day)).where(AGEING_DAY.c.router == router)).scalar_one()
    if known is not None and known > day:
        return
    remove(session, AGEING_DAY, router=router)
    remove(session, AGEING_RULE, router=router)
    store(session, AGEING_DAY, [_day(router, day, left, rules) for left in range(1, AGEING_DAYS + 1)])
    store(session, AGEING_RULE, [capped(each, ("alpha_bytes",)) for each in rules])


def _day(router: str, day: date, left: int, rules: Iterable[AgeingRule]) -> AgeingDay:
    chosen = [each for each in rules if each.days_left == left]
    made = AgeingDay(router, left, day, len(chosen), sum(each.alpha_bytes for each in chosen))
    return capped(made, ("alpha_bytes",))


def ageing_days(session: Session, router: str) -> tuple[AgeingDay, ...]:
    """The router's seven rows by the days that are left; none before its first proposal."""
    found = fetch_by(session, AGEING_DAY, AgeingDay, router=router)
    return tuple(sorted(found, key=lambda each: each.days_left))


@dataclass(frozen=True)
class AgeingSum:
    """The same summed over routers."""

    days_left: int
    rules: int
    alpha_bytes: int


def ageing_sums(session: Session, routers: Collection[str]) -> tuple[AgeingSum, ...]:
    """The sums over these routers by the days that are left; none before the first proposal."""
    sums: dict[int, tuple[int, int]] = {}
    for each in fetch(session, AGEING_DAY, AgeingDay, AGEING_DAY.c.router.in_(routers)):
        rules, carried = sums.get(each.days_left, (0, 0))
        sums[each.days_left] = (rules + each.rules, carried + each.alpha_bytes)
    return tuple(AgeingSum(days_left, *sums[days_left]) for days_left in sorted(sums))


def ageing_rules(session: Session, router: str, most: int) -> tuple[AgeingRule, ...]:
    """The router's rules that age out soon, the next to go first, then by bytes; at most so many."""
    of = AGEING_RULE.c
    chosen = select(*(of[name] for name in AgeingRule.__dataclass_fields__)).where(of.router == router)
    order = (of.days_left, of.alpha_bytes.desc(), of.source, of.destination)
    return tuple(AgeingRule(*row) for row in session.execute(chosen.order_by(*order).limit(most)))
