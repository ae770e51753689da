"""A full installation: many routers with the same alpha flows, a month of them, and changes that wait.

Every pair is seen once a day, by ports of its own, so that nothing is added up by the database. What the first router
has is written by the program's own writers, and copied for the others that are alike. So is what was proposed for it,
since all see the same; texts, judgements and decisions are each router's own. Earlier days' changes were rejected, so
that the audit log has a month of decisions. All of it follows from the sizes alone.
"""

import hashlib
import math
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from sqlalchemy import Table, insert, literal, select

from hntes import clock
from hntes.etl.measure.measured_pairs import pairs_hash
from hntes.rules.changeset.proposal import Proposal
from hntes.settings.model import Router
from hntes.sql import changes, day_status, interface_loads, load_profiles, observations, proposals, queued_days
from hntes.sql.ageing_rules import AGEING_DAY, AGEING_RULE
from hntes.sql.change import Change
from hntes.sql.day_status import DAY_STATUS
from hntes.sql.entries import DayEntry, InterfaceLoadEntry, LoadDayEntry, ObservationEntry
from hntes.sql.host_totals import OBSERVATION_DAY
from hntes.sql.interface_loads import INTERFACE_LOAD, LOAD_DAY
from hntes.sql.judgements import replace_judgement
from hntes.sql.load_profiles import BINS, LOAD_PROFILE, LoadProfile
from hntes.sql.observations import OBSERVATION
from hntes.sql.queued_days import QUEUED_DAY, QueuedDay
from hntes.sql.rows import remove
from hntes.sql.session import Session, reading, transaction
from hntes.workflow.candidates import known_candidate
from hntes.workflow.change_lookup import change_of
from hntes.workflow.context import Context, opened, routers_of
from hntes.workflow.judgement import judgement_now, verified_candidate
from hntes.workflow.review.decide import Person, Request, decide
from hntes.workflow.stages.propose import propose, render_candidate, store_proposal
from tests.support.decisions import decide_as
from tests.support.entries import change_set, interface_load, observation
from tests.support.gate_verdicts import passing

CORE_INDEX, OTHER_INDEX = 501, 502
_COPIED = (OBSERVATION, OBSERVATION_DAY, DAY_STATUS, LOAD_DAY, INTERFACE_LOAD, LOAD_PROFILE, QUEUED_DAY)
# Written where a change is proposed, for the first router alone.
_PROPOSED = (AGEING_DAY, AGEING_RULE)


@dataclass(frozen=True)
class Size:
    """How much there is: routers that are alike, pairs that each sees every day, days, and terms of a filter.

    `first` is the number of the first of these routers. So many pairs as `moving` enter the filter on the last day, and
    as many leave it: the flows of those that enter are `growth` times as large. `is_approved`: the change of the day
    before was approved; otherwise it was rejected, like all before it.
    """

    routers: int = 2
    pairs: int = 2_000
    days: int = 10
    term_budget: int = 400
    first: int = 1
    moving: int = 40
    growth: int = 200
    rate_bps: int = 10**11
    beta_peak_bytes: int = 75 * 10**8
    is_approved: bool = True

    @property
    def day(self) -> date:
        """The last day: yesterday, as after a night."""
        return clock.today() - timedelta(days=1)

    @property
    def names(self) -> list[str]:
        """The routers' names."""
        return [f"r{number}" for number in range(self.first, self.first + self.routers)]

    @property
    def first_moving(self) -> int:
        """The first pair that enters the filter on the last day."""
        return self.term_budget + 100


# What pages and commands must be quick on.
FULL = Size(routers=40, pairs=10_000, days=30, term_budget=2000)


def source_of(pair: int) -> str:
    """The host that sends what the pair with this number carries."""
    return f"10.{pair // 256}.{pair % 256}.7"


def destination_of(pair: int) -> str:
    """The host that receives it."""
    return f"172.{16 + pair % 16}.{pair // 16 % 256}.9"


