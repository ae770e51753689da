"""`hntes check`: checks the settings, the database, the analytics engine and nfdump."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import json_option, with_context
from hntes.format import counted, data_size, listed, minute
from hntes.sanitize import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hntes.workflow.context import Context
    from hntes.workflow.reports.folder_state import FolderState
    from hntes.workflow.reports.lake_growth import LakeGrowth
    from hntes.workflow.reports.readiness import Readiness
    from hntes.workflow.review.former_routers import FormerRouter

SOME_EXPORTERS = 8


@click.command()
@json_option
@with_context
def check(context: Context, as_json: bool) -> None:
    """Checks the settings, the database, the flow files and nfdump.

    Reports unlisted exporters and whether their flow records are accepted, each router's newest flow file, ports whose
    load cannot be measured, and the newest interface counters. Reads the newest files of each flow folder, names what
    keeps files from being read: links, unreadable folders and files, names in another time zone, several collectors in
    one folder. Exit status 1 if a night would fail or count wrongly: a flow folder is missing, one is not writable, the
    newest files have none of a router's exporters, files cover less time than `rotation_s` says, a router's platform
    cannot be loaded, or its plan conflicts with its running configuration, names interfaces that are absent, or could
    not be judged with it.

    Like every command it first brings the database schema up to date; it changes nothing else. In an object store it
    writes, reads and removes a small object.
    """
    from hntes.workflow.errors import FAILED

    if as_json:
        with output.gathered() as lines:
            problems = _checked(context)
        output.as_json(
            {"routers": [each.name for each in context.settings.routers], "lines": lines, "problems": problems}
        )
    else:
        problems = _checked(context)
    for problem in problems:
        output.note(f"hntes: {problem}")
    if problems:
        raise click.exceptions.Exit(FAILED)


def _checked(context: Context) -> list[str]:
    """Prints what is there; returns what would make a night fail."""
    from hntes.etl.sources.answer import NOTICE_S, answering
    from hntes.platforms.settings_check import broken_platforms
    from hntes.workflow.reports.folder_state import flow_problems, folder_states
    from hntes.workflow.reports.readiness import folder_problems, readiness
    from hntes.workflow.reports.running_check import check_running
    from hntes.workflow.stages.detection_changes import other_rule_notes

    settings = context.settings
    routers, plans = counted(len(settings.routers), "router"), counted(len(settings.plans), "plan")
    output.line(f"settings: {routers}, {plans}")
    output.line(f"database: {context.database.dialect.name}, schema up to date")
    output.line(f"engine:   {_engine(context)}")
    for source in context.sources:
        for name, words in source.check():
            output.line(f"{name + ':':10}{words}")
    folders = answering(context.folders(list(settings.routers)), NOTICE_S)
    states, unread = folder_states(context, folders)
    ready = readiness(settings.routers, folders, states, unread)
    for one in ready:
        _print_router(context, one)
        for note in other_rule_notes(context, one.router, context.last_day):
            output.line(f"router {one.router.name}: {note}")
    _print_folders(context, states)
    _print_left_behind(context)
    if until := settings.replay.latest_day:
        output.line(f"trial:    days up to {until} may be run in advance")
    problems = _print_lake(context)
    _print_senders(context)
    _print_counters(context)
    _print_as_tables(context)
    problems += [f"router {one.router.name}: {one.problem}" for one in ready if one.problem]
    problems += [*folder_problems(context), *flow_problems(context, states)]
    for router in settings.routers:
        beside = check_running(context, router)
        problems += [f"router {router.name}: {each}" for each in beside.problems]
        for each in beside.of_ipv6_pairs:
            output.line(f"router {router.name}: with IPv6 pairs: {each}")
    problems += broken_platforms(router.platform for router in settings.routers)
    return problems


def _print_counters(context: Context) -> None:
    from hntes.workflow.reports.counter_check import counter_words

    for router, words in counter_words(context):
        output.line(f"counters: router {router}: {words}")


def _print_as_tables(context: Context) -> None:
    if not context.settings.autonomous_systems.tables:
        return
    from hntes.workflow.errors import CommandError
    from hntes.workflow.reports.as_tables import origins_of

    try:
        found = origins_of(context)
    except CommandError as problem:
        output.line(f"AS:       {problem}")
    else:
        output.line(f"AS:       {counted(found.prefixes, 'prefix', 'prefixes')} of {len(found.names) - 1} origins")


def _print_folders(context: Context, states: tuple[FolderState, ...]) -> None:
    """What prevents files of the flow folders from being read, and exporters in the newest of them."""
    from hntes.workflow.reports.folder_state import collected_twice, sampling_remarks
    from hntes.workflow.stages.folder_words import folder_notes

    for state in states:
        folder = shown(str(state.survey.folder))
        if state.survey.files and state.survey.source != "nfcapd":
            output.line(f"{folder}: {counted(state.survey.files, 'file')} of {state.survey.source}")
        for note in folder_notes(state.survey, context.settings.ingest.file_timezone):
            output.line(f"{folder}: {shown(note)}")
        for exporter in state.unlisted[:SOME_EXPORTERS]:
            output.line(f"{folder}: the newest files have exporter {exporter}, which no router lists")
        if (more := len(state.unlisted) - SOME_EXPORTERS) > 0:
            output.line(f"{folder}: and {more} more exporters that no router lists")
    for remark in sampling_remarks(context, states):
        output.line(remark)
    for exporter, folders in collected_twice(states).items():
        output.line(
            f"exporter {exporter} is in the files of {listed(folders, most=4)}: several collectors receive its flows; "
            "only one of the folders should belong to a router that accepts it"
        )


def _print_left_behind(context: Context) -> None:
    """Flow folders and routers that the settings do not have any more."""
    from hntes.workflow.review.former_routers import former_routers
    from hntes.workflow.stages.flow_folders import unnamed_folders

    for folder, files in unnamed_folders(context).items():
        output.line(
            f"ledger:   {counted(files, 'flow file')} of {folder}, which no router uses; "
            f"`hntes data forget-folder --folder {folder}` removes their data"
        )
    for former in former_routers(context):
        output.line(f"database: {_former_words(former)}")


def _former_words(former: FormerRouter) -> str:
    """Stored data of a router that is no longer in the settings."""
    has = [f"days up to {former.newest_day}"]
    if former.overrides:
        has.append(f"{counted(former.overrides, 'pin or exclusion', 'pins and exclusions')} of it")
    if former.delivered_day:
        has.append(f"the configuration of {former.delivered_day} delivered to it")
    return (
        f"router {former.name} has {', '.join(has)}, and is not in the settings; history is kept by name, so a "
        "renamed router starts without history (docs/how-to/operate.md)"
    )


def _print_router(context: Context, ready: Readiness) -> None:
    """The router's flow folder, its newest file, and its ports that cannot be measured."""
    router = ready.router
    where = "NOT READABLE:" if ready.problem else "in"
    output.line(f"router {router.name}: {router.platform}, flows {where} {router.flow_folder}")
    if not ready.problem:
        newest = f"the newest from {minute(ready.newest_ms)} UTC" if ready.newest_ms else "the collector writes none"
        output.line(f"router {router.name}: {counted(ready.files, 'flow file')}, {newest}")
    if ready.unmeasured_ports:
        ports = ", ".join(ready.unmeasured_ports)
        output.line(
            f"router {router.name}: no snmp_index for {ports}: their load cannot be measured, "
            f"and the gate takes a beta peak of {context.settings.gate.beta_peak_pct:g}% for them"
        )


