"""The command that reads the routers' packet counters per pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import json_option, routers_option, with_context
from hntes.cli.router_results import documents, each_router

if TYPE_CHECKING:
    from hntes.workflow.context import Context
    from hntes.workflow.delivery.counters import CountersRead


@click.command()
@routers_option
@click.option("--record", is_flag=True, help="Store the reading; the next call reports the difference.")
@json_option
@with_context
def counters(context: Context, router_names: tuple[str, ...], record: bool, as_json: bool) -> None:
    """Reads the routers' packet counters per pair and lists rules without a match.

    "counted" is since the last recorded reading: per pair on Junos; elsewhere per class of all pairs on each edge
    interface, since these platforms count no bytes per pair. "alpha flows" are the pair's bytes by NetFlow on the UTC
    days of that time: whole days and alpha flows only, while the counter takes every matching packet. A counter that
    was reset (restart, delivery) gives no value for that time. With --json `problem` says why a router could not be
    read. Exit status 3: a router does not answer, a value is implausible, or a delivered pair has no counter.
    """
    from hntes.workflow.delivery.counters import read_counters
    from hntes.workflow.errors import FINISHED_WITH_PROBLEMS

    chosen = [router for router in context.chosen(router_names) if router.delivery is not None or router_names]
    if not chosen:
        output.note("hntes: no router in the settings has [routers.delivery]; no counter was read")
    found, failures = each_router(chosen, lambda router: read_counters(context, router, record=record))
    if as_json:
        output.as_json(
            documents(chosen, found, failures, {"read_ms": None, "counters": (), "missing": (), "refused": ()})
        )
    else:
        for each in found.values():
            _print(each)
    for name, reason in failures.items():
        output.failed(name, reason)
    for each in found.values():
        for reason in each.refused:
            output.note(f"hntes: router {each.router}: {reason}")
    if failures or any(each.refused or each.missing for each in found.values()):
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


def _print(read: CountersRead) -> None:
    rows = [
        (read.router, str(each.pair or "all pairs"), each.interface or "all", each.total_packets, each.total_bytes,
         _known(each.counted_bytes), _known(each.flow_bytes), each.problem)
        for each in read.counters
    ]  # fmt: skip
    names = ("router", "pair", "interface", "packets", "bytes", "counted", "alpha flows", "")
    output.table(names, rows, empty=f"{read.router}: has no counters of HNTES")
    for each in read.never_matched:
        where = f" on {each.interface}" if each.interface else ""
        output.line(f"{read.router}: no packet has ever matched: {each.pair or 'all pairs'}{where}")
    for pair in read.missing:
        output.line(f"{read.router}: has no counter for {pair} although it was delivered")


def _known(number: int | None) -> str:
    return "-" if number is None else str(number)
