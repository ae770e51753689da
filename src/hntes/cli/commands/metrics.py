"""`hntes metrics`: Prometheus metrics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import SafePath, routers_option, with_context

if TYPE_CHECKING:
    from hntes.workflow.context import Context


@click.command()
@routers_option
@click.option(
    "--out",
    "out_path",
    type=SafePath(dir_okay=False, path_type=Path),
    help="Write this file atomically instead of standard output.",
)
@with_context
def metrics(context: Context, router_names: tuple[str, ...], out_path: Path | None) -> None:
    """Prints the state of every router in Prometheus text format.

    
    For the textfile collector of node_exporter, from cron:
      hntes metrics --out /var/lib/node_exporter/hntes.prom

    docs/how-to/monitor.md has alert rules and a dashboard.
    """
    from hntes.workflow.reports.metrics import alpha_senders, audit_head, exposition, router_states, write_exposition

    states = router_states(context, context.chosen(router_names))
    text = exposition(states, alpha_senders(context, states), audit_head(context))
    if out_path is None:
        output.line(text.rstrip())
    else:
        write_exposition(out_path, text)