def _print_senders(context: Context) -> None:
    """Unlisted exporters, and whether their records are accepted."""
    from hntes.workflow.stages.exporters import UNCLAIMED_DAYS, senders

    for found in senders(context, context.settings.routers):
        for name in found.open_routers:
            line = f"router {name}: lists no exporters, so records of any sender are accepted"
            if found.heard:
                some = ", ".join(f'"{address}"' for address in found.heard[:SOME_EXPORTERS])
                others = len(found.heard) - SOME_EXPORTERS
                line += f"; seen so far: exporters = [{some}]" + (f" and {others} more" if others > 0 else "")
            output.line(line)
        for address, records in found.strangers[:SOME_EXPORTERS]:
            what = counted(records, "record")
            output.line(
                f"{found.folder}: {what} of {address}, which no router lists, were rejected "
                f"in the newest {UNCLAIMED_DAYS} days"
            )
        more = len(found.strangers) - SOME_EXPORTERS
        if more > 0:
            output.line(f"{found.folder}: and {more} more exporters that no router lists")


def _print_lake(context: Context) -> list[str]:
    """What is in the lake; returns why it cannot be looked at or, of a store, not written to, if so."""
    from hntes.etl.errors import LakeError
    from hntes.etl.lake.store import store_of
    from hntes.etl.lake.trial import try_out
    from hntes.etl.lake.url import LakeUrl

    try:
        for words in _lake_words(context):
            output.line(f"lake:     {words}")
        if isinstance(context.lake, LakeUrl):
            try_out(store_of(context.lake))
    except LakeError as problem:
        return [str(problem)]
    return []


def _lake_words(context: Context) -> Iterator[str]:
    """The size of the lake, now and projected, and what of it has no hash."""
    from hntes.sql.ledger import parts_without_hash
    from hntes.sql.session import reading
    from hntes.workflow.reports.lake_growth import lake_growth

    growth = lake_growth(context)
    yield _growth(context, growth)
    with reading(context.database) as session:
        count, newest = parts_without_hash(session, growth.first_day if growth else None)
    if count:
        yield (
            f"{counted(count, 'part')} up to {newest} {'is' if count == 1 else 'are'} older than the ledger's hashes: "
            "compared by records and bytes alone (`hntes data verify`)"
        )


def _growth(context: Context, growth: LakeGrowth | None) -> str:
    from hntes.workflow.reports.lake_retention import kept_lake_days

    if growth is None:
        return "no days yet"
    kept = kept_lake_days(context.settings)
    ahead = f"the {kept} days that `hntes data prune` leaves need" if kept else "a year without retention limit needs"
    total = data_size(round(growth.bytes_per_day * (kept or 365)))
    measured = "" if growth.measured_days == growth.days else f"the newest {growth.measured_days} have "
    size, per_day = data_size(growth.measured_bytes), data_size(round(growth.bytes_per_day))
    return f"{counted(growth.days, 'day')}, {measured}{size}; {per_day} per day: {ahead} {total}"


def _engine(context: Context) -> str:
    """The analytics engine, after it has answered: a missing Spark is reported now, not at night."""
    context.analytics.check()
    analytics = context.settings.analytics
    return "duckdb" if analytics.kind == "duckdb" else f"spark on {analytics.spark.master}, answers"
