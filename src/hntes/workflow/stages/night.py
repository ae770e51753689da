"""A whole night: the stages from ingest to judge, in order, for every router."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial

from hntes.settings.model import Router
from hntes.workflow.audit_anchor import anchor_head
from hntes.workflow.context import Context
from hntes.workflow.errors import expected, message
from hntes.workflow.stage_log import warn
from hntes.workflow.stages.detect import DetectionResult, detect
from hntes.workflow.stages.ingest import IngestReport, Progress, ingest
from hntes.workflow.stages.judge import JudgedText, Lab, judge, lab_of
from hntes.workflow.stages.measure import LoadDayEntry, measure
from hntes.workflow.stages.prepare_scheduled import PreparedChanges, prepare_scheduled
from hntes.workflow.stages.propose import ProposalResult, propose

StageResult = IngestReport | DetectionResult | LoadDayEntry | ProposalResult | JudgedText | PreparedChanges


@dataclass
class Night:
    """The result of one night; `failures` has the reason per failed router.

    `edges`: the scheduled changes, on the approved rules and on those of the night.
    """

    day: date
    ingests: list[IngestReport] = field(default_factory=list)
    observed: dict[str, DetectionResult] = field(default_factory=dict)
    measured: dict[str, LoadDayEntry] = field(default_factory=dict)
    proposed: dict[str, ProposalResult] = field(default_factory=dict)
    judged: dict[str, JudgedText] = field(default_factory=dict)
    edges: dict[str, PreparedChanges] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def take(self, router: str, result: StageResult) -> None:
        """Takes the result of a stage of a router, or of ingest."""
        match result:
            case IngestReport():
                self.ingests.append(result)
            case DetectionResult():
                self.observed[router] = result
            case LoadDayEntry():
                self.measured[router] = result
            case ProposalResult():
                self.proposed[router] = result
            case JudgedText():
                self.judged[router] = result
            case PreparedChanges():
                self.edges[router] = result

    @property
    def without_files(self) -> tuple[str, ...]:
        """Routers that were processed without a single flow file of the day."""
        return tuple(name for name, detected in self.observed.items() if not detected.status.files)

    @property
    def without_records(self) -> tuple[str, ...]:
        """Routers that have flow files of the day, but no record that was used."""
        found = ((name, detected.status) for name, detected in self.observed.items())
        return tuple(name for name, status in found if status.files and not status.records)

    @property
    def has_problems(self) -> bool:
        refused = any(not judged.is_passing for judged in self.judged.values())
        refused = refused or any(prepared.has_problems for prepared in self.edges.values())
        set_aside = any(report.set_aside for report in self.ingests)
        return bool(self.failures or self.without_files or self.without_records) or refused or set_aside


def run_night(
    context: Context,
    day: date,
    routers: Sequence[Router],
    progress: Progress,
    judge_progress: Callable[[str, float], object] = lambda _, __: None,
    ended: Callable[[str, StageResult], object] = lambda _, __: None,
) -> Night:
    """Runs all stages for these routers. A failure of one router is kept in `failures` and does not block the others.

    `judge_progress` is called with the router being judged and the completed share of its simulations, `ended` with the
    router ("" for a folder) and the result of each stage.

    Raises:
        CommandError: the day is in the future.
    """
    context.require_come(day)
    night = Night(day)
    lab = lab_of(context)
    unread = set()
    for folder in context.folders(list(routers)):
        try:
            report = ingest(context, folder, day, progress)
            night.take("", report)
            ended("", report)
        except expected() as problem:
            unread.add(folder)
            night.failures |= {r.name: message(problem) for r in routers if r.flow_folder == folder}
    for router in routers:
        if router.flow_folder in unread:
            continue
        try:
            for result in router_stages(context, day, router, lab, partial(judge_progress, router.name)):
                night.take(router.name, result)
                ended(router.name, result)
        except expected() as problem:
            night.failures[router.name] = message(problem)
    end_night(context)
    return night


def router_stages(
    context: Context, day: date, router: Router, lab: Lab, progress: Callable[[float], object] = lambda _: None
) -> Iterator[StageResult]:
    """The stages of one router, from detection on, each when its result is taken."""
    yield detect(context, router, day)
    yield measure(context, router, day)
    proposed = propose(context, router, day)
    yield proposed
    if proposed.change.state == "pending":
        yield judge(context, router, day, lab=lab, progress=progress)
    if context.settings.reservations is not None:
        yield prepare_scheduled(context, router, lab=lab)


def end_night(context: Context) -> None:
    """What follows the stages of all routers: the head of the audit log is written down elsewhere."""
    try:
        anchor_head(context)
    except expected() as problem:
        warn(f"the head of the audit log was not anchored: {message(problem)}")
