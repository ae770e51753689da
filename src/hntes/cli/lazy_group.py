"""Command groups that are listed from names and help texts, and load only the called command."""

import importlib
from collections.abc import Mapping
from difflib import get_close_matches

import click
from click.shell_completion import CompletionItem

from hntes.cli.command_list import Family, ListedCommand


class LazyGroup(click.Group):
    """A group whose commands are listed, in titled sections if any, before any of them is loaded."""

    def __init__(self, sections: Mapping[str, Mapping[str, ListedCommand | Family]], **attributes: object) -> None:
        """See command_list for the sections."""
        super().__init__(**attributes)  # type: ignore[arg-type]
        self._sections = sections
        self._listed = {name: listed for commands in sections.values() for name, listed in commands.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self._listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        match self._listed.get(cmd_name):
            case None:
                return None
            case Family(help=text, commands=commands):
                return LazyGroup({"Commands": commands}, name=cmd_name, help=text)
            case ListedCommand(target=target):
                module, _, function = target.partition(":")
                command = getattr(importlib.import_module(f"hntes.cli.commands.{module}"), function)
                return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's; an unknown command is answered with those that may be meant."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            meant = self._meant(ctx, name)
            hint = f" Did you mean {' or '.join(f'`{each}`' for each in meant)}?" if meant else ""
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def _meant(self, ctx: click.Context, name: str) -> list[str]:
        """Whole commands whose last word is the name or much like it."""
        here = {f"{ctx.command_path} {listed}": listed for listed in self._listed}
        below = {
            f"{ctx.command_path} {family} {verb}": verb
            for family, listed in self._listed.items()
            if isinstance(listed, Family)
            for verb in listed.commands
        }
        return [
            path
            for paths in (here, below)
            for found in get_close_matches(name, list(paths.values()), n=2, cutoff=0.7)
            for path, word in paths.items()
            if word == found
        ][:3]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of the commands, from the list, since loading them all takes a second; then the options."""
        named = [CompletionItem(name, help=listed.help) for name, listed in self._listed.items()]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [item for item in named if item.value.startswith(incomplete)] + options

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        for title, commands in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, listed.help) for name, listed in commands.items()])
