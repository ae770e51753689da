"""The reservation API: JSON, a bearer token, no cookies. A token sees and changes only its owner's reservations.

Source: RFC 6750 (bearer tokens), RFC 9457 (problems).
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from math import ceil
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from hntes import clock
from hntes.format import rfc3339
from hntes.timestamps import TimestampError, parse_timestamp
from hntes.web.api.problem import document, problem
from hntes.web.api.reservation_documents import (
    PathRouter,
    RateStep,
    ReservationBody,
    ReservationDetail,
    ReservationList,
    answers,
    as_component,
)
from hntes.web.api.tokens import ApiToken, token_of
from hntes.web.body import media_type, read_body
from hntes.web.errors import RefusedError
from hntes.web.site import now_s, site_of
from hntes.web.visitor import address_of
from hntes.workflow.context import Context, opened
from hntes.workflow.reservations.calendar import shares_of, sheet
from hntes.workflow.reservations.ports import section_of
from hntes.workflow.reservations.reservation_status import path_status
from hntes.workflow.reservations.reserve import (
    ReservationRequest,
    ReservationResult,
    ReservationView,
    book,
    cancel,
    listing,
    reservation,
)
from hntes.workflow.stage_log import warn

routes = APIRouter(prefix="/api/reservations")
MOST_BYTES = 16_384


def authenticated(request: Request) -> ApiToken:
    """The token of a request.

    Raises:
        RefusedError: it has no token, an unknown one, or too many failed from its address.
    """
    site, given = site_of(request), request.headers.getlist("authorization")
    scheme, _, secret = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    if scheme.lower() != "bearer" or not secret:
        raise RefusedError(401, "send one header Authorization: Bearer TOKEN; `hntes user add-token` creates tokens")
    # attempts count per address; without a token no one can use up its attempts
    address, tried = address_of(request, site), hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
    wait_s = site.api_attempts.wait_s(address, tried, now_s())
    if wait_s > 0:
        raise RefusedError(429, f"too many unknown tokens from here: try again in {ceil(wait_s)} s")
    token = token_of(site.web.tokens, secret)
    if token is None:
        site.api_attempts.failed(address, tried, now_s())
        warn(f"reservations API: unknown token from {address}")
        raise RefusedError(401, "this token is not known; it may have been removed")
    site.api_attempts.succeeded(address)
    return token


async def read_asked(request: Request) -> ReservationBody:
    """The JSON document in a request's body.

    Raises:
        RefusedError: it is too long, not JSON, or invalid; the sentence names the fields.
    """
    if media_type(request) != "application/json":
        raise RefusedError(415, "send a document of type application/json")
    body = await read_body(request, MOST_BYTES, f"the document is longer than {MOST_BYTES} bytes")
    try:
        return ReservationBody.model_validate(json.loads(body.decode("utf-8"), object_pairs_hook=_object))
    except ValidationError as cause:
        raise RefusedError(422, _fields(cause)) from cause
    except (ValueError, RecursionError) as cause:
        raise RefusedError(400, "the document is not valid JSON") from cause


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; duplicate names are ambiguous (RFC 8259, section 4)."""
    named = dict(members)
    if len(named) < len(members):
        raise RefusedError(400, "the document has a field twice")
    return named


Token = Annotated[ApiToken, Depends(authenticated)]
Number = Annotated[str, Path(json_schema_extra={"pattern": "^[0-9]{1,15}$"}, description="Its number.")]


