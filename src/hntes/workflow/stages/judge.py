"""The stage judge: the gate simulates a router's candidate before its review."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from hntes import gate
from hntes.gate import Lab, MeasuredPeak, Subject
from hntes.gate.loosened import loosened
from hntes.gate.report import ReportHeading, write_report
from hntes.platforms.expected import effective_of
from hntes.platforms.hardware_fit import port_buffer_ms
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.changeset.wording import in_one_line
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import interface_bindings
from hntes.rules.qos.model import RouterModel
from hntes.settings.model import Gate, Router
from hntes.settings.own_configuration import BETA_QUEUE
from hntes.settings.plans import SingleQueue
from hntes.settings.terms import ALPHA, BETA, PREMIUM
from hntes.simulator.engine import ShareCallback
from hntes.simulator.runs.files import RunFolder
from hntes.sql import audit
from hntes.sql.audit import NewEvent
from hntes.sql.change import Change
from hntes.sql.change_facts import facts_of
from hntes.sql.judgements import replace_judgement
from hntes.sql.session import transaction
from hntes.sql.verdicts import digest_of
from hntes.workflow.change_lookup import find_change
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.folders import change_folder
from hntes.workflow.judgement import (
    beta_peaks_of,
    edited_copy,
    gate_for,
    judgement_now,
    measured_traffic,
    redirect_target_of,
    verified_candidate,
)
from hntes.workflow.running_configuration import fitted, judged_alone, judged_running
from hntes.workflow.stage_log import stage
from hntes.workflow.stages.judged_text import JudgedText
from hntes.workflow.stages.rules_as_of import rules_as_of
from hntes.workflow.stages.simulated_runs import VouchedRuns

__all__ = [
    "JudgedText",
    "Lab",
    "TextFile",
    "candidate_subject",
    "file_subject",
    "judge",
    "judge_change",
    "judge_file",
    "lab_of",
]


@dataclass(frozen=True)
class TextFile:
    """A file with configuration text for a router; `platform` None: the router's."""

    path: Path
    platform: str | None = None


def lab_of(context: Context) -> Lab:
    """A lab that shares its runs among all routers and nights of this installation."""
    store = VouchedRuns(RunFolder(context.settings.paths.simulations), context.database)
    gate = context.settings.gate
    return Lab(store, context.workers(gate.workers), only="packet" if gate.engine == "packet" else None)


def _outcome(judged: JudgedText) -> str:
    return judged.word.lower().replace(" ", "_")


@stage(_outcome)
def judge(
    context: Context,
    router: Router,
    day: date,
    *,
    lab: Lab | None = None,
    beta_peaks: Mapping[str, MeasuredPeak] | None = None,
    progress: ShareCallback = lambda _: None,
) -> JudgedText:
    """Judges the candidate of the router's change of a day, stores the verdicts, and writes the report.

    A repeated judgement replaces the verdicts of that candidate. Stored runs are reused.

    Args:
        context: Settings and database.
        router: A router of the settings.
        day: Day of the change.
        lab: Runs the simulations; one of the installation's own if not given.
        beta_peaks: Beta peaks by core port; those measured up to that day if not given. Where too little is behind
            one, or nothing was measured, `[gate] beta_peak_pct` counts if it is more.
        progress: Called with the share of the simulations that is done.

    Raises:
        CommandError: The router has no change of that day.
        CandidateStoreError, CommandError: The candidate is missing on disk, or was altered.
    """
    change = find_change(context, router, day)
    judged = judge_change(context, router, change, lab=lab, beta_peaks=beta_peaks, progress=progress)
    remark = edited_copy(context, router, change)
    return judged if remark is None else replace(judged, remarks=(*judged.remarks, remark))