def build(folder: Path, url: str, *sizes: Size) -> Path:
    """Makes the installation in an empty folder, of one size or of several of equal days; returns its settings file."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "hntes.toml"
    settings.write_text(_head(folder, url) + "".join(map(_routers, sizes)), encoding="utf-8")
    with opened(settings) as context:
        with _without_indexes(context):
            for size in sizes:
                for number in range(size.days):
                    with transaction(context.database) as session:
                        _store_day(session, number, size)
                _copy(context, size, _COPIED)
        for size in sizes:
            with transaction(context.database) as session:
                for name in size.names:
                    for number in range(size.days - 2):
                        _put_rejected(session, name, _day(number, size))
        for size in sizes:
            for number in (size.days - 2, size.days - 1):
                _propose_and_judge(context, _day(number, size), size)
            _copy(context, size, _PROPOSED)
    return settings


@contextmanager
def _without_indexes(context: Context) -> Iterator[None]:
    """Millions of rows are stored quicker if the index that no key needs is made behind them."""
    indexes = OBSERVATION.indexes
    with transaction(context.database) as session:
        for index in indexes:
            index.drop(session)
    yield
    with transaction(context.database) as session:
        for index in indexes:
            index.create(session)


def _head(folder: Path, url: str) -> str:
    return (
        f'[paths]\nlake = "{folder / "lake"}"\noutput = "{folder / "output"}"\n'
        f'simulations = "{folder / "simulations"}"\n'
        f'[database]\nurl = "{url}"\n[review]\nexpiry_hours = 1000\nnew_pairs_limit = 100000\n'
        '[plans.recommended]\nkind = "two_queue"\n'
    )


def _routers(size: Size) -> str:
    return "".join(
        f'[[routers]]\nname = "{name}"\nplatform = "junos"\nflow_folder = "flows/{name}"\n'
        f"term_budget = {size.term_budget}\n"
        f'[[routers.interfaces]]\nname = "xe-0/0/0"\nrole = "edge"\nrate_bps = {size.rate_bps}\n'
        f'[[routers.interfaces]]\nname = "xe-0/1/0"\nrole = "core"\nrate_bps = {size.rate_bps}\n'
        f"snmp_index = {CORE_INDEX}\n"
        for name in size.names
    )


def _store_day(session: Session, number: int, size: Size) -> None:
    day, router = _day(number, size), size.names[0]
    flows = list(_flows(number, size))
    observations.replace_day(session, router, day, flows)
    covered_s = int(timedelta(days=1).total_seconds())
    day_status.replace_day_status(
        session, DayEntry(router, day, covered_s, covered_s, 288, 0, 40 * size.pairs, complete=True, reason="")
    )
    interface_loads.replace_load(session, *_load(router, day, size, ""))
    load_profiles.replace_profiles(session, router, day, [_profile(router, day, size)])
    alpha, queued = (sum(flow.flow_bytes for flow in flows[:count]) for count in (size.pairs, size.term_budget))
    queued_days.replace_queued_day(session, QueuedDay(router, day, size.term_budget, alpha, queued))


def _flows(number: int, size: Size) -> Iterator[ObservationEntry]:
    """The flows of a day, the largest first; on the last day some from beyond the term budget are many times larger."""
    day = _day(number, size)
    start_ms = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000
    is_last = number == size.days - 1
    for pair in range(size.pairs):
        source, destination = source_of(pair), destination_of(pair)
        port = 1024 + (31 * pair + 97 * number) % 60_000
        grows = is_last and size.first_moving <= pair < size.first_moving + size.moving
        flow_bytes = (2 * 10**9 + 10**5 * (size.pairs - pair) + 1000 * ((7919 * number + pair) % 1000)) * (
            size.growth if grows else 1
        )
        first_ms = start_ms + 86_000_000 // size.pairs * (7919 * pair % size.pairs)
        yield observation(
            router=size.names[0], day=day, flow_id=f"{source} {port} > {destination} 2811 / 6", source=source,
            destination=destination, source_port=port, flow_bytes=flow_bytes, burst_bytes=flow_bytes,
            peak_bytes=flow_bytes // 2,
            peak_sd_bytes=10**7, sampling_factor=100, first_ms=first_ms, last_ms=first_ms + 90_000,
            peak_start_ms=first_ms,
        )  # fmt: skip


def _copy(context: Context, size: Size, tables: Iterable[Table]) -> None:
    """Gives all routers what the first one has, in the order of the key."""
    first, *others = size.names
    for name in others:
        with transaction(context.database) as session:
            for table in tables:
                columns = [column for column in table.columns if column.name != "router"]
                rows = select(literal(name), *columns).where(table.c.router == first).order_by(*table.primary_key)
                remove(session, table, router=name)
                session.execute(insert(table).from_select(["router", *(column.name for column in columns)], rows))


def _propose_and_judge(context: Context, day: date, size: Size) -> None:
    """Changes that are judged; those of the last day wait, those of the day before are decided on."""
    first, *others = routers = routers_of(context.settings, size.names)
    proposal = propose(context, first, day).proposal
    for router in others:
        store_proposal(context, router, _as_of(context, router, proposal))
    for router in routers:
        proposed = change_of(context, router.name, day)
        assert proposed is not None
        _judge(context, router, proposed, size)
        if day != size.day:
            verdict, note = ("approved", "usual") if size.is_approved else ("rejected", "not yet")
            decided = decide(context, router, Request.on(proposed, verdict), Person("anna", note), clock.now_ms())
            assert decided.outcome == "decided", decided.explanation


def _as_of(context: Context, router: Router, proposal: Proposal) -> Proposal:
    """What is proposed for another router: the same pairs for the same reasons, as that one's own texts."""
    pairs = [term.pair for each in proposal.candidate.model.filters for term in each.terms]
    with reading(context.database) as session:
        approved = changes.in_force(session, router.name)
    base = known_candidate(context, router, approved.candidate_hash) if approved else None
    return replace(proposal, router=router.name, base=base, candidate=render_candidate(context, router, pairs))


