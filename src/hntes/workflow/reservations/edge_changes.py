"""The texts at the edges of the reservations' calendar: made, superseded, and looked at. See decision 41."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from sqlalchemy.orm import Session

from hntes.etl.locks import locked
from hntes.platforms.conflict import CollisionError
from hntes.platforms.render import render
from hntes.rules.changeset.candidate import Candidate, write_candidate
from hntes.rules.qos.model import ModelError
from hntes.rules.qos.reserved import Reserved, with_reserved
from hntes.rules.reservations.edges import Edge, edges
from hntes.settings.model import Router
from hntes.sql import audit, change_sets, deliveries, edge_changes
from hntes.sql.deliveries import REMOVAL, REPORTS
from hntes.sql.edge_changes import EdgeChangeEntry
from hntes.sql.entries import ChangeSetEntry
from hntes.sql.session import reading, transaction
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.folders import router_folder
from hntes.workflow.reservations.active_reservations import book, excess_class
from hntes.workflow.reservations.ports import section_of
from hntes.workflow.reservations.reserve import present_s
from hntes.workflow.stage_log import stage
from hntes.workflow.stages.running_configuration import fitted

__all__ = [
    "EdgeChangeEntry",
    "ProposedEdges",
    "Unmade",
    "bases_of",
    "edge_of",
    "edges_of",
    "propose_edges",
    "reported_base",
    "waiting_edges",
]

_NAMED = 5


@dataclass(frozen=True)
class Unmade:
    """A stretch for which no text can be made: from when, on which base, and why."""

    from_s: int
    base_hash: str
    problem: str


@dataclass(frozen=True)
class ProposedEdges:
    """What stands at the edges of a router's calendar, what no longer does, and where no text can be made."""

    router: str
    standing: tuple[EdgeChangeEntry, ...]
    superseded: tuple[EdgeChangeEntry, ...]
    unmade: tuple[Unmade, ...]


def _outcome(found: ProposedEdges) -> str:
    return "problems" if found.unmade else "proposed" if found.standing else "nothing_reserved"


@stage(_outcome)
def propose_edges(context: Context, router: Router, until_s: int | None = None) -> ProposedEdges:
    """Makes the texts of a router for the present stretch of the calendar and each that begins by `until_s`.

    `until_s` None: as far ahead as the settings say, but not less far than what is stored. Doing it again changes
    nothing.

    Raises:
        CandidateStoreError: the text of a base is lost, on disk and in the database.
        CommandError: reservations are off, or a port that was reserved on is gone from the settings.
    """
    now_s = present_s()
    ahead_s = section_of(context.settings).propose_hours * 3600
    with locked(router_folder(context, router) / ".locks" / "edges", f"edge changes of {router.name}"):
        with reading(context.database) as session:
            bases = bases_of(session, router.name)
            rows = edge_changes.of_router(session, router.name, states=("pending", "approved", "rejected"))
        until_s = max([until_s or now_s + ahead_s, *(each.from_s for each in rows)])
        made = [_of_base(context, router, base, _on(rows, base), now_s, until_s) for base in bases]
        with transaction(context.database) as session:
            standing = tuple(edge_changes.put(session, entry) for each in made for entry in each.wanted)
            kept = {(each.base_hash, each.from_s) for each in standing} | {key for each in made for key in each.past}
            ended = edge_changes.supersede(session, [e for e in rows if (e.base_hash, e.from_s) not in kept])
    return ProposedEdges(router.name, standing, ended, tuple(one for each in made for one in each.unmade))


def edges_of(context: Context, router: Router, *, with_past: bool = False) -> tuple[EdgeChangeEntry, ...]:
    """A router's edge changes that wait or are approved, up to their end; `with_past`: all that ever were."""
    now_s = present_s()
    with reading(context.database) as session:
        found = edge_changes.of_router(session, router.name)
    return tuple(
        each
        for each in found
        if with_past or (each.state in ("pending", "approved") and (each.until_s is None or each.until_s > now_s))
    )


def edge_of(context: Context, router: Router, base_hash: str, from_s: int) -> EdgeChangeEntry | None:
    """A router's edge change on a base at an instant, whatever became of it; None if there is none."""
    with reading(context.database) as session:
        return edge_changes.edge_change(session, router.name, base_hash, from_s)


def bases_of(session: Session, router: str) -> tuple[ChangeSetEntry, ...]:
    """The change sets on whose rules reservations may stand: approved last, on the router, and waiting; each text once.

    None is approved twice, so a router's day names its base.
    """
    in_force = change_sets.in_force(session, router)
    waiting = [each for each in change_sets.change_sets(session, router) if each.state == "pending"]
    found = [
        change_sets.change_set(session, router, in_force.day) if in_force else None,
        reported_base(session, router),
        *waiting[-1:],
    ]
    unique: dict[str, ChangeSetEntry] = {}
    for each in found:
        if each is not None:
            unique.setdefault(each.candidate_hash, each)
    return tuple(unique.values())


def reported_base(session: Session, router: str) -> ChangeSetEntry | None:
    """The change set whose rules a router was last reported to run; None after a withdrawal, or without any report."""
    events = audit.events(session, router, (*REPORTS, REMOVAL))
    if not events or events[-1].kind == REMOVAL or deliveries.is_reduction(events[-1]):
        return None
    day = events[-1].day
    found = change_sets.change_set(session, router, day) if day is not None else None
    return found if found is not None and found.state == "approved" else None


