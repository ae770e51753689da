"""Reservations of programs. A token sees and changes only its owner's reservations."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response

from hntes import clock
from hntes.format import rfc3339
from hntes.timestamps import TimestampError, parse_timestamp
from hntes.web.api.bodies import reader_of
from hntes.web.api.caller import Caller, Reserver
from hntes.web.api.describing import MOST_ROWS, Limit, Offset, answers, body_of
from hntes.web.api.paging import next_offset
from hntes.web.api.problem import document, problem
from hntes.web.api.reservation_documents import (
    Conflict,
    PathRouter,
    RateStep,
    ReservationBody,
    ReservationDetail,
    ReservationList,
)
from hntes.web.api.tokens import ApiToken
from hntes.web.errors import RefusedError
from hntes.web.site import now_s
from hntes.workflow.context import Context
from hntes.workflow.reservations.details import LostPortError, ReservationDetails, Step, reservation_details
from hntes.workflow.reservations.ports import section_of
from hntes.workflow.reservations.reserve import (
    ReservationRequest,
    ReservationResult,
    ReservationView,
    book,
    cancel,
    listing,
    reservation,
)

routes = APIRouter(prefix="/api/reservations", tags=["reservations"])


Asked = Annotated[ReservationBody, Depends(reader_of(ReservationBody))]
Number = Annotated[str, Path(json_schema_extra={"pattern": "^[0-9]{1,15}$"}, description="Its number.")]


@routes.post(
    "",
    status_code=201,
    summary="Reserve",
    responses=answers(400, 409, 413, 415, 422, conflict=Conflict, ok_201=ReservationView, ok_200=ReservationView),
    openapi_extra=body_of(ReservationBody),
)
def add(caller: Reserver, asked: Asked) -> Response:
    """Reserves: 201; 200 if the owner's `external_id` exists already; 409 with reasons and the nearest start.

    400 where reservations are off.
    """
    token = caller.token
    if not token.may_reserve(asked.source, asked.destination):
        own = ", ".join(token.prefixes)
        raise RefusedError(403, f"neither source nor destination is within this token's prefixes, {own}")
    wanted = ReservationRequest(
        f"{asked.source}>{asked.destination}", asked.rate_bps, tuple(asked.ports), token.owner, asked.ticket,
        _moment("start", asked.start), _moment("end", asked.end), asked.length_s, asked.kind, asked.floor_bps,
        asked.rtt_ms, asked.external_id,
    )  # fmt: skip
    with caller.opened() as context:
        if not _is_repeated(context, token, asked):
            _require_bounds(context, token, asked)
            _require_rate(caller, context)
        booked = book(context, wanted, identity=token.identity)
    if booked.refusal is not None:
        return _refused(booked)
    location = f"/api/reservations/{booked.reservation.number}"
    return document(asdict(booked.reservation), 201 if booked.is_new else 200, {"Location": location})


@routes.get("", summary="List", responses=answers(400, ok_200=ReservationList))
def every(
    caller: Reserver,
    with_past: Annotated[bool, Query(alias="all", description="Also past and cancelled ones.")] = False,
    limit: Limit = MOST_ROWS,
    offset: Offset = 0,
) -> Response:
    """The owner's active and future reservations by number; `?all=true`: past and cancelled ones, too."""
    with caller.opened() as context:
        found = listing(context, owner=caller.token.owner, with_past=with_past)
    page, more = tuple(found[offset : offset + limit]), next_offset(offset, limit, len(found))
    return document(asdict(ReservationList(page, more)))


@routes.get("/{number}", summary="Show", responses=answers(400, 404, ok_200=ReservationDetail))
def one(caller: Reserver, number: Number) -> Response:
    """One of the owner's reservations: the rates of a background transfer over time, the sender's settings, and the
    state on each router of its path: `on`, `ready`, `waits`, `late` or `over`.
    """
    with caller.opened() as context:
        found = reservation(context, _number(number), owner=caller.token.owner)
        details = reservation_details(context, found.number)
    return document(asdict(_detail(found, details)))


