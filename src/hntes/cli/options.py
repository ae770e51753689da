"""Options that several commands share; a command's context and error reporting."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from hntes import clock
from hntes.cli import completion, output
from hntes.days import day_problem
from hntes.sanitize import text_problem

if TYPE_CHECKING:
    from hntes.settings.model import Router
    from hntes.workflow.context import Context

P = ParamSpec("P")
R = TypeVar("R")


class Day(click.ParamType[date]):
    """A UTC day: YYYY-MM-DD, `today` or `yesterday`."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        if isinstance(value, date):
            return value
        today = clock.today()
        named = {"today": today, "yesterday": today - timedelta(days=1)}
        if value in named:
            return named[value]
        try:
            day = date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a day; write YYYY-MM-DD, today or yesterday", param, ctx)
        if problem := day_problem(day):
            self.fail(problem, param, ctx)
        return day


class FreeText(click.ParamType[str]):
    """Free text of an operator: one printable line."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if problem := text_problem(value):
            self.fail(f"the text {problem}", param, ctx)
        return str(value)


class SafePath(click.Path):
    """A path that the operating system can take."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if "\0" in os.fspath(value):
            self.fail("the path holds a NUL character, which no file's name can", param, ctx)
        return super().convert(value, param, ctx)


DAY = Day()
FREE_TEXT = FreeText()


def _day_option(default: str) -> Callable[[Callable[..., R]], Callable[..., R]]:
    text = f"UTC day of the flows; YYYY-MM-DD, today, yesterday. Default: {default}."
    return click.option("--day", type=DAY, default=None, help=text)


# The commands resolve a missing day by `day_with_files` and `day_with_records`.
files_day_option = _day_option("the newest with flow files")
day_option = _day_option("the newest with flow records")
routers_option = click.option(
    "--router",
    "router_names",
    multiple=True,
    metavar="NAME",
    help="Only this router; may be repeated. Default: all.",
    shell_complete=completion.router_names,
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")


def _the_one(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> str | None:
    """Refuses two routers for a command that takes one; click would silently take the last."""
    if len(value) > 1:
        raise click.BadParameter(f"given {len(value)} times; this command takes one router", ctx, param)
    return value[0] if value else None


def one_router_option(
    text: str = "The router.", *, required: bool = False, default: str | None = None
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """The option of a command for one router, which may be given once."""
    return click.option(
        "--router",
        "router_name",
        multiple=True,
        required=required,
        default=(default,) if default else (),
        callback=_the_one,
        metavar="NAME",
        help=text,
        shell_complete=completion.router_names,
    )


router_option = one_router_option(required=True)


def day_with_files(context: Context, day: date | None, routers: list[Router]) -> date:
    """The day given, else the newest with flow files, which is told; yesterday if there are none."""
    from hntes.workflow.stages.newest_day import newest_day_with_files

    return day or _told(newest_day_with_files(context, routers), "the newest with flow files")


def day_with_records(context: Context, day: date | None, routers: list[Router]) -> date:
    """The day given, else the newest with flow records, which is told; yesterday if none was processed."""
    from hntes.workflow.stages.newest_day import newest_day_with_records

    return day or _told(newest_day_with_records(context, routers), "the newest with flow records")


def _told(found: date | None, what: str) -> date:
    if found is None:
        return clock.today() - timedelta(days=1)
    output.note(f"day: {found}, {what}; --day chooses another")
    return found


def with_settings(command: Callable[..., R]) -> Callable[..., R]:
    """Gives a command the settings as its first argument, and turns expected errors into message and status 1.

    For commands that need no database.
    """

    @click.pass_context
    @functools.wraps(command)
    def run(ctx: click.Context, *args: Any, **kwargs: Any) -> R:
        from hntes.workflow.context import settings_of
        from hntes.workflow.errors import FAILED, expected, message

        try:
            return command(settings_of(ctx.find_root().obj), *args, **kwargs)
        except expected() as problem:
            output.note(f"hntes: {message(problem)}")
            raise click.exceptions.Exit(FAILED) from problem

    return run


def with_context(command: Callable[..., R]) -> Callable[..., R]:
    """Gives a command an open context as its first argument, and turns expected errors into message and status 1."""

    @click.pass_context
    @functools.wraps(command)
    def run(ctx: click.Context, *args: Any, **kwargs: Any) -> R:
        # Loaded here, so that help and usage errors need not wait for it.
        from hntes.workflow.context import opened
        from hntes.workflow.errors import FAILED, expected, message

        path: Path | None = ctx.find_root().obj
        try:
            with opened(path) as context:
                return command(context, *args, **kwargs)
        except expected() as problem:
            output.note(f"hntes: {message(problem)}")
            raise click.exceptions.Exit(FAILED) from problem

    return run