@dataclass(frozen=True)
class _OfBase:
    """What is wanted on one base; `past` are keys of what was wanted before, and stays as it is."""

    wanted: tuple[EdgeChangeEntry, ...]
    past: tuple[tuple[str, int], ...]
    unmade: tuple[Unmade, ...]


def _of_base(
    context: Context, router: Router, base: ChangeSetEntry, rows: Sequence[EdgeChangeEntry], now_s: int, until_s: int
) -> _OfBase:
    with reading(context.database) as session:
        standing, limits = book(context, session, now_s)
    begun = [each for each in rows if each.from_s <= now_s]
    approved = {each.from_s: each for each in rows if each.state == "approved"}
    text = known_candidate(context, router, base.candidate_hash)
    wanted: list[EdgeChangeEntry] = []
    unmade: list[Unmade] = []
    for number, edge in enumerate(edges(standing, limits, router.name, now_s, until_s)):
        try:
            candidate = _candidate(context, router, text, edge.reserved)
        except (ModelError, CommandError, CollisionError) as problem:
            unmade.append(Unmade(edge.start_s, base.candidate_hash, str(problem)))
            continue
        from_s = edge.start_s if number else _since(begun[-1:], candidate, text, now_s)
        if from_s is not None:
            wanted += _pieces(_entry(base, edge, from_s, candidate), approved)
            write_candidate(router_folder(context, router), candidate)
    past = tuple((each.base_hash, each.from_s) for each in begun if each.state != "pending")
    return _OfBase(tuple(wanted), past, tuple(unmade))


def _pieces(wanted: EdgeChangeEntry, approved: Mapping[int, EdgeChangeEntry]) -> Iterator[EdgeChangeEntry]:
    """The edge change; where a shorter stretch of its text is approved already, that one, and the rest by itself."""
    while found := approved.get(wanted.from_s):
        ends_s = found.until_s
        is_longer = ends_s is not None and (wanted.until_s is None or wanted.until_s > ends_s)
        if ends_s is None or not is_longer or found.candidate_hash != wanted.candidate_hash:
            break
        yield replace(wanted, until_s=ends_s)
        wanted = replace(wanted, from_s=ends_s, leads=False)
    yield wanted


def _since(current: Sequence[EdgeChangeEntry], candidate: Candidate, base: Candidate, now_s: int) -> int | None:
    """Since when the text of the present moment is wanted; None: nobody need be asked, as it is the base's own."""
    for each in current:
        if each.candidate_hash == candidate.hash and (each.until_s is None or each.until_s > now_s):
            return each.from_s
        return now_s
    return None if candidate.hash == base.hash else now_s


def _candidate(context: Context, router: Router, base: Candidate, reserved: Sequence[Reserved]) -> Candidate:
    """The base with these reservations, and the base itself where it has them already.

    Raises:
        CommandError: this version renders the base to another text, so that more than reservations would change.
        CollisionError, ModelError: the router cannot hold them.
    """
    model = with_reserved(base.model, reserved, excess_class(context, router))
    if model == base.model:
        return base
    if render(base.model) != base.text:
        raise CommandError(
            f"router {router.name}: {base.hash[:12]} was rendered by another version, so more than reservations would "
            "change; run the night again, and approve what it proposes"
        )
    if fitted(router, model) != model:
        raise CommandError(
            f"router {router.name}: its running configuration has changed since {base.hash[:12]} was made; run the "
            "night again, and approve what it proposes"
        )
    return Candidate(model, render(model))


def _entry(base: ChangeSetEntry, edge: Edge, from_s: int, candidate: Candidate) -> EdgeChangeEntry:
    return EdgeChangeEntry(
        base.router, base.candidate_hash, from_s, edge.end_s, edge.leads, base.day, candidate.hash,
        candidate.model_hash, "pending", _summary(edge.reserved),
    )  # fmt: skip


def _summary(reserved: Sequence[Reserved]) -> str:
    if not reserved:
        return "no reservation"
    named = ", ".join(f"{each.name} {each.rate_bps} bit/s" for each in reserved[:_NAMED])
    return named + (f" and {len(reserved) - _NAMED} more" if len(reserved) > _NAMED else "")


def _on(rows: Iterable[EdgeChangeEntry], base: ChangeSetEntry) -> list[EdgeChangeEntry]:
    return [each for each in rows if each.base_hash == base.candidate_hash]


def waiting_edges(
    context: Context, router: Router, digits: str | None, day: date | None
) -> tuple[EdgeChangeEntry, ...]:
    """Edge changes that wait for a decision: of the text whose hash begins so, or, on approved rules, beginning on a
    day (UTC).

    Raises:
        CommandError: none begins on that day.
        StoreError: too few digits, or they name no text or several.
    """
    with reading(context.database) as session:
        if digits is not None:
            return edge_changes.chosen(session, router.name, digits)
        bases = {each.candidate_hash for each in bases_of(session, router.name) if each.state == "approved"}
        found = edge_changes.of_router(session, router.name, states=("pending",))
    on_approved = [each for each in found if each.base_hash in bases]
    of_day = tuple(each for each in on_approved if day == datetime.fromtimestamp(each.from_s, UTC).date())
    if not of_day:
        raise CommandError(f"router {router.name}: no text that waits begins on {day}; hntes reserve edges lists them")
    return of_day
