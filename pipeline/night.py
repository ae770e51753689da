"""The stages of a night, each a function of the day: what the command line and the scheduler both call.

Every stage replaces its own partition of the state, (folder, file) or (router, day), as a whole. Running one again, or
after it was killed, ends in the same state.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from sqlalchemy.orm import Session

from base.files import write_changed_text
from etl.days import day_bounds_ms
from etl.detect.alpha import detect_day
from etl.detect.completeness import settle_day
from etl.ingest.run import IngestReport, Progress, ingest_folder
from etl.measure.interface_load import measure_day
from pipeline.context import Context
from pipeline.errors import EXPECTED, StandingChangeError, message
from pipeline.folders import router_folder
from pipeline.judge import Judged, judge_change, lab_of
from pipeline.shares import read_load, share_notes
from pipeline.stage_log import stage
from rules.change.candidate import Candidate, load, save
from rules.change.diff import diff_text
from rules.change.proposal import Proposal, headline, propose, summary
from rules.life.budget import Selection, within_budget
from rules.life.pair_days import pair_days
from rules.life.rule_set import RuleSet, never_remove_when_incomplete, rule_set
from rules.pairs import PrefixPair
from rules.qos.build import build_model
from rules.qos.json_form import model_hash
from rules.render.text import render
from settings.model import Router
from sql import change_sets, day_status, interface_loads, ledger, observations, overrides
from sql.entries import ChangeSetEntry, DayEntry, LoadDayEntry, ObservationEntry
from sql.session import reading, transaction


@dataclass(frozen=True)
class Observed:
    """What one router's day showed."""

    status: DayEntry
    observations: tuple[ObservationEntry, ...]


@dataclass(frozen=True)
class Decided:
    """The rules of one router as of a day, and those that the term budget lets in."""

    rule_set: RuleSet
    selection: Selection
    base: Candidate | None
    status: DayEntry


@dataclass(frozen=True)
class Proposed:
    """A router's change, the change set that stands for it, and the files that show it."""

    proposal: Proposal
    change_set: ChangeSetEntry
    files: dict[str, Path]


@dataclass
class Night:
    """What one night did; `failures` holds, by router or folder, why it could not be finished."""

    day: date
    ingests: list[IngestReport] = field(default_factory=list)
    observed: dict[str, Observed] = field(default_factory=dict)
    measured: dict[str, LoadDayEntry] = field(default_factory=dict)
    proposed: dict[str, Proposed] = field(default_factory=dict)
    judged: dict[str, Judged] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def has_problems(self) -> bool:
        refused = any(not judged.judgement.is_passing for judged in self.judged.values())
        return bool(self.failures) or refused or any(report.quarantined for report in self.ingests)


def run_night(
    context: Context,
    day: date,
    routers: Sequence[Router],
    progress: Progress,
    gate_progress: Callable[[str, float], object] = lambda _, __: None,
) -> Night:
    """All stages for these routers. One router's failure does not hold up the others; it is told in `failures`.

    `gate_progress` is called with the router that is judged and the share of its simulations that is done.
    """
    night = Night(day)
    lab = lab_of(context)
    unread = set()
    for folder in context.folders(list(routers)):
        try:
            night.ingests.append(ingest(context, folder, day, progress))
        except EXPECTED as problem:
            unread.add(folder)
            night.failures |= {r.name: message(problem) for r in routers if r.flow_folder == folder}
    for router in routers:
        if router.flow_folder in unread:
            continue
        try:
            night.observed[router.name] = observe(context, router, day)
            night.measured[router.name] = measure_load(context, router, day)
            night.proposed[router.name] = propose_change(context, router, day)
            if night.proposed[router.name].change_set.state == "pending":
                tell = partial(gate_progress, router.name)
                night.judged[router.name] = judge_change(context, router, day, lab=lab, progress=tell)
        except EXPECTED as problem:
            night.failures[router.name] = message(problem)
    return night


@stage
def ingest(context: Context, folder: Path, day: date | None, progress: Progress) -> IngestReport:
    """Reads a folder's flow files: those that can hold flows of that day, or all (None)."""
    from_ms = to_ms = None
    if day is not None:
        from_ms, to_ms = _file_bounds_ms(context, day)
    return ingest_folder(
        context.database,
        context.nfdump,
        context.lake,
        context.folder_plan(folder),
        from_ms=from_ms,
        to_ms=to_ms,
        reader=context.reader,
        progress=progress,
    )


@stage
def observe(context: Context, router: Router, day: date) -> Observed:
    """Finds the day's alpha flows and settles whether its data is complete; both are stored in one transaction."""
    with reading(context.database) as session:
        parts = ledger.parts_between(session, router.name, *_file_bounds_ms(context, day))
    found = detect_day(
        context.analytics, context.lake, [part.part for part in parts], router.name, day, context.detection_rule
    )
    with transaction(context.database) as session:
        status = settle_day(session, router.name, router.flow_folder, day, context.settings.ageing.min_day_coverage)
        observations.replace_day(session, router.name, day, found)
        day_status.replace_day_status(session, status)
    return Observed(status, tuple(found))


