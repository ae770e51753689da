"""Options and arguments that several commands share, and how a command's errors end."""

import functools
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from console import output
from pipeline.context import Context, opened
from pipeline.errors import EXPECTED, FAILED, message
from settings.model import Router

P = ParamSpec("P")
R = TypeVar("R")


class Day(click.ParamType[date]):
    """A UTC day: YYYY-MM-DD, `today` or `yesterday`."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        if isinstance(value, date):
            return value
        today = datetime.now(UTC).date()
        named = {"today": today, "yesterday": today - timedelta(days=1)}
        if value in named:
            return named[value]
        try:
            return date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no day; write YYYY-MM-DD, today or yesterday", param, ctx)


DAY = Day()
day_option = click.option(
    "--day",
    type=DAY,
    default="yesterday",
    show_default=True,
    help="UTC day of the flows; YYYY-MM-DD, today, yesterday.",
)
routers_option = click.option(
    "--router", "router_names", multiple=True, metavar="NAME", help="Only this router; may be repeated. Default: all."
)
router_option = click.option("--router", "router_name", required=True, metavar="NAME", help="The router.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")


def chosen(context: Context, names: Sequence[str]) -> list[Router]:
    """The routers of these names, in the settings' order; all when none is named.

    Raises:
        CommandError: a name is not in the settings.
    """
    return context.chosen(names)


def with_context(command: Callable[..., R]) -> Callable[..., R]:
    """Gives a command an open context as its first argument, and turns expected errors into message and status 1."""

    @click.pass_context
    @functools.wraps(command)
    def run(ctx: click.Context, *args: Any, **kwargs: Any) -> R:
        path: Path | None = ctx.find_root().obj
        try:
            with opened(path) as context:
                return command(context, *args, **kwargs)
        except EXPECTED as problem:
            output.note(f"hntes: {message(problem)}")
            raise click.exceptions.Exit(FAILED) from problem

    return run
