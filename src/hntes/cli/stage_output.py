"""Output of the stages' results: under the stage's name for people, as documents for machines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hntes.cli import output
from hntes.format import counted, long_gigabytes
from hntes.sanitize import shown

if TYPE_CHECKING:
    from hntes.sql.reasons import PairReason
    from hntes.workflow.stage_names import Stage
    from hntes.workflow.stages.detect import DetectionResult
    from hntes.workflow.stages.ingest import IngestReport
    from hntes.workflow.stages.judge import JudgedText
    from hntes.workflow.stages.measure import LoadDayEntry
    from hntes.workflow.stages.night import Night, StageResult
    from hntes.workflow.stages.prepare_scheduled import PreparedChanges
    from hntes.workflow.stages.propose import ProposalResult

MANY_EXPORTERS = 4
SUMMARY_LINES = 30
SOME_NAMES = 5


def heading(stage: Stage) -> None:
    """The stage's name, above its results."""
    output.line(f"-- {stage}")


class NightPrinter:
    """Prints the results of a night's stages as they end, below the stage's name where it is another than before."""

    def __init__(self) -> None:
        self._heading = ""

    def ended(self, router: str, result: StageResult) -> None:
        """Prints one result; `router` is that of a stage that works on one."""
        title, write = _WRITERS[type(result).__name__]
        if title != self._heading:
            output.line(f"-- {title}")
            self._heading = title
        write(router, result)


def print_ingest(reports: Sequence[IngestReport]) -> None:
    """Results of ingest per flow folder, with every unusual outcome."""
    heading("ingest")
    for report in reports:
        _print_folder(report)


def print_detect(found: Mapping[str, DetectionResult]) -> None:
    """The number of alpha flows per router on a day."""
    heading("detect")
    for name, detected in found.items():
        _print_detected(name, detected)


def print_measure(measured: Sequence[LoadDayEntry]) -> None:
    """The measured minutes of each router's day."""
    heading("measure")
    for day in measured:
        _print_measured(day)


def print_propose(proposals: Sequence[ProposalResult]) -> None:
    """Each router's change as the operator will read it, and the paths of its files."""
    heading("propose")
    for proposed in proposals:
        _print_proposed(proposed)


def print_judge(judgements: Sequence[JudgedText]) -> None:
    """Each text's measures with their limits, then the reasons of those that did not pass."""
    heading("judge")
    for judged in judgements:
        output.line(judged_line(judged))
        columns = ("criterion", "measure", "found", "limit", "asked with", "verdict")
        rows = [(row.criterion, row.measure, row.value, row.limit, row.controls, row.outcome) for row in judged.rows]
        output.table(columns, rows)
        _print_reasons(judged)
        if judged.files:
            output.line(f"  report: {', '.join(str(file) for file in judged.files.values())}")


def judged_line(judged: JudgedText) -> str:
    """A judgement in one line."""
    return f"{judged.router}: gate: {judged.word}, candidate {judged.candidate_hash[:12]}"


def night_document(night: Night) -> dict[str, Any]:
    """A night for machines."""
    return {
        "day": night.day,
        "ingest": [report.as_dict() for report in night.ingests],
        "observed": night.observed,
        "measured": night.measured,
        "proposed": {name: proposed_document(proposed) for name, proposed in night.proposed.items()},
        "judged": {name: judged_document(judged) for name, judged in night.judged.items()},
        "edges": {name: prepared.proposed for name, prepared in night.edges.items()},
        "failures": night.failures,
    }


def proposed_document(proposed: ProposalResult) -> dict[str, Any]:
    """A proposal for machines: the change, the pairs with their reasons, the files."""
    proposal = proposed.proposal
    return {
        "change": proposed.change,
        "overtaken_by": proposed.overtaken_by,
        "added": [_reason(each) for each in proposal.added],
        "removed": [_reason(each) for each in proposal.removed],
        "notes": proposal.notes,
        "other_changes": proposal.other_changes,
        "files": proposed.files,
    }


def _reason(found: PairReason) -> dict[str, Any]:
    return {"pair": f"{found.source} > {found.destination}", "reason": found.words, "cause": found.cause}


def judged_document(judged: JudgedText) -> dict[str, Any]:
    """A judgement for machines."""
    return {
        "router": judged.router,
        "candidate_hash": judged.candidate_hash,
        "passes": judged.is_passing,
        "verdicts": judged.judgement.verdicts,
        "levers": judged.levers,
        "remarks": judged.remarks,
        "files": judged.files,
    }


