"""Exclusions and pins, for forms of the page and for programs: the request, its preview, and the entry."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from hntes.sanitize import text_problem
from hntes.web.errors import RefusedError
from hntes.web.pair import last_full_day
from hntes.web.request import Visit, parsed_day
from hntes.workflow.context import Context
from hntes.workflow.review.decide import Person
from hntes.workflow.review.overrides import (
    ALL_ROUTERS,
    ExclusionEntry,
    PinEntry,
    Side,
    add_exclusion,
    add_pin,
    split_pair,
)
from hntes.workflow.review.preview import RouterPreview, preview_exclusion, preview_pin

Kind = Literal["exclude", "pin"]
SIDES: dict[str, Side] = {"either": "either", "source": "source", "destination": "destination"}


@dataclass(frozen=True)
class OverrideRequest:
    """A requested override. `what` is a prefix or a pair; `until` is None for a pin without end."""

    kind: Kind
    router: str
    what: str
    side: Side
    reason: str
    from_day: date
    until: date | None


def asked_override(visit: Visit, kind: Kind, text: Callable[[str], str]) -> OverrideRequest:
    """The request by the texts of its fields, "" where one is not given.

    Raises:
        RefusedError: a field is missing or invalid.
    """
    router, side, reason = text("router"), text("side") or "either", text("reason")
    if kind == "pin" or router != ALL_ROUTERS:
        visit.router(router)
    if side not in SIDES:
        raise RefusedError(400, f"{side!r} is not a side of a pair; choose source, destination or either")
    if not reason or text_problem(reason):
        raise RefusedError(400, f"the reason {text_problem(reason) or 'is missing: give one sentence'}")
    until = parsed_day(text("until"), status=400) if text("until") or kind == "exclude" else None
    from_day = parsed_day(text("from"), status=400) if text("from") else last_full_day(visit)
    return OverrideRequest(kind, router, text("what"), SIDES[side], reason, from_day, until)


def store_override(context: Context, wanted: OverrideRequest, by: Person) -> PinEntry | ExclusionEntry:
    """Stores the pin or exclusion, owned by who asks for it; returns it.

    Raises:
        CommandError, PairError, StoreError: it is refused; the message says why.
    """
    if wanted.kind == "pin":
        return add_pin(
            context, wanted.router, wanted.what, owner=by.who, reason=wanted.reason, from_day=wanted.from_day,
            expires_day=wanted.until, identity=by.identity,
        )  # fmt: skip
    assert wanted.until is not None  # noqa: S101 - asked_override sees to it
    return add_exclusion(
        context, wanted.router, wanted.side, wanted.what, owner=by.who, reason=wanted.reason,
        from_day=wanted.from_day, expires_day=wanted.until, identity=by.identity,
    )  # fmt: skip


def override_previews(context: Context, wanted: OverrideRequest, owner: str) -> list[RouterPreview]:
    """The effect on each router, without storing anything.

    Raises:
        CommandError, PairError, StoreError: it would be refused.
    """
    if wanted.kind == "pin":
        source, destination = split_pair(wanted.what)
        entry = PinEntry(wanted.router, source, destination, owner, wanted.reason, wanted.from_day, wanted.until)
        return [preview_pin(context, entry)]
    assert wanted.until is not None  # noqa: S101 - asked_override sees to it
    return preview_exclusion(
        context,
        ExclusionEntry(wanted.router, wanted.side, wanted.what, owner, wanted.reason, wanted.from_day, wanted.until),
    )