def judge_change(
    context: Context,
    router: Router,
    change: Change,
    *,
    lab: Lab | None = None,
    beta_peaks: Mapping[str, MeasuredPeak] | None = None,
    progress: ShareCallback = lambda _: None,
) -> JudgedText:
    """As `judge`, for any change.

    Raises:
        CollisionError: the router's running configuration, as it is now, conflicts with the candidate.
    """
    day = change.day
    candidate = verified_candidate(context, router, change)
    # The file may have changed since the proposal.
    fitted(router, candidate.model)
    if beta_peaks is None:
        beta_peaks = beta_peaks_of(context, router, day)
    holds = judgement_now(context, router, change, candidate, beta_peaks)
    traffic = measured_traffic(context, router, day, candidate.pairs)
    subject = candidate_subject(candidate, beta_peaks)
    target = redirect_target_of(context, router, day)
    subject = replace(subject, traffic=traffic, running=judged_running(router), redirect_target=target)
    lab = lab or lab_of(context)
    asked = gate_for(context, router)
    judgement = gate.judge(subject, asked, lab, progress)
    entries = [verdict.entry(router.name, candidate.hash) for verdict in judgement.verdicts]
    event = NewEvent(
        "judge", router.name, day, candidate.hash, holds.judgement_id, f"verdicts {digest_of(entries)[:16]}",
        change_id=change.change_id, outcome="passed" if judgement.is_passing else "not_passed",
    )  # fmt: skip
    with transaction(context.database) as session:
        replace_judgement(session, holds, entries)
        audit.append_changed(session, event, "change_id", "candidate_hash")
        facts = facts_of(session, change.change_id)
    heading = ReportHeading(
        router.name, f"flows of {day}", candidate.hash, in_one_line(change, facts.effect, facts.reserved),
        judged_alone(router),
    )  # fmt: skip
    files = write_report(change_folder(context, router, change), heading, judgement, asked, lab)
    return JudgedText(router.name, candidate.hash, judgement, files, (*_loosened(asked), *_alone(router)))


def judge_file(
    context: Context, router: Router, day: date | None, file: TextFile, out: Path | None, progress: ShareCallback
) -> JudgedText:
    """Judges any text as the router's configuration for the pairs of that day (None: the latest).

    It is asked with the beta peaks and the traffic of that day, as the night asks.
    Stores no verdict; writes the report into `out`, if given.

    Raises:
        CommandError: the file is not UTF-8, or no day is given and the router has no change.
    """
    try:
        text = file.path.read_text(encoding="utf-8")
    except UnicodeDecodeError as cause:
        raise CommandError(f"{file.path}: is not UTF-8 text ({cause.reason} at byte {cause.start})") from cause
    day = day or find_change(context, router, None).day
    pairs = tuple(rule.pair for rule in rules_as_of(context, router, day).selection.kept)
    subject = replace(
        file_subject(context, router, file.platform or router.platform, text, pairs),
        beta_peaks=beta_peaks_of(context, router, day),
        traffic=measured_traffic(context, router, day, frozenset(pairs)),
        redirect_target=redirect_target_of(context, router, day),
    )
    lab = lab_of(context)
    asked = gate_for(context, router)
    judgement = gate.judge(subject, asked, lab, progress)
    digest = hashlib.sha256(text.encode()).hexdigest()
    heading = ReportHeading(router.name, file.path.name, digest)
    files = write_report(out, heading, judgement, asked, lab) if out is not None else {}
    return JudgedText(router.name, digest, judgement, files, _loosened(asked))


def _loosened(asked: Gate) -> tuple[str, ...]:
    named = loosened(asked)
    return (f"limits loosened: {', '.join(named)}",) if named else ()


def _alone(router: Router) -> tuple[str, ...]:
    why = judged_alone(router)
    return (f"judged without the running configuration: {why}",) if why else ()


def candidate_subject(candidate: Candidate, beta_peaks: Mapping[str, MeasuredPeak] | None = None) -> Subject:
    """What the gate judges a rendered candidate by: its text, and the effective model that the text must give."""
    model = candidate.model
    return Subject(
        platform=model.platform,
        text=candidate.text,
        interfaces=model.interfaces,
        pairs=tuple(sorted(candidate.pairs, key=lambda pair: pair.sort_key)),
        alpha_queue=_alpha_queue(model),
        is_redirected=model.redirect is not None,
        port_buffer_ms=model.port_buffer_ms,
        expected=effective_of(model),
        beta_peaks=beta_peaks,
        premium_queue=model.queue_for(PREMIUM),
        keeps="queues" if model.adopted is not None else "classes" if model.keeps_classes else "nothing",
        hardware=model.hardware,
    )


def file_subject(context: Context, router: Router, platform: str, text: str, pairs: tuple[PrefixPair, ...]) -> Subject:
    """The gate's subject for any text of a router: the router's interfaces, plan and pairs."""
    plan = context.settings.plans[router.plan]
    is_single = isinstance(plan, SingleQueue)
    return Subject(
        platform=platform,
        text=text,
        interfaces=interface_bindings(router),
        pairs=pairs,
        alpha_queue=router.queues.by_class()[BETA if is_single else ALPHA],
        is_redirected=router.redirect is not None,
        port_buffer_ms=port_buffer_ms(router),
        premium_queue=router.queues.by_class()[PREMIUM] if PREMIUM in plan.shares_pct() else None,
        hardware=router.hardware,
    )


def _alpha_queue(model: RouterModel) -> int:
    """The queue of alpha packets in the plan; that of best effort if the plan has no alpha queue."""
    queue = model.queue_for(ALPHA)
    return BETA_QUEUE if queue is None else queue
