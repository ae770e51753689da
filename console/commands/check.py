"""`hntes check`: are the settings, the database, the engine and nfdump as they should be?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from base.wording import counted
from console import output
from console.options import with_context

if TYPE_CHECKING:
    from pipeline.context import Context


@click.command()
@with_context
def check(context: Context) -> None:
    """Checks the settings, the database, the engine and nfdump.

    Changes nothing but the database's schema, which it brings up to date as every command does.
    """
    settings = context.settings
    routers, plans = counted(len(settings.routers), "router"), counted(len(settings.plans), "plan")
    output.line(f"settings: {routers}, {plans}")
    output.line(f"database: {context.database.dialect.name}, schema up to date")
    output.line(f"engine:   {_engine(context)}")
    output.line(f"nfdump:   {context.nfdump.version_text}, reads the reference file correctly")
    for router in settings.routers:
        where = "in" if router.flow_folder.is_dir() else "MISSING:"
        output.line(f"router {router.name}: {router.platform}, flows {where} {router.flow_folder}")


def _engine(context: Context) -> str:
    """The analytics engine, after it has answered: a Spark that is missing is reported now, not at night."""
    context.analytics.run("select 1 as one", context.lake, [])
    analytics = context.settings.analytics
    return "duckdb" if analytics.kind == "duckdb" else f"spark on {analytics.spark.master}, answers"
