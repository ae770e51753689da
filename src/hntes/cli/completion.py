"""Shell completion: names of routers and their ports, hashes and days of pending changes.

A shell asks while the user types: nothing is written, no schema is migrated, and an error in settings or database
gives no suggestion instead of a message. The command itself reports it.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from hntes.settings_file import settings_file

if TYPE_CHECKING:
    from hntes.workflow.review.changes import Change


def router_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The routers of the settings file, each with its platform."""
    del param
    try:
        routers = tomllib.loads(_settings_path(ctx).read_text(encoding="utf-8"))["routers"]
        found = [(str(router["name"]), str(router.get("platform", ""))) for router in routers]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return []
    return [CompletionItem(name, help=platform) for name, platform in found if name.startswith(incomplete)]


def ports(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ports with queues of the settings file, ROUTER:INTERFACE."""
    del param
    try:
        routers = tomllib.loads(_settings_path(ctx).read_text(encoding="utf-8"))["routers"]
        found = [
            f"{router['name']}:{interface['name']}"
            for router in routers
            for interface in router["interfaces"]
            if interface["role"] != "edge"
        ]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return []
    return [CompletionItem(name) for name in dict.fromkeys(found) if name.startswith(incomplete)]


def hashes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The pending candidates, of the named router if there is one."""
    del param
    found = _waiting(ctx)
    return [
        CompletionItem(entry.candidate_hash[: max(12, len(incomplete))], help=f"{entry.router} {entry.day}")
        for entry in found
        if entry.candidate_hash.startswith(incomplete)
    ]


def waiting_days(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The days of pending changes."""
    del param
    days = sorted({entry.day.isoformat() for entry in _waiting(ctx)}, reverse=True)
    return [CompletionItem(day) for day in days if day.startswith(incomplete)]


def _waiting(ctx: click.Context) -> list[Change]:
    from sqlalchemy.exc import SQLAlchemyError

    from hntes.errors import HntesError
    from hntes.workflow.review.changes import waiting_entries

    try:
        found = waiting_entries(_settings_path(ctx))
    except (HntesError, SQLAlchemyError, OSError):
        return []
    router = ctx.params.get("router_name")
    return [entry for entry in found if router in (None, entry.router)]


def _settings_path(ctx: click.Context) -> Path:
    """As the command would get it; the root's callback is not called for a completion."""
    given = ctx.find_root().params.get("settings_path")
    return settings_file(Path(given) if given else None)