@routes.post(
    "",
    status_code=201,
    summary="Reserve",
    responses=answers(400, 401, 403, 409, 413, 415, 422, 429, ok_201=ReservationView, ok_200=ReservationView),
    openapi_extra={
        "requestBody": {"required": True, "content": {"application/json": {"schema": as_component(ReservationBody)}}}
    },
)
def add(request: Request, token: Token, asked: Annotated[ReservationBody, Depends(read_asked)]) -> Response:
    """Reserves: 201; 200 if the owner's `external_id` exists already; 409 with reasons and the nearest start."""
    if not token.may_reserve(asked.source, asked.destination):
        own = ", ".join(token.prefixes)
        raise RefusedError(403, f"neither source nor destination is within this token's prefixes, {own}")
    wanted = ReservationRequest(
        f"{asked.source}>{asked.destination}", asked.rate_bps, tuple(asked.ports), token.owner, asked.ticket,
        _moment("start", asked.start), _moment("end", asked.end), asked.length_s, asked.kind, asked.floor_bps,
        asked.rtt_ms, asked.external_id,
    )  # fmt: skip
    with _opened(request) as context:
        if not _is_repeated(context, token, asked):
            _require_bounds(context, token, asked)
            _require_rate(request, context, token)
        booked = book(context, wanted, identity=token.identity)
    if booked.refusal is not None:
        return _refused(booked)
    location = f"/api/reservations/{booked.reservation.number}"
    return document(asdict(booked.reservation), 201 if booked.is_new else 200, {"Location": location})


@routes.get("", summary="List", responses=answers(401, 429, ok_200=ReservationList))
def every(
    request: Request,
    token: Token,
    scope: Annotated[str, Query(alias="all", description="1: past and cancelled ones, too.")] = "",
) -> Response:
    """The owner's active and future reservations; `?all=1`: past and cancelled ones, too."""
    with _opened(request) as context:
        found = listing(context, owner=token.owner, with_past=scope == "1")
    return document(asdict(ReservationList(tuple(found))))


@routes.get("/{number}", summary="Show", responses=answers(401, 404, 429, ok_200=ReservationDetail))
def one(request: Request, token: Token, number: Number) -> Response:
    """One of the owner's reservations: the rates of a background transfer over time, the sender's settings, and the
    state on each router of its path: `on`, `ready`, `waits`, `late` or `over`.
    """
    with _opened(request) as context:
        found = reservation(context, _number(number), owner=token.owner)
        shares = tuple(
            RateStep(rfc3339(step.start_s * 1000), rfc3339(step.end_s * 1000), bps)
            for step in shares_of(context, found.number)
            for bps in step.rates_bps.values()
        )
        path = tuple(PathRouter(each.router, each.state) for each in path_status(context, found.number))
        detail = ReservationDetail(**vars(found), shares=shares, sheet=sheet(context, found.number), path=path)
    return document(asdict(detail))


@routes.delete("/{number}", summary="Cancel", responses=answers(400, 401, 404, 429, ok_200=ReservationView))
def remove(request: Request, token: Token, number: Number) -> Response:
    """Cancels one of the owner's reservations."""
    with _opened(request) as context:
        _require_rate(request, context, token)
        found = cancel(context, _number(number), "by the API", owner=token.owner, identity=token.identity)
    return document(asdict(found))


def _is_repeated(context: Context, token: ApiToken, asked: ReservationBody) -> bool:
    """Whether the request repeats one of the owner's, which changes nothing."""
    known = {each.external_id for each in listing(context, owner=token.owner, with_past=True)}
    return asked.external_id is not None and asked.external_id in known


def _require_rate(request: Request, context: Context, token: ApiToken) -> None:
    """Raises RefusedError if the token has changed as much as it may within an hour."""
    limit = section_of(context.settings).api_changes_per_hour
    wait_s = site_of(request).api_changes.admit(token.name, limit, now_s())
    if wait_s > 0:
        raise RefusedError(
            429, f"this token has made {limit} changes within an hour: try again in {ceil(wait_s)} s; the limit is "
            "reservations.api_changes_per_hour of the settings"
        )  # fmt: skip


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


@contextmanager
def _opened(request: Request) -> Iterator[Context]:
    site = site_of(request)
    with opened(site.settings_path, site.databases) as context:
        yield context


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


def _fields(problem: ValidationError) -> str:
    """The problem of each field, without the given values."""
    found = problem.errors(include_url=False, include_input=False, include_context=False)
    named = [f"{'.'.join(map(str, each['loc'])) or 'the document'}: {each['msg']}" for each in found[:10]]
    return "; ".join(named)
