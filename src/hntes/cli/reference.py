"""Command reference in Markdown, from the commands' own help: `make docs` appends it to docs/reference/commands.md."""

import sys
from typing import Any

import click

from hntes.cli.cli import main
from hntes.cli.command_list import ALIASES

_WIDTH: dict[str, Any] = {"max_content_width": 100, "terminal_width": 100}


def reference() -> str:
    """Markdown: the root's help, then every command's and subcommand's."""
    former = "; ".join(f"`hntes {old}` is `hntes {new}`" for old, new in ALIASES.items())
    texts = [f"Former names go on working, with all options: {former}.\n"]
    root = click.Context(main, info_name="hntes", **{**main.context_settings, **_WIDTH})
    texts.append(_section("hntes", main.get_help(root)))
    for name in main.list_commands(root):
        command = main.get_command(root, name)
        assert command is not None  # noqa: S101 - the name is from the list
        texts += _sections(command, click.Context(command, root, name, **_WIDTH))
    return "\n".join(texts)


def _sections(command: click.Command, context: click.Context) -> list[str]:
    texts = [_section(context.command_path, command.get_help(context))]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None  # noqa: S101 - the name is from the list
            texts += _sections(child, click.Context(child, context, name, **_WIDTH))
    return texts


def _section(title: str, text: str) -> str:
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"## `{title}`\n\n```\n{lines}\n```\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