def _print_folder(report: IngestReport) -> None:
    copies = f", {report.duplicates} copies" if report.duplicates else ""
    files = counted(report.files, "file")
    output.line(f"{report.folder}: {files}, {report.ingested} read, {report.unchanged} unchanged{copies}")
    for outcome, records in sorted(report.outcomes.items()):
        output.line(f"  {outcome.replace('_', ' ').replace(':', ': ')}: {counted(records, 'record')}")
    for how, exporters in sorted(report.sampling.items()):
        named = ", ".join(sorted(exporters)) if len(exporters) <= MANY_EXPORTERS else f"{len(exporters)} exporters"
        output.line(f"  sampling {how.replace('_', ' ')}: {named}")
    for path, reason in sorted(report.set_aside.items()):
        output.line(f"  set aside {shown(path)}: {reason}")
    if report.ignored:
        some = ", ".join(report.ignored[:SOME_NAMES]) + (", ..." if len(report.ignored) > SOME_NAMES else "")
        output.line(f"  ignored {counted(len(report.ignored), 'name')} that no collector writes: {some}")
    for warning in report.warnings:
        output.line(f"  warning: {shown(warning)}")


def _print_detected(name: str, detected: DetectionResult) -> None:
    status = detected.status
    state = "complete" if status.complete else "INCOMPLETE"
    state += f" ({status.reason})" if status.reason else ""
    flows = counted(len(detected.observations), "alpha flow")
    output.line(f"{name} {status.day}: {flows}, data {state}")


def _print_measured(day: LoadDayEntry) -> None:
    repeated = ""
    if day.repeated_bytes:
        repeated = f"; {long_gigabytes(day.repeated_bytes)} skipped as counted at a second metering point"
    if day.implausible_minutes:
        repeated += f"; {counted(day.implausible_minutes, 'minute')} above the port's rate skipped"
    output.line(
        f"{day.router} {day.day}: beta load measured over {counted(day.minutes, 'minute')} with flows, "
        f"excluding {counted(day.pairs, 'pair')}{repeated}"
    )


def _print_proposed(proposed: ProposalResult) -> None:
    from hntes.workflow.stages.propose_words import summary

    lines = summary(proposed).splitlines()
    for text in lines[:SUMMARY_LINES]:
        output.line(text)
    if len(lines) > SUMMARY_LINES:
        where = f" in {proposed.files['summary']}" if proposed.files else ""
        output.line(f"  ... and {len(lines) - SUMMARY_LINES} more lines{where}")
    if not proposed.proposal.is_empty and not proposed.proposal.is_withheld:
        change = proposed.change
        output.line(f"  state: {proposed.not_waiting or change.state}, candidate {change.candidate_hash[:12]}")
        output.line(f"  files: {', '.join(str(path) for path in proposed.files.values())}")


def _print_prepared(name: str, prepared: PreparedChanges) -> None:
    from hntes.workflow.delivery.scheduled_words import prepared_lines  # late: most commands need none of it

    for line in prepared_lines(name, prepared):
        output.line(line)


def _print_word(judged: JudgedText) -> None:
    """The gate's verdict on a router's change, in a night's summary."""
    output.line(f"{judged_line(judged)}; {', '.join(str(path) for path in judged.files.values())}")
    _print_reasons(judged)
    if not judged.is_passing:
        output.line("  it cannot be approved; the configuration in force stays")


def _print_reasons(judged: JudgedText) -> None:
    for sentence in judged.blocking_reasons:
        output.line(f"  {sentence}")
    for lever in judged.levers:
        output.line(f"  what moves {lever}")
    for remark in judged.remarks:
        output.line(f"  {remark}")


# Title and printer by the type of a stage's result; the types are named, as their modules load slowly.
_WRITERS: dict[str, tuple[str, Callable[[str, Any], None]]] = {
    "IngestReport": ("ingest", lambda _, report: _print_folder(report)),
    "DetectionResult": ("detect", _print_detected),
    "LoadDayEntry": ("measure", lambda _, day: _print_measured(day)),
    "ProposalResult": ("propose", lambda _, proposed: _print_proposed(proposed)),
    "JudgedText": ("judge", lambda _, judged: _print_word(judged)),
    "PreparedChanges": ("reserve propose", _print_prepared),
}
