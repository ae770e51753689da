"""`hntes check`: are the settings, the database and nfdump as they should be?"""

import click

from console import say
from console.options import with_context
from nightly.context import Context


@click.command()
@with_context
def check(context: Context) -> None:
    """Checks the settings, the database and nfdump; changes nothing but the database's schema."""
    settings = context.settings
    say.line(f"settings: {len(settings.routers)} router(s), {len(settings.plans)} plan(s)")
    say.line(f"database: {context.database.dialect.name}, schema up to date")
    say.line(f"nfdump:   {context.nfdump.version_text}, reads the reference file right")
    for router in settings.routers:
        found = router.flow_folder.is_dir()
        say.line(f"router {router.name}: {router.platform}, flows {'in' if found else 'MISSING:'} {router.flow_folder}")
