"""The commands that answer questions; they change nothing."""

from dataclasses import asdict
from datetime import date

import click

from console import output
from console.options import chosen, day_option, json_option, router_option, routers_option, with_context
from pipeline.context import Context
from pipeline.folders import router_folder
from pipeline.night import decide_rules
from rules.change.candidate import load
from rules.life.why import explain, explanation_text
from rules.pairs import PrefixPair
from sql import change_sets, ledger, observations, overrides
from sql import day_status as day_table
from sql.entries import DayEntry, ObservationEntry
from sql.session import reading


@click.command()
@day_option
@routers_option
@json_option
@with_context
def alphas(context: Context, day: date, router_names: tuple[str, ...], as_json: bool) -> None:
    """Lists the alpha flows found on a day: their fullest window, its error, their bytes."""
    found: list[ObservationEntry] = []
    with reading(context.database) as session:
        for router in chosen(context, router_names):
            found += observations.history(session, router.name, day, day)
    if as_json:
        output.as_json(found)
        return
    output.table(
        ("router", "alpha flow", "peak from", "peak", "+-", "bytes of the day", "records", "note"),
        [
            (
                seen.router, seen.flow_id, output.clock(seen.peak_start_ms), output.gigabytes(seen.peak_bytes),
                "unknown" if seen.peak_sd_bytes is None else output.gigabytes(seen.peak_sd_bytes),
                output.gigabytes(seen.flow_bytes), seen.records, "borderline" if seen.borderline else "",
            )
            for seen in found
        ],
    )  # fmt: skip


@click.command()
@day_option
@routers_option
@json_option
@with_context
def rules(context: Context, day: date, router_names: tuple[str, ...], as_json: bool) -> None:
    """Lists the rules as of a day, why each exists, and the pairs that have none any more."""
    decided = [decide_rules(context, router, day) for router in chosen(context, router_names)]
    if as_json:
        output.as_json({one.rule_set.router: {"rules": one.selection.kept, "left_out": one.selection.left_out,
                                           "left": one.rule_set.left} for one in decided})  # fmt: skip
        return
    for one in decided:
        output.table(
            ("router", "pair", "state", "why"),
            [(one.rule_set.router, rule.pair, "rule", rule.why) for rule in one.selection.kept]
            + [(one.rule_set.router, rule.pair, "over budget", rule.why) for rule in one.selection.left_out]
            + [(one.rule_set.router, gone.pair, "gone", gone.reason) for gone in one.rule_set.left],
        )


@click.command()
@click.argument("pair", metavar="'SOURCE>DESTINATION'")
@router_option
@day_option
@click.option("--evidence-days", type=click.IntRange(1, 3650), default=30, show_default=True, help="How far back.")
@json_option
@with_context
def why(context: Context, pair: str, router_name: str, day: date, evidence_days: int, as_json: bool) -> None:
    """Tells all about one prefix pair: has it a rule, since when, why, and which flows are the evidence.

    Quote the pair, for the shell: hntes why '198.18.10.0/24>203.0.113.0/24' --router r1
    """
    wanted = PrefixPair.parse(pair)
    (router,) = chosen(context, [router_name])
    decided = decide_rules(context, router, day)
    with reading(context.database) as session:
        now = change_sets.in_force(session, router.name)
        explanation = explain(
            wanted,
            decided.rule_set,
            decided.selection,
            in_force_pairs=load(router_folder(context, router), now.candidate_hash).pairs if now else frozenset(),
            pins=overrides.pins(session, router.name),
            observations=observations.history(session, router.name, day),
            evidence_days=evidence_days,
        )
    if as_json:
        output.as_json(explanation)
    else:
        output.line(explanation_text(explanation).rstrip())


@click.command()
@day_option
@routers_option
@json_option
@with_context
def days(context: Context, day: date, router_names: tuple[str, ...], as_json: bool) -> None:
    """Lists the days up to DAY: how well flow files cover each, and whether it counts for ageing."""
    found: list[DayEntry] = []
    with reading(context.database) as session:
        for router in chosen(context, router_names):
            found += day_table.day_statuses(session, router.name, day)
    if as_json:
        output.as_json(found)
        return
    output.table(
        ("router", "day", "complete", "covered s", "files", "set aside", "records", "reason"),
        [
            (
                e.router,
                e.day,
                "yes" if e.complete else "no",
                e.covered_s,
                e.files,
                e.quarantined_files,
                e.records,
                e.reason,
            )
            for e in found
        ],
    )


@click.command()
@routers_option
@click.option("--set-aside", is_flag=True, help="Only files that could not be read.")
@json_option
@with_context
def files(context: Context, router_names: tuple[str, ...], set_aside: bool, as_json: bool) -> None:
    """Lists the flow files that were looked at, what became of each, and what became of their records."""
    found = []
    with reading(context.database) as session:
        for folder in context.folders(chosen(context, router_names)):
            for entry in ledger.files_of_folder(session, str(folder)):
                if not set_aside or entry.state == "quarantined":
                    stored = ledger.get_stored_file(session, entry.folder, entry.path)
                    found.append((entry, stored.counts if stored else ()))
    if as_json:
        output.as_json([{**asdict(entry), "counts": counts} for entry, counts in found])
        return
    output.table(
        ("folder", "file", "state", "records", "reason or outcomes"),
        [
            (entry.folder, entry.path, entry.state, entry.read_records,
             entry.reason or ", ".join(f"{c.outcome} {c.records}" for c in counts))
            for entry, counts in found
        ],
    )  # fmt: skip
