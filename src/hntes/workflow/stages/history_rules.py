"""What the history alone says of a router's pairs: read where it was kept, else computed."""

from collections.abc import Iterable
from datetime import date

from sqlalchemy.orm import Session

from hntes.rules.lifetime.by_history import RulesByHistory, made_from
from hntes.rules.lifetime.pair_days import PairDay, pair_days
from hntes.rules.lifetime.rule_set import rule_set
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql import day_status, observations, rules_by_history
from hntes.sql.entries import DailyTotal, DayEntry
from hntes.sql.rules_by_history import RulesByHistoryEntry
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context


def keep_history_rules(context: Context, router: Router, day: date) -> None:
    """Keeps what the history says as of a day, for whoever asks later; not of a day before the one that is kept."""
    with reading(context.database) as session:
        kept_day = rules_by_history.day_of(session, router.name)
        if kept_day is not None and day < kept_day <= context.last_day:
            return
        statuses = day_status.day_statuses(session, router.name, day)
        origin = _origin(context, session, router, day, statuses)
        if rules_by_history.content_of(session, router.name, day, origin) is not None:
            return
        content = _computed(context, session, router, day, statuses).content
    with transaction(context.database) as session:
        entry = RulesByHistoryEntry(router.name, day, origin, content)
        rules_by_history.keep(session, entry, context.last_day)


def history_rules(
    context: Context, session: Session, router: Router, day: date, statuses: tuple[DayEntry, ...]
) -> RulesByHistory:
    """What the history says as of a day; `statuses` are those of all days up to it."""
    origin = _origin(context, session, router, day, statuses)
    content = rules_by_history.content_of(session, router.name, day, origin)
    if content is None:
        return _computed(context, session, router, day, statuses)
    return RulesByHistory.read(content, router.name, day)


def history_of(
    context: Context, session: Session, router: Router, day: date, pairs: Iterable[PrefixPair]
) -> tuple[PairDay, ...]:
    """The days up to this one on which these pairs were seen; those of other lengths than the settings' never are."""
    lengths = _lengths(context)
    found: list[DailyTotal] = []
    for pair in pairs:
        if (pair.source.prefixlen, pair.destination.prefixlen) != (lengths[pair.ip_version == 6],) * 2:
            continue
        found += observations.totals_between(session, router.name, pair.source, pair.destination, day)
    return pair_days(found, *lengths)


def whole_history(context: Context, session: Session, router: Router, day: date) -> tuple[PairDay, ...]:
    """The same of all pairs."""
    return pair_days(observations.unsorted_totals(session, router.name, day), *_lengths(context))


def _computed(
    context: Context, session: Session, router: Router, day: date, statuses: tuple[DayEntry, ...]
) -> RulesByHistory:
    found = rule_set(
        whole_history(context, session, router, day), statuses, (), (), router=router.name, day=day,
        ageing_days=context.settings.ageing.days, weak_evidence=context.settings.detection.weak_evidence,
    )  # fmt: skip
    return RulesByHistory.of(found, _lengths(context))


def _origin(context: Context, session: Session, router: Router, day: date, statuses: tuple[DayEntry, ...]) -> str:
    digests = [(entry.day, entry.digest) for entry in observations.day_digests(session, router.name)]
    complete = [status.day for status in statuses if status.complete]
    weak_evidence = context.settings.detection.weak_evidence
    return made_from(digests, complete, _lengths(context), context.settings.ageing.days, weak_evidence, day)


def _lengths(context: Context) -> tuple[int, int]:
    chosen = context.settings.detection
    return chosen.ipv4_prefix_length, chosen.ipv6_prefix_length
