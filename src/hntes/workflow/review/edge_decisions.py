"""Edge changes are judged, and approved by a person or by quotas; each decision names its text, base and instant."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from sqlalchemy.orm import Session

from hntes.errors import HntesError
from hntes.format import rfc3339
from hntes.identity import is_same_person, process_identity
from hntes.settings.model import Router
from hntes.sql import approved_texts, change_sets, edge_changes
from hntes.sql.audit import NewEvent
from hntes.sql.edge_changes import EdgeChangeEntry
from hntes.sql.entries import ChangeSetEntry, JudgementEntry
from hntes.sql.judgements import judgement_of
from hntes.sql.session import reading, transaction
from hntes.sql.verdicts import objections
from hntes.workflow.candidates import known_candidate, text_entry
from hntes.workflow.context import Context
from hntes.workflow.folders import router_folder
from hntes.workflow.reservations.edge_quota import quota_reasons
from hntes.workflow.reservations.reserve import present_s
from hntes.workflow.stages.judge import Lab, judge_change
from hntes.workflow.stages.judged_text import JudgedText
from hntes.workflow.stages.judgement import judgement_now, objections_now, verified_candidate

__all__ = [
    "EdgeDecision",
    "approve_by_quota",
    "decide_edge",
    "edge_objections",
    "edges_that_wait",
    "edges_to_decide",
    "judge_edges",
]


@dataclass(frozen=True)
class EdgeDecision:
    """What became of a decision on an edge change, which is given as it stands now; `explanation` for people."""

    outcome: Literal["decided", "waits_for_second", "refused"]
    entry: EdgeChangeEntry
    explanation: str


def judge_edges(
    context: Context, router: Router, entries: Sequence[EdgeChangeEntry], lab: Lab | None = None
) -> tuple[JudgedText, ...]:
    """Judges the texts of those that wait and were not judged by what holds now; each text once.

    The text of an approved base is not judged again.

    Raises:
        CandidateStoreError, CommandError: as `pipeline.judge.judge`.
    """
    waiting = {each.candidate_hash: each for each in entries if each.state == "pending" and not _is_past(each)}
    found = []
    for entry in waiting.values():
        change = entry.change_set
        with reading(context.database) as session:
            stored = judgement_of(session, router.name, entry.candidate_hash)
            is_base = _is_approved_base(session, entry)
        holds = judgement_now(context, router, change, verified_candidate(context, router, change))
        if not is_base and (stored is None or stored.judgement_id != holds.judgement_id):
            found.append(judge_change(context, router, change, report_folder(context, router, entry), lab=lab))
    return tuple(found)


def report_folder(context: Context, router: Router, entry: EdgeChangeEntry) -> Path:
    """Where the gate's report on an edge change lies: below that of its base's day, by its instant."""
    stamp = rfc3339(entry.from_s * 1000).replace(":", "")
    return router_folder(context, router) / entry.day.isoformat() / "edges" / stamp


def edge_objections(context: Context, entry: EdgeChangeEntry) -> tuple[str, ...]:
    """Why an edge change may not be approved as things are now, a line each; none if it may."""
    with reading(context.database) as session:
        if reason := _base_problem(session, entry):
            return (reason,)
        if entry.candidate_hash == entry.base_hash:
            return ()
    return tuple(objections_now(context, entry.change_set))


def decide_edge(
    context: Context, router: Router, entry: EdgeChangeEntry, state: Literal["approved", "rejected"], who: str,
    note: str | None, *, identity: str | None = None,
) -> EdgeDecision:  # fmt: skip
    """A person approves or rejects exactly that text, at that instant, on that base; the first decision counts.

    `identity` is as for `pipeline.decide.decide`. With two approvals in the settings an approval needs two persons.

    Raises:
        CandidateStoreError, CommandError: what would be approved is not what is on disk.
        StoreError: nobody is named, or a text is not one printable line.
    """
    edge_changes.check_person(_what(entry), who, note)
    holds = _holds(context, router, entry) if state == "approved" else None
    by = _By(who, note, identity or process_identity(), holds.judgement_id if holds else None)
    with transaction(context.database) as session:
        edge_changes.lock_edges(session, router.name)
        present = _present(session, entry)
        if isinstance(present, EdgeDecision):
            return present
        if state == "approved" and (refused := _refusal(session, present, holds)):
            return EdgeDecision("refused", present, "\n  ".join((f"{_what(present)}:", *refused)))
        if state == "approved" and context.settings.review.approvals > 1:
            waiting = _first_of_two(session, present, by)
            if waiting is not None:
                return waiting
        done = replace(present, state=state, decided_by=who, decision_note=note)
        _decide(context, router, session, done, by.event(done, state, f"; {edge_changes.until(done)}"))
    return EdgeDecision("decided", done, f"{_what(entry)}: {state} by {who}")


@dataclass(frozen=True)
class _By:
    """Who decides, and by which judgement."""

    who: str
    note: str | None
    identity: str
    judgement_id: str | None

    def event(self, entry: EdgeChangeEntry, word: str, more: str = "") -> NewEvent:
        return edge_changes.event(
            entry, word, more, who=self.who, note=self.note, identity=self.identity, judgement_id=self.judgement_id
        )


def _first_of_two(session: Session, present: EdgeChangeEntry, by: _By) -> EdgeDecision | None:
    """What becomes of an approval that needs a second person; None if this is the second."""
    if present.first_identity is None:
        waiting = replace(present, first_identity=by.identity)
        edge_changes.decide(session, waiting, by.event(waiting, edge_changes.FIRST_APPROVAL))
        return EdgeDecision("waits_for_second", waiting, f"{_what(present)}: waits for a second person")
    if is_same_person(present.first_identity, by.identity):
        text = f"{by.identity} has approved it already; another person must give the second approval"
        return EdgeDecision("refused", present, f"{_what(present)}: {text}")
    return None


def approve_by_quota(context: Context, router: Router) -> tuple[EdgeDecision, ...]:
    """Approves each edge change that waits and that quotas cover, and each that is the text of its approved base.

    Of the others it says why not. Bases that wait for a person themselves are left alone.
    """
    return tuple(_by_quota(context, router, each) for each in edges_to_decide(context, router))


def edges_to_decide(context: Context, router: Router) -> tuple[EdgeChangeEntry, ...]:
    """A router's edge changes that wait for a decision and can have one, being on approved rules and not over; by
    instant.
    """
    with reading(context.database) as session:
        waiting = [e for e in edge_changes.of_router(session, router.name, states=("pending",)) if not _is_past(e)]
        bases = {day: change_sets.change_set(session, router.name, day) for day in {each.day for each in waiting}}
    return tuple(each for each in waiting if (base := bases[each.day]) is not None and _is_approved(base, each))


def edges_that_wait(context: Context) -> tuple[EdgeChangeEntry, ...]:
    """As `edges_to_decide`, of all routers; none where reservations are off."""
    if context.settings.reservations is None:
        return ()
    return tuple(each for router in context.settings.routers for each in edges_to_decide(context, router))


def _by_quota(context: Context, router: Router, entry: EdgeChangeEntry) -> EdgeDecision:
    try:
        return _covered(context, router, entry)
    except HntesError as problem:
        return EdgeDecision("refused", entry, f"{_what(entry)}: {problem}")


def _covered(context: Context, router: Router, entry: EdgeChangeEntry) -> EdgeDecision:
    holds = _holds(context, router, entry)
    base = known_candidate(context, router, entry.base_hash)
    candidate = verified_candidate(context, router, entry.change_set)
    with transaction(context.database) as session:
        covered = quota_reasons(context, session, router, entry, base, candidate)
        edge_changes.lock_edges(session, router.name)
        present = _present(session, entry)
        if isinstance(present, EdgeDecision):
            return present
        refused = (*_refusal(session, present, holds), *covered.reasons)
        if refused:
            return EdgeDecision("refused", present, "\n  ".join((f"{_what(present)}: not by quota:", *refused)))
        by = covered.words or f"the text approved for {entry.day}"
        done = replace(present, state="approved", decided_by=by, decision_note=None)
        more = f"; {edge_changes.until(done)}; by {by}"
        said = edge_changes.event(done, "approved", more, judgement_id=holds.judgement_id if holds else None)
        _decide(context, router, session, done, said)
    return EdgeDecision("decided", done, f"{_what(entry)}: approved by {by}")


def _decide(context: Context, router: Router, session: Session, done: EdgeChangeEntry, said: NewEvent) -> None:
    if done.state == "approved":
        approved_texts.keep(session, text_entry(known_candidate(context, router, done.candidate_hash)))
    edge_changes.decide(session, done, said)


def _holds(context: Context, router: Router, entry: EdgeChangeEntry) -> JudgementEntry | None:
    """What a judgement would be made from now; None for the text of the base, which was approved."""
    candidate = verified_candidate(context, router, entry.change_set)
    if entry.candidate_hash == entry.base_hash:
        return None
    return judgement_now(context, router, entry.change_set, candidate)


def _refusal(session: Session, entry: EdgeChangeEntry, holds: JudgementEntry | None) -> tuple[str, ...]:
    if reason := _base_problem(session, entry):
        return (reason,)
    if _is_past(entry):
        return ("its time is over",)
    if holds is None:
        return ()
    return tuple(objections(session, entry.router, entry.candidate_hash, holds))


def _base_problem(session: Session, entry: EdgeChangeEntry) -> str | None:
    base = change_sets.change_set(session, entry.router, entry.day)
    if base is None or not _is_approved(base, entry):
        return f"its rules are those of {entry.day}, which are not approved; decide on that change set first"
    return None


def _is_approved(base: ChangeSetEntry, entry: EdgeChangeEntry) -> bool:
    return base.state == "approved" and base.candidate_hash == entry.base_hash


def _is_approved_base(session: Session, entry: EdgeChangeEntry) -> bool:
    return entry.candidate_hash == entry.base_hash and _base_problem(session, entry) is None


def _present(session: Session, entry: EdgeChangeEntry) -> EdgeChangeEntry | EdgeDecision:
    """The edge change as it is stored, if it is still the one that the caller has seen and waits; else why not."""
    present = edge_changes.edge_change(session, entry.router, entry.base_hash, entry.from_s)
    if present is None or present.candidate_hash != entry.candidate_hash or present.until_s != entry.until_s:
        return EdgeDecision("refused", present or entry, f"{_what(entry)}: it has changed; look at it again")
    if present.state != "pending":
        by = f" by {present.decided_by}" if present.decided_by else ""
        return EdgeDecision("refused", present, f"{_what(entry)}: it is {present.state}{by}")
    return present


def _is_past(entry: EdgeChangeEntry) -> bool:
    return entry.until_s is not None and entry.until_s <= present_s()


def _what(entry: EdgeChangeEntry) -> str:
    return f"{entry.router} from {rfc3339(entry.from_s * 1000)}, {entry.candidate_hash[:12]}"
