"""The effect of an exclusion or a pin before it is stored; read-only."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

from hntes.rules.backtest.effect import EFFECT_DAYS
from hntes.rules.backtest.effect_words import effect_sentence
from hntes.rules.backtest.preview import TouchedPair, touched_by_exclusion, touched_by_pin
from hntes.rules.lifetime.pinnable import check_pinnable
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql import day_status, observations
from hntes.sql.entries import ALL_ROUTERS, ExclusionEntry, PinEntry
from hntes.sql.observations import SeenFlow
from hntes.sql.overrides import checked_exclusion, checked_pin
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.reservations.forbidden import HitReservation, hit_by
from hntes.workflow.stages.effect import past_effect
from hntes.workflow.stages.rules_as_of import rules_as_of

__all__ = ["RouterPreview", "preview_exclusion", "preview_pin"]


@dataclass(frozen=True)
class RouterPreview:
    """The effect on one router: on the traffic of the days up to `day`, the affected pairs, and the reservations that
    texts leave out while an exclusion holds."""

    router: str
    day: date
    sentence: str
    pairs: tuple[TouchedPair, ...]
    reservations: tuple[HitReservation, ...] = ()


_ENDED = "it has ended; nothing changes"


def preview_exclusion(context: Context, entry: ExclusionEntry) -> list[RouterPreview]:
    """The effect of an exclusion on each router of its scope: on the rules of the first day that it can still change,
    and on what is reserved.

    Raises:
        CommandError: the router is unknown.
        StoreError: the exclusion could not be stored; the message says why.
    """
    checked = checked_exclusion(entry)
    names = [] if entry.scope_router == ALL_ROUTERS else [entry.scope_router]
    found = []
    for router in context.chosen(names):
        with reading(context.database) as session:
            # of these the days count on which they stand, not those of the rules
            hit = hit_by(session, checked, router.name)
        found.append(replace(_of_exclusion(context, router, checked), reservations=hit))
    return found


def _of_exclusion(context: Context, router: Router, entry: ExclusionEntry) -> RouterPreview:
    day = _first_changed(context, router, entry.from_day)
    if _has_ended(context, entry, day):
        return RouterPreview(router.name, day, _ENDED, ())
    active = replace(entry, from_day=day)
    before, after = _kept(context, router, day), _kept(context, router, day, exclusion=active)
    touched = touched_by_exclusion(active, before, after, _flows(context, router, day))
    return _preview(context, router, day, before, after, touched)


def preview_pin(context: Context, entry: PinEntry) -> RouterPreview:
    """The effect of a pin on its router, on the rules of the first day that it can still change.

    Raises:
        CommandError: the router is unknown.
        PairError: not a pair of prefixes, or one that may not be pinned.
        StoreError: the pin could not be stored; the message says why.
    """
    pair = PrefixPair.parse(f"{entry.source}>{entry.destination}")
    (router,) = context.chosen([entry.router])
    limits = context.settings.pins
    check_pinnable(pair, limits.min_ipv4_prefix_length, limits.min_ipv6_prefix_length)
    checked, day = checked_pin(entry), _first_changed(context, router, entry.from_day)
    if _has_ended(context, entry, day):
        return RouterPreview(router.name, day, _ENDED, ())
    active = replace(checked, from_day=day)
    before, after = _kept(context, router, day), _kept(context, router, day, pin=active)
    touched = touched_by_pin(pair, before, after, _flows(context, router, day))
    return _preview(context, router, day, before, after, touched)


def _first_changed(context: Context, router: Router, from_day: date) -> date:
    """The first day whose rules an entry can still change: that of the newest night, or a later first day of its own.

    The rules of an earlier day are done with; a day to come has none, and those of the present one stand for its.
    """
    with reading(context.database) as session:
        newest = day_status.newest_day(session, router.name) or context.last_full_day
    return min(max(from_day, newest), context.last_day)


def _has_ended(context: Context, entry: PinEntry | ExclusionEntry, day: date) -> bool:
    """Whether it holds on none of the days whose rules are still to be made, even if no night has run for a while."""
    return entry.expires_day is not None and entry.expires_day < max(day, context.last_full_day)


def _kept(
    context: Context, router: Router, day: date, *, pin: PinEntry | None = None, exclusion: ExclusionEntry | None = None
) -> frozenset[PrefixPair]:
    as_of = rules_as_of(
        context, router, day, more_pins=(pin,) if pin else (), more_exclusions=(exclusion,) if exclusion else ()
    )
    return frozenset(rule.pair for rule in as_of.selection.kept)


def _flows(context: Context, router: Router, day: date) -> tuple[SeenFlow, ...]:
    with reading(context.database) as session:
        return observations.seen_flows(session, router.name, day, day - timedelta(days=EFFECT_DAYS - 1))


def _preview(
    context: Context, router: Router, day: date, before: frozenset[PrefixPair], after: frozenset[PrefixPair],
    touched: list[TouchedPair],
) -> RouterPreview:  # fmt: skip
    found = past_effect(context, router, day, before, after)
    sentence = effect_sentence(found, f"the rules as of {day}", "with it")
    return RouterPreview(router.name, day, sentence, tuple(touched))
