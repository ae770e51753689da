"""The command that shows a router's traffic, what its configuration queued of it, and which rules age out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import day_option, day_with_records, json_option, one_router_option, with_context
from hntes.format import long_gigabytes

if TYPE_CHECKING:
    from hntes.workflow.context import Context
    from hntes.workflow.reports.router_traffic import QueuedDay, QueuedSum, RouterTraffic


@click.command()
@one_router_option("Only this router. Default: the sums of all by day.")
@day_option
@click.option(
    "--days", type=click.IntRange(1, 400), default=30, show_default=True, help="Days whose queued bytes are listed."
)
@json_option
@with_context
def traffic(context: Context, router_name: str | None, day: date | None, days: int, as_json: bool) -> None:
    """Shows a router's traffic, what of it had a rule, and which rules age out.

    As stored by the nights: nothing is read from the lake or from the router. "with a rule" is traffic of pairs that
    were in force on its day, delivered or not; "without a rule" is traffic of pairs that got one only later; beta is
    all other traffic. --json has the load of each core port in bins of five minutes, and the largest alpha flows.
    """
    from hntes.workflow.reports.all_flows import flows_of_all
    from hntes.workflow.reports.all_routers import all_ageing_words, all_routers, budgets_words
    from hntes.workflow.reports.router_traffic import queued_of_all, router_traffic
    from hntes.workflow.reports.traffic_words import all_flows_words

    chosen = context.chosen([router_name] if router_name else [])
    day = day_with_records(context, day, chosen)
    if router_name is None:
        found = queued_of_all(context, chosen, day, days)
        if as_json:
            output.as_json(found)
            return
        _print_days(found)
        output.line(all_flows_words(flows_of_all(context, chosen, day)))
        totals = all_routers(context, context.settings.routers)
        output.line(budgets_words(totals))
        output.line(all_ageing_words(totals))
        return
    one = router_traffic(context, chosen[0], day, days)
    output.as_json(one) if as_json else _print(one)


def _print(found: RouterTraffic) -> None:
    from hntes.workflow.reports.traffic_words import (
        ageing_words,
        budget_words,
        flows_words,
        missing_load,
        port_day_rows,
        port_days_words,
        port_words,
    )

    for port in found.ports:
        output.line(f"{port.name}: {port_words(port)}")
    if not found.ports:
        output.line(missing_load(found))
    output.line(flows_words(found))
    output.line(budget_words(found))
    output.line(ageing_words(found))
    _print_days(found.days)
    output.table(
        ("ages out", "complete days left", "last seen", "days seen", "alpha traffic so far"),
        [
            (f"{rule.source} > {rule.destination}", rule.days_left, rule.last_seen, rule.days_seen,
             long_gigabytes(rule.alpha_bytes))
            for rule in found.ageing_rules
        ],
    )  # fmt: skip
    for one in found.port_days:
        output.line(f"{one.name}: {port_days_words(one)}")
        head = (f"day, {one.name}", "with a rule", "without a rule", "beta", "busiest 5 minutes")
        output.table(head, port_day_rows(one))


def _print_days(days: Sequence[QueuedDay | QueuedSum]) -> None:
    from hntes.workflow.reports.traffic_words import day_rows, queued_words

    output.line(queued_words(days))
    output.table(("day", "with a rule", "without a rule", "share with a rule"), day_rows(days))