@routes.delete("/{number}", summary="Cancel", responses=answers(400, 404, ok_200=ReservationView))
def remove(caller: Reserver, number: Number) -> Response:
    """Cancels one of the owner's reservations; 400 if it is over or cancelled, or where reservations are off."""
    with caller.opened() as context:
        _require_rate(caller, context)
        found = cancel(context, _number(number), "by the API", owner=caller.token.owner, identity=caller.token.identity)
    return document(asdict(found))


def _detail(found: ReservationView, details: ReservationDetails) -> ReservationDetail:
    shares = None if details.shares is None else tuple(map(_rate_step, details.shares))
    path = None if details.path is None else tuple(PathRouter(each.router, each.state) for each in details.path)
    lost = details.problem
    problem = None if lost is None else _lost_words(lost, is_own=lost.number == found.number)
    return ReservationDetail(**vars(found), shares=shares, sheet=details.sheet, path=path, problem=problem)


def _rate_step(step: Step) -> RateStep:
    (rate_bps,) = step.rates_bps.values()
    return RateStep(rfc3339(step.start_s * 1000), rfc3339(step.end_s * 1000), rate_bps)


def _lost_words(lost: LostPortError, *, is_own: bool) -> str:
    """Why rates are not known; of another reservation, which may be another owner's, neither number nor port."""
    if is_own:
        return f"port {lost.port} is no longer a port with queues in the settings; cancel the reservation"
    return "a transfer that shares this one's rate has a port that is no longer in the settings; ask the operators"


def _is_repeated(context: Context, token: ApiToken, asked: ReservationBody) -> bool:
    """Whether the request repeats one of the owner's, which changes nothing."""
    known = {each.external_id for each in listing(context, owner=token.owner, with_past=True)}
    return asked.external_id is not None and asked.external_id in known


def _require_rate(caller: Caller, context: Context) -> None:
    """Raises RefusedError if the token has booked and cancelled as much as it may within an hour."""
    limit = section_of(context.settings).api_changes_per_hour
    caller.require_rate(caller.token.name, limit, "reservations", now_s())


def _require_bounds(context: Context, token: ApiToken, asked: ReservationBody) -> None:
    """Raises RefusedError for a reservation that is too short, or one too many of its owner: each costs simulations."""
    chosen = section_of(context.settings)
    length_s = asked.length_s
    if length_s is None and asked.end is not None:
        start_s = _moment("start", asked.start)
        end_s = _moment("end", asked.end)
        length_s = None if end_s is None else end_s - (clock.now_s() if start_s is None else start_s)
    if length_s is not None and 0 < length_s < chosen.api_min_length_s:
        raise RefusedError(
            422, f"length_s: {length_s} s is shorter than {chosen.api_min_length_s} s, the least of this API "
            "(reservations.api_min_length_s of the settings)"
        )  # fmt: skip
    standing = listing(context, owner=token.owner)
    if len(standing) >= chosen.api_max_standing:
        raise RefusedError(
            409, f"{token.owner} has {len(standing)} active and future reservations, the most of this API "
            "(reservations.api_max_standing of the settings); cancel one first"
        )  # fmt: skip


def _refused(booked: ReservationResult) -> Response:
    refusal = booked.refusal
    assert refusal is not None  # noqa: S101 - asked before
    nearest_s = refusal.nearest_start_s
    more: dict[str, Any] = {
        "reasons": refusal.sentences,
        "nearest_start": None if nearest_s is None else rfc3339(nearest_s * 1000),
    }
    return problem(409, "it does not fit with the existing reservations", more=more)


def _moment(name: str, text: str | None) -> int | None:
    try:
        return None if text is None else parse_timestamp(text)
    except TimestampError as cause:
        raise RefusedError(422, f"{name}: {cause}") from cause


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        raise RefusedError(404, f"{text!r} is not the number of a reservation")
    return int(text)
