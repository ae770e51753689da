"""`hntes check`: are the settings, the database, the engine and nfdump as they should be?"""

import click

from console import output
from console.options import with_context
from pipeline.context import Context


@click.command()
@with_context
def check(context: Context) -> None:
    """Checks the settings, the database, the engine and nfdump; changes nothing but the database's schema."""
    settings = context.settings
    output.line(f"settings: {len(settings.routers)} router(s), {len(settings.plans)} plan(s)")
    output.line(f"database: {context.database.dialect.name}, schema up to date")
    output.line(f"engine:   {_engine(context)}")
    output.line(f"nfdump:   {context.nfdump.version_text}, reads the reference file right")
    for router in settings.routers:
        found = router.flow_folder.is_dir()
        output.line(
            f"router {router.name}: {router.platform}, flows {'in' if found else 'MISSING:'} {router.flow_folder}"
        )


def _engine(context: Context) -> str:
    """The analytics engine, after it has answered: a Spark that is not there is told now, not at night."""
    context.analytics.run("select 1 as one", context.lake, [])
    analytics = context.settings.analytics
    return "duckdb" if analytics.kind == "duckdb" else f"spark on {analytics.spark.master}, answers"