def _judge(context: Context, router: Router, proposed: Change, size: Size) -> None:
    """As if the load had been measured beside these pairs, and every criterion passed."""
    candidate = verified_candidate(context, router, proposed)
    named = pairs_hash((pair.source, pair.destination) for pair in candidate.pairs)
    with transaction(context.database) as session:
        interface_loads.replace_load(session, *_load(router.name, proposed.day, size, named))
        profile = _profile(router.name, proposed.day, size)
        load_profiles.replace_profiles(session, router.name, proposed.day, [profile])
    judgement = judgement_now(context, router, proposed, candidate)
    with transaction(context.database) as session:
        replace_judgement(session, judgement, passing(router.name, proposed.candidate_hash))


def _load(router: str, day: date, size: Size, named: str) -> tuple[LoadDayEntry, list[InterfaceLoadEntry]]:
    alpha, peak = 3 * 10**9 * size.pairs, size.beta_peak_bytes
    peak_ms = int(datetime(day.year, day.month, day.day, 14, tzinfo=UTC).timestamp()) * 1000
    loads = [
        interface_load(
            router=router,
            day=day,
            interface_index=index,
            records=10**6,
            alpha_bytes=alpha,
            beta_bytes=10**12,
            beta_peak_ms=peak_ms,
            beta_peak_wire_bytes=peak,
            beta_p50_wire_bytes=peak // 12,
            beta_p95_wire_bytes=peak // 6,
            beta_p99_wire_bytes=peak // 4,
            beta_p999_wire_bytes=peak // 2,
        )
        for index in (CORE_INDEX, OTHER_INDEX)
    ]
    return LoadDayEntry(router, day, 1440, size.term_budget, named, 0, 0), loads


def _profile(router: str, day: date, size: Size) -> LoadProfile:
    """A load that goes up and down over the day, with noise."""
    noise = random.Random(day.toordinal())
    course = [1 + math.sin(math.tau * number / BINS) / 2 for number in range(BINS)]
    mean = 3 * 10**9 * size.pairs // BINS
    queued, new, beta = (
        tuple(round(mean * share * each * noise.uniform(0.7, 1.3)) for each in course) for share in (0.3, 0.1, 0.6)
    )
    return LoadProfile(router, day, CORE_INDEX, queued, new, beta)


def _put_rejected(session: Session, router: str, day: date) -> None:
    """A change of an earlier day, proposed and rejected; its candidate is gone."""
    named = hashlib.sha256(f"{router} {day}".encode()).hexdigest()
    made = change_set(router=router, day=day, candidate_hash=named, model_hash=named, pairs_added=7, pairs_kept=1993)
    end = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(hours=1024)
    proposals.put(session, replace(made, base_hash="0" * 64, expires_ms=int(end.timestamp()) * 1000))
    decide_as(session, router, day, named, "rejected", "anna", "not yet", clock.now_ms())


def _day(number: int, size: Size) -> date:
    return size.day - timedelta(days=size.days - 1 - number)
