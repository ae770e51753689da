"""Overrides by operators: pinned pairs and excluded prefixes."""

from dataclasses import replace
from datetime import date

from hntes.rules.lifetime.pinnable import check_pinnable
from hntes.rules.pairs import PrefixPair
from hntes.sql import audit, overrides
from hntes.sql.audit import NewEvent
from hntes.sql.decisions import Person
from hntes.sql.entries import ALL_ROUTERS, ExclusionEntry, PinEntry, Side
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.protected import require_unprotected

__all__ = [
    "ALL_ROUTERS",
    "ExclusionEntry",
    "PinEntry",
    "Side",
    "add_exclusion",
    "add_pin",
    "exclusions",
    "pins",
    "split_pair",
    "withdraw_exclusion",
    "withdraw_pin",
]


def add_pin(
    context: Context,
    router_name: str,
    pair: str,
    *,
    owner: str,
    reason: str,
    from_day: date,
    expires_day: date | None,
    identity: str | None = None,
) -> PinEntry:
    """Pins a prefix pair, written `SOURCE>DESTINATION`, on a router; returns the stored pin.

    `identity` is the authenticated user; None: the operating system's user of this process.

    Raises:
        CommandError: the router is unknown.
        PairError: not a pair of prefixes, or one that may not be pinned.
        StoreError: the pin is refused; the message says why.
    """
    parsed = PrefixPair.parse(pair)
    context.chosen([router_name])
    limits = context.settings.pins
    check_pinnable(parsed, limits.min_ipv4_prefix_length, limits.min_ipv6_prefix_length)
    require_unprotected(context, parsed)
    source, destination = str(parsed.source), str(parsed.destination)
    entry = PinEntry(router_name, source, destination, owner, reason, from_day, expires_day)
    with transaction(context.database) as session:
        stored = overrides.add_pin(session, entry)
        detail = f"{parsed} {_days(from_day, expires_day)}"
        event = NewEvent("pin", router_name, detail=detail, who=owner, note=reason, identity=identity)
        audit.append(session, event)
    return stored


def split_pair(pair: str) -> tuple[str, str]:
    """Source and destination of a pair, written `SOURCE>DESTINATION`.

    Raises:
        PairError: not a pair of prefixes.
    """
    parsed = PrefixPair.parse(pair)
    return str(parsed.source), str(parsed.destination)


def withdraw_pin(
    context: Context, router_name: str, pair: str, day: date, by: Person | None = None
) -> tuple[PinEntry, ...]:  # fmt: skip
    """Ends the active pins of the pair from that day on; returns them. `by`: for the audit log, with the reason.

    Raises:
        PairError: not a pair of prefixes.
        StoreError: there is no such pin.
    """
    parsed = PrefixPair.parse(pair)
    with transaction(context.database) as session:
        ended = overrides.withdraw_pin(session, router_name, str(parsed.source), str(parsed.destination), day)
        audit.append(session, _by(by, NewEvent("unpin", router_name, day, detail=f"{parsed}")))
    return ended


def pins(context: Context) -> tuple[PinEntry, ...]:
    """All pins of all routers, including ended ones."""
    with reading(context.database) as session:
        return overrides.pins(session)


def add_exclusion(
    context: Context,
    router_name: str,
    side: Side,
    prefix: str,
    *,
    owner: str,
    reason: str,
    from_day: date,
    expires_day: date,
    identity: str | None = None,
) -> ExclusionEntry:
    """Excludes pairs that overlap a prefix, on one router or on ALL_ROUTERS; returns the stored exclusion.

    `identity` is as for `add_pin`.

    Raises:
        CommandError: the router is unknown.
        StoreError: the exclusion is refused; the message says why.
    """
    if router_name != ALL_ROUTERS:
        context.chosen([router_name])
    entry = ExclusionEntry(router_name, side, prefix, owner, reason, from_day, expires_day)
    with transaction(context.database) as session:
        stored = overrides.add_exclusion(session, entry)
        detail = f"{side} {stored.prefix} {_days(from_day, expires_day)}"
        scope = _router(router_name)
        audit.append(session, NewEvent("exclude", scope, detail=detail, who=owner, note=reason, identity=identity))
    return stored


def withdraw_exclusion(
    context: Context, router_name: str, side: Side, prefix: str, day: date, by: Person | None = None
) -> tuple[ExclusionEntry, ...]:
    """Ends the active exclusions of that scope, side and prefix from that day on; returns them; `by` as above.

    Raises:
        StoreError: there is no such exclusion.
    """
    with transaction(context.database) as session:
        ended = overrides.withdraw_exclusion(session, router_name, side, prefix, day)
        event = NewEvent("unexclude", _router(router_name), day, detail=f"{side} {ended[0].prefix}")
        audit.append(session, _by(by, event))
    return ended


def exclusions(context: Context) -> tuple[ExclusionEntry, ...]:
    """All exclusions, including ended ones."""
    with reading(context.database) as session:
        return overrides.exclusions(session)


def _by(person: Person | None, event: NewEvent) -> NewEvent:
    if person is None:
        return event
    return replace(event, who=person.who, note=person.note, identity=person.identity)


def _router(name: str) -> str | None:
    """The router for the audit log; None for all."""
    return None if name == ALL_ROUTERS else name


def _days(from_day: date, expires_day: date | None) -> str:
    return f"from {from_day}" if expires_day is None else f"from {from_day} to {expires_day}"
