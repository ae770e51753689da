"""`hntes data migrate`: brings the schema of the database to this version's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import json_option, with_context

if TYPE_CHECKING:
    from hntes.workflow.context import Context


@dataclass(frozen=True)
class Schema:
    """The kind of database (`sqlite`, `postgresql`), and the revision of its tables."""

    database: str
    revision: str


@click.command()
@json_option
@with_context
def migrate(context: Context, as_json: bool) -> None:
    """Brings the database schema to this version's.

    Every command does so before its work; this one does nothing else, for an installation whose other services wait for
    the schema. It opens the settings and the database, and looks at neither flows nor routers: `hntes check` does.
    """
    from hntes.sql.engine import head_revision

    found = Schema(context.database.dialect.name, head_revision())
    output.result(found, f"database: {found.database}, schema up to date (revision {found.revision})", as_json=as_json)