def measure_load(context: Context, router: Router, day: date) -> LoadDayEntry:
    """Measures what left each interface on that day, and stores it in the place of the day's former measure.

    Beta is what the rules as of the day do not put into the alpha queue: pairs in force and pairs learned that day. A
    pair's first day counts as alpha, since the queue in which the share is advised will see it so.
    """
    pairs = [(rule.pair.source, rule.pair.destination) for rule in decide_rules(context, router, day).selection.kept]
    with reading(context.database) as session:
        parts = ledger.parts_between(session, router.name, *_file_bounds_ms(context, day))
    names = [part.part for part in parts]
    measured, found = measure_day(context.analytics, context.lake, names, router.name, day, pairs)
    with transaction(context.database) as session:
        interface_loads.replace_load(session, measured, found)
    return measured


def decide_rules(context: Context, router: Router, day: date) -> Decided:
    """The rules as of a day, from what is stored; writes nothing.

    Raises:
        CandidateStoreError: the candidate in force is missing on disk.
    """
    chosen = context.settings.detection
    with reading(context.database) as session:
        history = observations.daily_totals(session, router.name, day)
        statuses = day_status.day_statuses(session, router.name, day)
        pins = overrides.pins(session, router.name)
        exclusions = overrides.exclusions(session, router.name)
        base_hash = _base_hash(session, router.name, day)
    base = load(router_folder(context, router), base_hash) if base_hash else None
    status = next((entry for entry in statuses if entry.day == day), None) or _unknown_day(router.name, day)
    as_of = rule_set(
        pair_days(history, chosen.ipv4_prefix_length, chosen.ipv6_prefix_length),
        statuses,
        pins,
        exclusions,
        router=router.name,
        day=day,
        ageing_days=context.settings.ageing.days,
    )
    as_of = never_remove_when_incomplete(as_of, base.pairs if base else (), status.complete)
    return Decided(as_of, within_budget(as_of.rules, router.term_budget), base, status)


def render_candidate(context: Context, router: Router, pairs: Sequence[PrefixPair]) -> Candidate:
    """The configuration for these pairs, validated and rendered."""
    model = build_model(router, context.settings.plans[router.plan], pairs)
    return Candidate(model, render(model))


@stage
def propose_change(context: Context, router: Router, day: date) -> Proposed:
    """Renders and writes the candidate, stores the change set, and writes the files that show it.

    Raises:
        StandingChangeError: the day's change set is decided already, with another candidate.
    """
    decided = decide_rules(context, router, day)
    candidate = render_candidate(context, router, [rule.pair for rule in decided.selection.kept])
    status = decided.status
    proposal = propose(
        decided.rule_set,
        decided.selection,
        decided.base,
        candidate,
        data_complete=status.complete,
        data_reason=status.reason,
        more_notes=share_notes(context, router, read_load(context, router, day), decided.base),
    )
    save(router_folder(context, router), candidate)
    _, end_ms = day_bounds_ms(day)
    entry = ChangeSetEntry(
        router=router.name,
        day=day,
        base_hash=proposal.base_hash,
        candidate_hash=candidate.hash,
        model_hash=model_hash(candidate.model),
        state="empty" if proposal.is_empty else "pending",
        expires_ms=end_ms + int(context.settings.review.expiry.total_seconds()) * 1000,
        data_complete=proposal.data_complete,
        pairs_added=len(proposal.added),
        pairs_removed=len(proposal.removed),
        pairs_kept=proposal.kept,
        summary=headline(proposal),
    )
    with transaction(context.database) as session:
        stands = change_sets.put(session, entry)
    if stands.candidate_hash != candidate.hash:
        raise StandingChangeError(
            f"{router.name}: the change set of {day} is {stands.state} with candidate {stands.candidate_hash[:12]}; "
            "what the rules or settings would change since then comes with the next night's change set"
        )
    return Proposed(proposal, stands, _write_files(context, router, proposal))


def _write_files(context: Context, router: Router, proposal: Proposal) -> dict[str, Path]:
    day_folder = router_folder(context, router) / proposal.day.isoformat()
    before = proposal.base.text if proposal.base else ""
    texts = {
        "configuration": ("candidate.conf", proposal.candidate.text),
        "diff": ("change.diff", diff_text(before, proposal.candidate.text)),
        "summary": ("summary.txt", summary(proposal)),
    }
    files = {}
    for kind, (name, text) in texts.items():
        files[kind] = day_folder / name
        write_changed_text(files[kind], text)
    return files


def _base_hash(session: Session, router: str, day: date) -> str | None:
    """What was in force before that day: the latest change set approved for an earlier one."""
    approved = [c for c in change_sets.change_sets(session, router) if c.state == "approved" and c.day < day]
    return approved[-1].candidate_hash if approved else None


def _file_bounds_ms(context: Context, day: date) -> tuple[int, int]:
    """Times of files that can hold flows of a day: records end up to an active timeout after the minute they cover."""
    late_ms = context.settings.ingest.late_s * 1000
    from_ms, to_ms = day_bounds_ms(day)
    return from_ms - late_ms, to_ms + late_ms


def _unknown_day(router: str, day: date) -> DayEntry:
    expected_s = int(timedelta(days=1).total_seconds())
    return DayEntry(router, day, expected_s, 0, 0, 0, 0, False, "the day's flows were never looked at")
