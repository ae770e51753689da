"""Options that several commands share, and how a command gets its context and reports its errors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from console import output

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
            self.fail(f"{value!r} is not a day; write YYYY-MM-DD, today or yesterday", param, ctx)


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


def with_context(command: Callable[..., R]) -> Callable[..., R]:
    """Gives a command an open context as its first argument, and turns expected errors into message and status 1."""

    @click.pass_context
    @functools.wraps(command)
    def run(ctx: click.Context, *args: Any, **kwargs: Any) -> R:
        # Loaded here, so that help and usage errors need not wait for it.
        from pipeline.context import opened
        from pipeline.errors import FAILED, expected, message

        path: Path | None = ctx.find_root().obj
        try:
            with opened(path) as context:
                return command(context, *args, **kwargs)
        except expected() as problem:
            output.note(f"hntes: {message(problem)}")
            raise click.exceptions.Exit(FAILED) from problem

    return run
