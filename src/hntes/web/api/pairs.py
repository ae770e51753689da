"""Prefix pairs for programs: a search, and one pair with its rule, its history and its alpha flows."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from hntes.rules.lifetime.announced_use import AnnouncedUse
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.rules.lifetime.why import Explanation, State, explanation_text, headline
from hntes.sql.entries import ExclusionEntry, ObservationEntry, PinEntry
from hntes.web.api import texts
from hntes.web.api.caller import Reader
from hntes.web.api.describing import Limit, Offset, answers
from hntes.web.api.paging import next_offset
from hntes.web.api.problem import document_of
from hntes.web.errors import RefusedError
from hntes.web.pair import MOST_SPANS, STRIP_DAYS, last_full_day
from hntes.workflow.reports.rule_use import use_of_pair
from hntes.workflow.review.pair_history import PairTimeline, timeline_of
from hntes.workflow.review.queries import explain_pairs

routes = APIRouter(prefix="/api/pairs", tags=["pairs"])
MOST_RELATED = 100
Of = Annotated[texts.RouterName, Query(description="The router.")]
Ends = Annotated[texts.Prefix, Query(description="A prefix without host bits; both are of one family.")]


@dataclass(frozen=True)
class FoundPair:
    """A pair, whether it has a rule, and whether the last approved configuration has it."""

    source: str
    destination: str
    state: State
    headline: str
    in_force: bool
    last_seen: date | None


@dataclass(frozen=True)
class PairList:
    """Pairs that a search found, as of `day`. `next_offset` is null on the last page."""

    router: str
    day: date
    pairs: tuple[FoundPair, ...]
    total: int
    next_offset: int | None


@dataclass(frozen=True)
class PairDetail:
    """One pair as of `day`, as `hntes why` explains it.

    Attributes:
        router: The router.
        day: The last full day.
        found: The pair and its state.
        text: The explanation.
        bytes_by_day: Bytes of its believed alpha flows, `day` on the right.
        pins: Its pins, ended ones too.
        exclusions: Those that match it.
        related: Other known pairs that overlap it on both sides, at most 100, as texts.
        timeline: Seen, weak evidence, rule in force, delivered, excluded, pinned by day; counters beside flows.
        counters: What the router counted of its rule, a sentence per counter.
        announced: What senders announced of its flows.
        evidence: A page of its alpha flows, newest first.
        total: The number of all.
        next_offset: Null on the last page.
    """

    router: str
    day: date
    found: FoundPair
    text: str
    bytes_by_day: tuple[int, ...]
    pins: tuple[PinEntry, ...]
    exclusions: tuple[ExclusionEntry, ...]
    related: tuple[str, ...]
    timeline: PairTimeline
    counters: tuple[str, ...]
    announced: tuple[AnnouncedUse, ...]
    evidence: tuple[ObservationEntry, ...]
    total: int
    next_offset: int | None


@routes.get("", summary="Search", responses=answers(400, 404, ok_200=PairList))
def search(
    caller: Reader,
    router: Of,
    q: Annotated[texts.PairSearch, Query(description="A host, a prefix, or SOURCE>DESTINATION.")],
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Known pairs of a router that a host, a prefix or a pair finds, with or without a rule."""
    with caller.reading() as visit:
        day, chosen = last_full_day(visit), visit.router(router)
        found = explain_pairs(visit.context, chosen, q, day, 1).explanations
    page = tuple(map(_found, found[offset : offset + limit]))
    more = next_offset(offset, limit, len(found))
    return document_of(PairList, PairList(chosen.name, day, page, len(found), more))


@routes.get("/one", summary="Explain", responses=answers(400, 404, ok_200=PairDetail))
def one(
    caller: Reader, router: Of, source: Ends, destination: Ends, limit: Limit = 100, offset: Offset = 0
) -> Response:
    """One pair: its rule and the reason, its 90 days, and its alpha flows with their sampling error."""
    with caller.reading() as visit:
        day, chosen = last_full_day(visit), visit.router(router)
        explained = explain_pairs(visit.context, chosen, f"{source}>{destination}", day, STRIP_DAYS)
        only = explained.only
        if only is None or only.pair != PairSearch.parse(f"{source}>{destination}").pair:
            raise RefusedError(404, f"router {router} has no pair {source} > {destination}, but others that overlap it")
        timeline = timeline_of(visit.context, chosen, only)
        counters = use_of_pair(visit.context, chosen, only.pair)
    shown = PairDetail(
        router=chosen.name,
        day=day,
        found=_found(only),
        text=explanation_text(only).rstrip(),
        bytes_by_day=only.bytes_by_day,
        pins=only.pins,
        exclusions=only.exclusions,
        related=tuple(map(str, only.related[:MOST_RELATED])),
        timeline=PairTimeline(timeline.first_day, timeline.last_day, timeline.lanes, timeline.counted[-MOST_SPANS:]),
        counters=counters,
        announced=only.announced,
        evidence=only.evidence[offset : offset + limit],
        total=len(only.evidence),
        next_offset=next_offset(offset, limit, len(only.evidence)),
    )
    return document_of(PairDetail, shown)


def _found(one: Explanation) -> FoundPair:
    last_seen = one.known.last_seen if one.known else None
    return FoundPair(str(one.pair.source), str(one.pair.destination), one.state, headline(one), one.in_force, last_seen)
