"""The commands that run a night, whole or one stage of it."""

from datetime import date
from typing import Any

import click

from base.wording import counted
from console import output
from console.commands.judge import judged_document, objections
from console.options import chosen, day_option, json_option, routers_option, with_context
from etl.ingest.run import IngestReport
from gate.report import outcome_word
from pipeline.context import Context
from pipeline.errors import FAILED, FINISHED_WITH_PROBLEMS
from pipeline.judge import Judged
from pipeline.night import Night, Observed, Proposed, measure_load, observe, propose_change, run_night
from pipeline.night import ingest as ingest_stage
from rules.change.proposal import summary
from settings.model import Router
from sql.entries import LoadDayEntry

MANY_EXPORTERS = 4
SUMMARY_LINES = 30


@click.command()
@day_option
@routers_option
@json_option
@with_context
def nightly(context: Context, day: date, router_names: tuple[str, ...], as_json: bool) -> None:
    """Runs a whole night: reads the day's flow files, finds alpha flows, proposes each router's change.

    Running a day again, or after a crash, ends in the same state. Nothing reaches a router: `hntes changes` lists what
    waits for a decision. Each change is judged by the gate; what does not pass cannot be approved, and what is in force
    stays. Exit status 3: a router failed, a file was set aside, or a change did not pass; the others are done.
    """
    routers = chosen(context, router_names)
    night = watched_night(context, day, routers)
    if as_json:
        output.as_json(night_document(night))
    else:
        print_night(night)
    for name, reason in night.failures.items():
        output.note(f"hntes: router {name} failed: {reason}")
    if night.has_problems:
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS if night.proposed else FAILED)


@click.command()
@day_option
@click.option("--all", "all_files", is_flag=True, help="All files of the folders, whatever their day.")
@routers_option
@json_option
@with_context
def ingest(context: Context, day: date, all_files: bool, router_names: tuple[str, ...], as_json: bool) -> None:
    """Reads flow files into the lake: those that can hold flows of a day, or all."""
    reports = []
    with output.file_progress("reading") as progress:
        for folder in context.folders(chosen(context, router_names)):
            reports.append(ingest_stage(context, folder, None if all_files else day, progress))
    if as_json:
        output.as_json([report.as_dict() for report in reports])
    else:
        for report in reports:
            print_ingest(report)
    if any(report.quarantined for report in reports):
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


@click.command()
@day_option
@routers_option
@json_option
@with_context
def detect(context: Context, day: date, router_names: tuple[str, ...], as_json: bool) -> None:
    """Finds the alpha flows of a day in the flows already read, and settles whether the day is complete."""
    found = {router.name: observe(context, router, day) for router in chosen(context, router_names)}
    if as_json:
        output.as_json(found)
        return
    for name, observed in found.items():
        print_observed(name, observed)


@click.command()
@day_option
@routers_option
@json_option
@with_context
def measure(context: Context, day: date, router_names: tuple[str, ...], as_json: bool) -> None:
    """Measures a day's beta load of every interface in the flows already read, under the rules as of that day.

    `hntes nightly` does it every night; run it for past days whose flows are in the lake, so that `hntes shares` has
    something to go by. Measuring a day again replaces what was stored of it.
    """
    found = {router.name: measure_load(context, router, day) for router in chosen(context, router_names)}
    if as_json:
        output.as_json(found)
        return
    for measured in found.values():
        print_measured(measured)


@click.command()
@day_option
@routers_option
@json_option
@with_context
def propose(context: Context, day: date, router_names: tuple[str, ...], as_json: bool) -> None:
    """Renders each router's candidate from the rules as of a day, with its diff and change set."""
    found = {router.name: propose_change(context, router, day) for router in chosen(context, router_names)}
    if as_json:
        output.as_json({name: proposed_document(proposed) for name, proposed in found.items()})
        return
    for proposed in found.values():
        print_proposed(proposed)


def watched_night(context: Context, day: date, routers: list[Router]) -> Night:
    """A whole night with a progress bar, first for the files, then for the simulations."""
    with output.file_progress("") as bar:

        def reading(done: int, total: int, path: str) -> None:
            bar(done, total, f"reading {path}")

        def simulating(router: str, share: float) -> None:
            bar(round(100 * share), 100, f"simulating {router}")

        return run_night(context, day, routers, reading, simulating)


