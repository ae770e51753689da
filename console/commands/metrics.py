"""What monitoring asks for."""

from pathlib import Path

import click

from base.files import write_changed_text
from console import output
from console.options import chosen, routers_option, with_context
from pipeline.context import Context
from pipeline.metrics import exposition, router_states


@click.command()
@routers_option
@click.option(
    "--out",
    "out_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file, whole or not at all, instead of standard output.",
)
@with_context
def metrics(context: Context, router_names: tuple[str, ...], out_path: Path | None) -> None:
    """Prints the state of every router in Prometheus' text form.

    \b
    For the node exporter's textfile collector, from cron:
      hntes metrics --out /var/lib/node_exporter/hntes.prom

    What to alert on is told in docs/how-to/operate.md.
    """
    text = exposition(router_states(context.database, chosen(context, router_names)))
    if out_path is None:
        output.line(text.rstrip())
    else:
        write_changed_text(out_path, text)
        out_path.touch()  # the collector tells how old a file is; an unchanged state must not look like a dead cron job
