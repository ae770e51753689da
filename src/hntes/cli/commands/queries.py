"""The commands that query the stored state; they change nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import (
    DAY,
    day_option,
    day_with_records,
    json_option,
    router_option,
    routers_option,
    with_context,
)
from hntes.format import counted, long_gigabytes

if TYPE_CHECKING:
    from hntes.rules.lifetime.announced_use import AnnouncedUse
    from hntes.rules.lifetime.rule import Rule
    from hntes.rules.pairs import PrefixPair
    from hntes.settings.model import Router
    from hntes.sql.counter_hours import CounterDay
    from hntes.sql.entries import DayEntry, DayLoss, ObservationEntry
    from hntes.workflow.context import Context

# A year of a collector has a hundred thousand files.
LISTED_DAYS = 7


@click.command()
@day_option
@click.option("--since", type=DAY, default=None, help="First day of the sums by --by. Default: DAY alone.")
@click.option(
    "--by",
    type=click.Choice(["router", "source", "destination", "pair", "site", "as"]),
    help="Sums by router, prefix, named site or origin AS.",
)
@routers_option
@json_option
@with_context
def flows(
    context: Context, day: date | None, since: date | None, by: str | None, router_names: tuple[str, ...], as_json: bool
) -> None:
    """Lists the alpha flows found on a day.

    Each with its peak window, the sampling error of that window, and the bytes of the day. --by sums them up instead,
    over all days from --since through DAY: of all routers, or of one router by prefixes of /16 (IPv6: /32), by the
    sites in the settings, or by AS, as the tables in [autonomous_systems] of the settings have them.
    """
    from hntes.workflow.review.queries import alpha_flows

    routers = context.chosen(router_names)
    day = day_with_records(context, day, routers)
    if by is not None:
        _print_groups(context, routers, by, (since or day, day), as_json=as_json)
        return
    if since is not None:
        raise click.UsageError("--since needs --by")
    found = alpha_flows(context, routers, day)
    if as_json:
        output.as_json(found)
        return
    output.table(
        ("router", "alpha flow", "peak from (UTC)", "peak", "+-", "bytes of the day", "records", "note"),
        [
            (
                seen.router, seen.flow_id, output.clock(seen.peak_start_ms), long_gigabytes(seen.peak_bytes),
                _error(seen.peak_sd_bytes),
                long_gigabytes(seen.flow_bytes), seen.records,
                _doubts(seen),
            )
            for seen in found
        ],
        empty=f"no alpha flow on {day}; `hntes data days` lists the days with data",
    )  # fmt: skip


def _print_groups(
    context: Context, routers: Sequence[Router], by: str, span: tuple[date, date], *, as_json: bool
) -> None:  # fmt: skip
    from hntes.workflow.reports.traffic_search import traffic_by_router, traffic_of_router

    if by == "router":
        found = traffic_by_router(context, routers, *span)
    elif len(routers) != 1:
        raise click.UsageError(f"--by {by} is of one router: name it with --router")
    else:
        found = traffic_of_router(context, routers[0], *span, by)  # type: ignore[arg-type]
    if as_json:
        output.as_json(found)
        return
    output.table(
        (by, "alpha traffic", "alpha flows", "days"),
        [
            (each.name, long_gigabytes(each.alpha_bytes), "-" if each.flows is None else each.flows, each.days)
            for each in found.groups
        ],
        empty=f"no alpha flow from {span[0]} to {span[1]}; `hntes data days` lists the days with data",
    )


def _error(sd_bytes: int | None) -> str:
    if sd_bytes is None:
        return "unknown"
    return long_gigabytes(sd_bytes) if sd_bytes else "exact"


def _doubts(seen: ObservationEntry) -> str:
    why = {
        "above_counters": "implausible: above the counters",
        "no_counters": "implausible: no counters",
        "no_packets": "implausible: no packets",
    }
    implausible = why.get(seen.doubt, "implausible") if seen.implausible else ""
    return ", ".join(filter(None, ("borderline" if seen.borderline else "", implausible)))


@click.command()
@day_option
@routers_option
@json_option
@with_context
def rules(context: Context, day: date | None, router_names: tuple[str, ...], as_json: bool) -> None:
    """Lists the rules as of a day with their reasons.

    Then lists the pairs over the term budget, the pairs whose rule has ended, and the configuration approved,
    delivered and verified for the router. What others announced of a pair is shown with its reason. A rule takes
    effect once the router runs its configuration. The last line counts the hosts that sent alpha flows in the last 30
    days and use ECN, as far as flow records show; these would benefit from `alpha_ecn` of a plan.
    """
    from hntes.workflow.reports.alpha_senders import senders_of, senders_sentence
    from hntes.workflow.review.status import router_progress
    from hntes.workflow.stages.announced_pairs import announced_uses
    from hntes.workflow.stages.rules_as_of import rules_as_of

    routers = context.chosen(router_names)
    day = day_with_records(context, day, routers)
    found = [rules_as_of(context, router, day) for router in routers]
    stories = {router.name: router_progress(context, router) for router in routers}
    senders = {router.name: senders_of(context, router.name, day) for router in routers}
    announced = {
        router.name: announced_uses(
            context, router, [rule.pair for rule in one.rule_set.rules], day, context.settings.ageing.days
        )
        for router, one in zip(routers, found, strict=True)
    }
    if as_json:
        output.as_json({one.rule_set.router: {"rules": one.selection.kept, "left_out": one.selection.left_out,
                                              "left": one.rule_set.left, "story": stories[one.rule_set.router],
                                              "senders": senders[one.rule_set.router],
                                              "announced": _uses(announced[one.rule_set.router])}
                        for one in found})  # fmt: skip
        return
    for one in found:
        said = announced[one.rule_set.router]
        output.table(
            ("router", "pair", "state", "why"),
            [(one.rule_set.router, rule.pair, "rule", _with_purpose(rule, said)) for rule in one.selection.kept]
            + [
                (one.rule_set.router, rule.pair, "over budget", _with_purpose(rule, said))
                for rule in one.selection.left_out
            ]
            + [(one.rule_set.router, gone.pair, "gone", gone.reason) for gone in one.rule_set.left],
            empty=f"{one.rule_set.router} has no rule as of {day} and had none before",
        )
        for text in (*stories[one.rule_set.router].lines, senders_sentence(senders[one.rule_set.router])):
            if text:
                output.line(text)


def _with_purpose(rule: Rule, said: Mapping[PrefixPair, Sequence[AnnouncedUse]]) -> str:
    from hntes.rules.lifetime.announced_use import purposes

    purpose = purposes(said.get(rule.pair, ()))
    return f"{rule.why}; announced, not verified: {purpose}" if purpose else rule.why


def _uses(said: Mapping[PrefixPair, Sequence[AnnouncedUse]]) -> list[dict[str, object]]:
    return [{"pair": pair, "uses": uses} for pair, uses in sorted(said.items(), key=lambda item: item[0].sort_key)]


@click.command()
@click.argument("wanted", metavar="HOST|PREFIX|'SOURCE>DESTINATION'")
@router_option
@day_option
@click.option("--evidence-days", type=click.IntRange(1, 3650), default=30, show_default=True, help="Days of evidence.")
@json_option
@with_context
def why(context: Context, wanted: str, router_name: str, day: date | None, evidence_days: int, as_json: bool) -> None:
    """Explains a prefix pair: its rule, its age, the reason, the evidence.

    \b
      hntes why '198.18.10.0/24>203.0.113.0/24' --router r1   this pair
      hntes why '198.18.10.5>203.0.113.9' --router r1         these hosts' pair
      hntes why 198.18.10.5 --router r1                       all of this host's

    Several matching pairs are listed with their states; a single one is explained.
    """
    from hntes.workflow.review.pair_history import timeline_of
    from hntes.workflow.review.queries import explain_pairs

    (router,) = context.chosen([router_name])
    day = day_with_records(context, day, [router])
    found = explain_pairs(context, router, wanted, day, evidence_days)
    if found.only is not None:
        if as_json:
            output.as_json({**vars(found.only), "timeline": timeline_of(context, router, found.only)})
        else:
            output.line(found.text)
        return
    if as_json:
        output.as_json([{"pair": one.pair, "state": one.state, "in_force": one.in_force} for one in found.explanations])
        return
    output.table(("pair", "last seen", "state"), found.rows, empty=f"no known pair of {router_name} matches {wanted}")


@click.command()
@click.option(
    "--day", type=DAY, default=None, help="Last day listed; YYYY-MM-DD, today, yesterday. Default: the newest."
)
@routers_option
@json_option
@with_context
def days(context: Context, day: date | None, router_names: tuple[str, ...], as_json: bool) -> None:
    """Lists the days up to DAY and how well flow files cover each.

    Only complete days count for ageing. With a source of interface counters, "flows/counters" is the ratio of octets
    over the interfaces that meter their traffic. --json has the losses by exporter and cause, and both octets by
    interface and direction, too.
    """
    from hntes.sql.counter_hours import flow_ratio
    from hntes.workflow.review.queries import counted_octets, covered_days, lost_records

    chosen, day = context.chosen(router_names), day or context.last_day
    found = covered_days(context, chosen, day)
    octets: defaultdict[tuple[str, date], list[CounterDay]] = defaultdict(list)
    for one in counted_octets(context, chosen, day):
        octets[one.router, one.day].append(one)
    ratios = {of: flow_ratio(listed) for of, listed in octets.items()}
    if as_json:
        output.as_json(_day_documents(found, lost_records(context, chosen, day), octets))
        return
    more = ("flows/counters",) if ratios else ()
    output.table(
        ("router", "day", "complete", "covered s", "files", "set aside", "records", *more, "reason"),
        [
            (e.router, e.day, "yes" if e.complete else "no", e.covered_s, e.files, e.quarantined_files, e.records,
             *((_ratio(ratios.get((e.router, e.day))),) if ratios else ()), e.reason)
            for e in found
        ],
        empty=f"no day up to {day} was processed yet; run `hntes nightly` or `hntes stage detect`",
    )  # fmt: skip


def _day_documents(
    days: Sequence[DayEntry], losses: Sequence[DayLoss], octets: Mapping[tuple[str, date], Sequence[CounterDay]]
) -> list[dict[str, object]]:
    from hntes.sql.counter_hours import flow_ratio

    found: list[dict[str, object]] = []
    for entry in days:
        of = (entry.router, entry.day)
        counted = octets.get(of, ())
        own = [one for one in losses if (one.router, one.day) == of]
        more = {"losses": own, "flow_to_counter_ratio": flow_ratio(counted), "counters": counted}
        found.append({**asdict(entry), **more})
    return found


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.3f}"


@click.command()
@routers_option
@click.option("--day", type=DAY, default=None, help="Only files that start on this UTC day.")
@click.option("--all", "all_files", is_flag=True, help="All files. Default: those of the newest seven days with files.")
@click.option("--set-aside", is_flag=True, help="Only files that could not be read, of all days.")
@json_option
@with_context
def files(
    context: Context, router_names: tuple[str, ...], day: date | None, all_files: bool, set_aside: bool, as_json: bool
) -> None:
    """Lists the flow files with the outcome of each and of its records.

    Includes files that have the name of a flow file but are none. A file that was set aside (state "quarantined") is
    shown with the reason; records that were set aside are counted by reason. Says on standard error how many older
    files are not listed.
    """
    from hntes.workflow.review.queries import flow_files

    newest_days = None if all_files or set_aside or day is not None else LISTED_DAYS
    listed = flow_files(context, context.chosen(router_names), day, only_set_aside=set_aside, newest_days=newest_days)
    if listed.older:
        output.note(f"{counted(listed.older, 'older file')} not listed; --all lists them, --day those of a day")
    found = listed.files
    if as_json:
        output.as_json([{**asdict(file.entry), "counts": file.counts} for file in found])
        return
    output.table(
        ("folder", "file", "state", "records", "reason or outcomes"),
        [
            (file.entry.folder, file.entry.path, file.entry.state, file.entry.read_records,
             "; ".join(filter(None, (", ".join(f"{c.outcome} {c.records}" for c in file.counts), file.entry.reason))))
            for file in found
        ],
        empty="no such flow file was read yet; `hntes stage ingest --all` reads the flow folders",
    )  # fmt: skip
