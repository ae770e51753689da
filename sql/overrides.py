"""Overrides of operators: pins and exclusions. Works within the caller's transaction.

Both hold from `from_day` through `expires_day`, and no longer from `withdrawn_day` on. The days are those of the rule
sets: to act on the candidate made from the flows of day D, the first day must be D or earlier.
"""

from dataclasses import replace
from datetime import date

from hntes.addresses import Network, network
from hntes.sanitize import shown
from hntes.sql.entries import ALL_ROUTERS, ExclusionEntry, PinEntry, Side
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.rows import check_free_text, fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import one_of, table

# The first day is part of the keys so that pinning again keeps the earlier period: past days must replay alike.
PIN = table(
    "pin", PinEntry, key=("router", "source", "destination", "from_day"),
    grain="One row per router, prefix pair and first day of a pin.",
)  # fmt: skip
EXCLUSION = table(
    "exclusion", ExclusionEntry, one_of("side", Side), key=("scope_router", "side", "prefix", "from_day"),
    grain="One row per scope (a router, or '*' for all), side, prefix and first day of an exclusion.",
)  # fmt: skip


def add_pin(session: Session, pin: PinEntry) -> PinEntry:
    """Keeps a prefix pair; the same pair and first day again replaces that pin. Returns it as it was written.

    Raises:
        InvalidEntryError: no prefixes, two address families, no owner or reason, or an expiry before the first day.
    """
    written = checked_pin(pin)
    _put_pin(session, written)
    return written


def checked_pin(pin: PinEntry) -> PinEntry:
    """A pin as it would be written.

    Raises:
        InvalidEntryError: as `add_pin`.
    """
    what = f"pin {pin.source} > {pin.destination}"
    source, destination = _prefix(what, pin.source), _prefix(what, pin.destination)
    if source.version != destination.version:
        raise InvalidEntryError(f"{what}: the prefixes are of different address families")
    _check(what, pin.owner, pin.reason, pin.from_day, pin.expires_day)
    return replace(pin, source=str(source), destination=str(destination))


def withdraw_pin(session: Session, router: str, source: str, destination: str, day: date) -> tuple[PinEntry, ...]:
    """Ends, from that day on, all pins of the pair that would still hold; returns them as they are now.

    Raises:
        InvalidEntryError: no prefixes.
        UnknownEntryError: the pair has no such pin.
    """
    what = f"pin {source} > {destination}"
    key = (str(_prefix(what, source)), str(_prefix(what, destination)))
    lock(session, "pin", router)
    open_pins = [
        pin for pin in _stored_pins(session, router) if (pin.source, pin.destination) == key and _is_open(pin, day)
    ]
    if not open_pins:
        raise UnknownEntryError(f"{what}: router {router} has no such pin on {day} or later; list the pins to see all")
    written = tuple(replace(pin, withdrawn_day=day) for pin in open_pins)
    for pin in written:
        _put_pin(session, pin)
    return written


def pins(session: Session, router: str | None = None) -> tuple[PinEntry, ...]:
    """All pins of a router (None: of all), ended ones too, by router, pair and first day."""
    return tuple(
        replace(pin, owner=shown(pin.owner), reason=shown(pin.reason)) for pin in _stored_pins(session, router)
    )


def add_exclusion(session: Session, exclusion: ExclusionEntry) -> ExclusionEntry:
    """Forbids rules for a prefix; the same scope, side, prefix and first day again replaces that exclusion.

    Returns it as it was written.

    Raises:
        InvalidEntryError: no prefix, no owner or reason, an unknown side, or an expiry before the first day.
    """
    written = checked_exclusion(exclusion)
    _put_exclusion(session, written)
    return written