def night_document(night: Night) -> dict[str, Any]:
    """A night for machines."""
    return {
        "day": night.day,
        "ingest": [report.as_dict() for report in night.ingests],
        "observed": night.observed,
        "measured": night.measured,
        "proposed": {name: proposed_document(proposed) for name, proposed in night.proposed.items()},
        "judged": {name: judged_document(judged) for name, judged in night.judged.items()},
        "failures": night.failures,
    }


def proposed_document(proposed: Proposed) -> dict[str, Any]:
    """A proposal for machines: the change set, the pairs with their reasons, the files."""
    proposal = proposed.proposal
    return {
        "change_set": proposed.change_set,
        "added": [{"pair": str(change.pair), "reason": change.reason} for change in proposal.added],
        "removed": [{"pair": str(change.pair), "reason": change.reason} for change in proposal.removed],
        "notes": proposal.notes,
        "other_changes": proposal.other_changes,
        "files": proposed.files,
    }


def print_night(night: Night) -> None:
    """A night for people: what was read, found and proposed."""
    for report in night.ingests:
        print_ingest(report)
    for name, observed in night.observed.items():
        print_observed(name, observed)
    for measured in night.measured.values():
        print_measured(measured)
    for name, proposed in night.proposed.items():
        print_proposed(proposed)
        if name in night.judged:
            print_gate(night.judged[name])


def print_gate(judged: Judged) -> None:
    """What the gate says of a router's change, in a night's summary."""
    output.line(f"  gate: {outcome_word(judged.judgement)}; {', '.join(str(path) for path in judged.files.values())}")
    for sentence in objections(judged.judgement):
        output.line(f"    {sentence}")
    if not judged.judgement.is_passing:
        output.line("    it cannot be approved; what is in force stays")


def print_measured(measured: LoadDayEntry) -> None:
    """How much of a router's day was measured."""
    twice = ""
    if measured.repeated_bytes:
        twice = f"; {output.gigabytes(measured.repeated_bytes)} counted at a second metering point left out"
    output.line(
        f"{measured.router} {measured.day}: beta load measured over {counted(measured.minutes, 'minute')} "
        f"with flows, beside {counted(measured.pairs, 'pair')}{twice}"
    )


def print_ingest(report: IngestReport) -> None:
    """What one run over a folder did, with every outcome that is not the ordinary one."""
    copies = f", {report.duplicates} copies" if report.duplicates else ""
    output.line(f"{report.folder}: {report.files} files, {report.ingested} read, {report.unchanged} unchanged{copies}")
    for outcome, records in sorted(report.outcomes.items()):
        output.line(f"  {outcome.replace('_', ' ').replace(':', ': ')}: {records} records")
    for how, exporters in sorted(report.sampling.items()):
        shown = ", ".join(sorted(exporters)) if len(exporters) <= MANY_EXPORTERS else f"{len(exporters)} exporters"
        output.line(f"  sampling {how.replace('_', ' ')}: {shown}")
    for path, reason in sorted(report.quarantined.items()):
        output.line(f"  set aside {path}: {reason}")
    for warning in report.warnings:
        output.line(f"  warning: {warning}")


def print_observed(name: str, observed: Observed) -> None:
    """A router's alpha flows of a day."""
    status = observed.status
    state = "complete" if status.complete else f"INCOMPLETE ({status.reason})"
    output.line(f"{name} {status.day}: {counted(len(observed.observations), 'alpha flow')}, data {state}")


def print_proposed(proposed: Proposed) -> None:
    """A router's change, as the operator will read it, and where its files are."""
    told = summary(proposed.proposal).rstrip().splitlines()
    for text in told[:SUMMARY_LINES]:
        output.line(text)
    if len(told) > SUMMARY_LINES:
        output.line(f"  ... and {len(told) - SUMMARY_LINES} lines more in {proposed.files['summary']}")
    if not proposed.proposal.is_empty:
        output.line(f"  change set: {proposed.change_set.state}, candidate {proposed.change_set.candidate_hash[:12]}")
        output.line(f"  files: {', '.join(str(path) for path in proposed.files.values())}")
