"""Pins and exclusions of programs: lists, previews, entries, withdrawals."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from hntes.sanitize import text_problem
from hntes.sql.entries import ExclusionEntry, PinEntry
from hntes.web.api.bodies import reader_of
from hntes.web.api.caller import Overrider, Reader
from hntes.web.api.describing import Limit, Offset, answers, body_of
from hntes.web.api.override_documents import (
    ExclusionBody,
    ExclusionList,
    ExclusionWithdrawal,
    OverridePreview,
    PinBody,
    PinList,
    PinWithdrawal,
    PreviewList,
    PreviewPair,
)
from hntes.web.api.paging import next_offset
from hntes.web.api.problem import document_of
from hntes.web.errors import RefusedError
from hntes.web.overriding import Kind, OverrideRequest, asked_override, override_previews, store_override
from hntes.web.pair import last_full_day
from hntes.web.request import Visit, parsed_day
from hntes.workflow.review.overrides import ALL_ROUTERS, exclusions, pins, withdraw_exclusion, withdraw_pin
from hntes.workflow.review.preview import RouterPreview

routes = APIRouter(prefix="/api", tags=["overrides"])
MOST_TOUCHED = 200
Entry = TypeVar("Entry", PinEntry, ExclusionEntry)
Every = Annotated[bool, Query(alias="all", description="Also ended ones.")]


@routes.get("/pins", summary="List pins", responses=answers(400, ok_200=PinList))
def list_pins(caller: Reader, every: Every = False, limit: Limit = 100, offset: Offset = 0) -> Response:
    """Pins of all routers that hold or will hold."""
    with caller.reading() as visit:
        found = _open(pins(visit.context), visit, every=every)
    page = tuple(found[offset : offset + limit])
    return document_of(PinList, PinList(page, len(found), next_offset(offset, limit, len(found))))


@routes.get("/exclusions", summary="List exclusions", responses=answers(400, ok_200=ExclusionList))
def list_exclusions(caller: Reader, every: Every = False, limit: Limit = 100, offset: Offset = 0) -> Response:
    """Exclusions of all routers that hold or will hold."""
    with caller.reading() as visit:
        found = _open(exclusions(visit.context), visit, every=every)
    page = tuple(found[offset : offset + limit])
    return document_of(ExclusionList, ExclusionList(page, len(found), next_offset(offset, limit, len(found))))


_ADDED = answers(400, 404, 413, 415, 422, ok_201=PinEntry)
_EXCLUDED = answers(400, 404, 413, 415, 422, ok_201=ExclusionEntry)
_PREVIEWED = answers(400, 404, 413, 415, 422, ok_200=PreviewList)
AskedPin = Annotated[PinBody, Depends(reader_of(PinBody))]
AskedExclusion = Annotated[ExclusionBody, Depends(reader_of(ExclusionBody))]


@routes.post("/pins", status_code=201, summary="Pin", responses=_ADDED, openapi_extra=body_of(PinBody))
def pin(caller: Overrider, asked: AskedPin) -> Response:
    """Pins a pair; the same pair and first day again replaces that pin."""
    with caller.deciding() as visit:
        wanted = _wanted(visit, "pin", asked)
        return document_of(PinEntry, store_override(visit.context, wanted, caller.person(None)), 201)


@routes.post(
    "/exclusions", status_code=201, summary="Exclude", responses=_EXCLUDED, openapi_extra=body_of(ExclusionBody)
)
def exclude(caller: Overrider, asked: AskedExclusion) -> Response:
    """Excludes a prefix; the same scope, side, prefix and first day again replaces that exclusion."""
    with caller.deciding() as visit:
        wanted = _wanted(visit, "exclude", asked)
        return document_of(ExclusionEntry, store_override(visit.context, wanted, caller.person(None)), 201)


@routes.post("/pins/preview", summary="Preview a pin", responses=_PREVIEWED, openapi_extra=body_of(PinBody))
def preview_of_pin(caller: Overrider, asked: AskedPin) -> Response:
    """What the pin would do to the rules and to the traffic of the last days; stores nothing."""
    with caller.reading() as visit:
        found = override_previews(visit.context, _wanted(visit, "pin", asked), caller.token.owner)
    return document_of(PreviewList, _previews(found))


@routes.post(
    "/exclusions/preview", summary="Preview an exclusion", responses=_PREVIEWED, openapi_extra=body_of(ExclusionBody)
)
def preview_of_exclusion(caller: Overrider, asked: AskedExclusion) -> Response:
    """What the exclusion would do to the rules and to the traffic of the last days; stores nothing."""
    with caller.reading() as visit:
        found = override_previews(visit.context, _wanted(visit, "exclude", asked), caller.token.owner)
    return document_of(PreviewList, _previews(found))


@routes.post(
    "/pins/withdraw", summary="Withdraw a pin", openapi_extra=body_of(PinWithdrawal),
    responses=answers(400, 404, 413, 415, 422, ok_200=PinList),
)  # fmt: skip
def unpin(caller: Overrider, asked: Annotated[PinWithdrawal, Depends(reader_of(PinWithdrawal))]) -> Response:
    """Ends the pins of the pair that would still hold; answers them."""
    _require_line(asked.reason)
    with caller.deciding() as visit:
        router, day, by = visit.router(asked.router), _first_without(visit, asked.day), caller.person(asked.reason)
        ended = withdraw_pin(visit.context, router.name, f"{asked.source}>{asked.destination}", day, by)
    return document_of(PinList, PinList(ended, len(ended)))


@routes.post(
    "/exclusions/withdraw", summary="Withdraw an exclusion", openapi_extra=body_of(ExclusionWithdrawal),
    responses=answers(400, 404, 413, 415, 422, ok_200=ExclusionList),
)  # fmt: skip
def unexclude(
    caller: Overrider, asked: Annotated[ExclusionWithdrawal, Depends(reader_of(ExclusionWithdrawal))]
) -> Response:  # fmt: skip
    """Ends the exclusions of that scope, side and prefix that would still hold; answers them."""
    _require_line(asked.reason)
    with caller.deciding() as visit:
        name = asked.router if asked.router == ALL_ROUTERS else visit.router(asked.router).name
        day, by = _first_without(visit, asked.day), caller.person(asked.reason)
        ended = withdraw_exclusion(visit.context, name, asked.side, asked.prefix, day, by)
    return document_of(ExclusionList, ExclusionList(ended, len(ended)))


def _open(found: Sequence[Entry], visit: Visit, *, every: bool) -> list[Entry]:
    """Those that hold on the last full day or later; with `every` also ended ones."""
    day = last_full_day(visit)
    return [each for each in found if every or _holds_from(each, day)]


def _holds_from(entry: PinEntry | ExclusionEntry, day: date) -> bool:
    is_withdrawn = entry.withdrawn_day is not None and entry.withdrawn_day <= day
    return not is_withdrawn and (entry.expires_day is None or entry.expires_day >= day)


def _wanted(visit: Visit, kind: Kind, asked: PinBody | ExclusionBody) -> OverrideRequest:
    return asked_override(visit, kind, _texts(asked))


def _texts(asked: PinBody | ExclusionBody) -> Callable[[str], str]:
    """The fields by the names of the page's form."""
    what = asked.prefix if isinstance(asked, ExclusionBody) else f"{asked.source}>{asked.destination}"
    side = asked.side if isinstance(asked, ExclusionBody) else ""
    named = {
        "router": asked.router, "what": what, "side": side, "reason": asked.reason, "from": asked.from_day or "",
        "until": asked.until_day or "",
    }  # fmt: skip
    return named.__getitem__


def _first_without(visit: Visit, text: str | None) -> date:
    return last_full_day(visit) if text is None else parsed_day(text, status=422)


def _require_line(reason: str) -> None:
    if problem := text_problem(reason):
        raise RefusedError(422, f"reason: it {problem}")


def _previews(found: Sequence[RouterPreview]) -> PreviewList:
    return PreviewList(
        tuple(
            OverridePreview(
                one.router, one.sentence,
                tuple(
                    PreviewPair(
                        str(each.pair.source), str(each.pair.destination), each.becomes, each.alpha_bytes,
                        len(each.hosts_inside), len(each.hosts_outside),
                    )
                    for each in one.pairs[:MOST_TOUCHED]
                ),
                len(one.pairs),
            )
            for one in found
        )
    )  # fmt: skip