def checked_exclusion(exclusion: ExclusionEntry) -> ExclusionEntry:
    """An exclusion as it would be written.

    Raises:
        InvalidEntryError: as `add_exclusion`.
    """
    what = f"exclusion of {exclusion.prefix}"
    prefix = _prefix(what, exclusion.prefix)
    if exclusion.side not in ("source", "destination", "either"):
        raise InvalidEntryError(f"{what}: side {exclusion.side!r} is unknown; use source, destination or either")
    _check(what, exclusion.owner, exclusion.reason, exclusion.from_day, exclusion.expires_day)
    return replace(exclusion, prefix=str(prefix))


def withdraw_exclusion(
    session: Session, scope_router: str, side: str, prefix: str, day: date
) -> tuple[ExclusionEntry, ...]:
    """Ends, from that day on, all exclusions of that scope, side and prefix that would still hold; returns them.

    Raises:
        InvalidEntryError: no prefix.
        UnknownEntryError: there is no such exclusion.
    """
    what = f"exclusion of {prefix}"
    key = (scope_router, side, str(_prefix(what, prefix)))
    lock(session, "exclusion", scope_router)
    known = _stored_exclusions(session, scope_router)
    open_ones = [e for e in known if (e.scope_router, e.side, e.prefix) == key and _is_open(e, day)]
    if not open_ones:
        raise UnknownEntryError(
            f"{what}: scope {scope_router} has none on side {side} on {day} or later; list the exclusions to see all"
        )
    written = tuple(replace(exclusion, withdrawn_day=day) for exclusion in open_ones)
    for exclusion in written:
        _put_exclusion(session, exclusion)
    return written


def exclusions(session: Session, router: str | None = None) -> tuple[ExclusionEntry, ...]:
    """All exclusions that cover a router, those for all routers included (None: every one), ended ones too."""
    found = _stored_exclusions(session, router)
    return tuple(replace(each, owner=shown(each.owner), reason=shown(each.reason)) for each in found)


def _stored_pins(session: Session, router: str | None) -> list[PinEntry]:
    """As they were written: what is older than the check of free texts may hold anything."""
    found = fetch_by(session, PIN, PinEntry) if router is None else fetch_by(session, PIN, PinEntry, router=router)
    return sorted(found, key=lambda p: (p.router, p.source, p.destination, p.from_day))


def _stored_exclusions(session: Session, router: str | None) -> list[ExclusionEntry]:
    if router is None:
        found = fetch_by(session, EXCLUSION, ExclusionEntry)
    else:
        scopes = {ALL_ROUTERS, router}
        found = [e for each in scopes for e in fetch_by(session, EXCLUSION, ExclusionEntry, scope_router=each)]
    return sorted(found, key=lambda e: (e.scope_router, e.side, e.prefix, e.from_day))


def _put_pin(session: Session, pin: PinEntry) -> None:
    lock(session, "pin", pin.router)
    remove(
        session, PIN, router=pin.router, source=pin.source, destination=pin.destination, from_day=pin.from_day
    )  # fmt: skip
    store(session, PIN, [pin])


def _put_exclusion(session: Session, entry: ExclusionEntry) -> None:
    lock(session, "exclusion", entry.scope_router)
    remove(
        session, EXCLUSION, scope_router=entry.scope_router, side=entry.side, prefix=entry.prefix,
        from_day=entry.from_day,
    )  # fmt: skip
    store(session, EXCLUSION, [entry])


def _is_open(entry: PinEntry | ExclusionEntry, day: date) -> bool:
    return entry.withdrawn_day is None and (entry.expires_day is None or entry.expires_day >= day)


def _prefix(what: str, text: str) -> Network:
    try:
        return network(text)
    except ValueError as cause:
        raise InvalidEntryError(f"{what}: {text!r} is not a prefix: {cause}") from cause


def _check(what: str, owner: str, reason: str, from_day: date, expires_day: date | None) -> None:
    if not owner.strip() or not reason.strip():
        raise InvalidEntryError(f"{what}: owner and reason must both be given")
    check_free_text(what, owner=owner, reason=reason)
    if expires_day is not None and expires_day < from_day:
        raise InvalidEntryError(f"{what}: it expires on {expires_day}, before its first day {from_day}")
