"""The list of commands that help prints is what the commands themselves say."""

import click
import pytest
from click.testing import CliRunner

from hntes.cli.cli import main
from hntes.cli.command_list import ALIASES, SECTIONS, ListedCommand
from hntes.cli.commands.judge import judge
from hntes.platforms.registry import installed_platforms

LISTED = [(name, listed) for commands in SECTIONS.values() for name, listed in commands.items()]


@pytest.mark.parametrize(("name", "listed"), LISTED, ids=[name for name, _ in LISTED])
def test_a_command_is_listed_with_the_first_sentence_of_its_help(name: str, listed: ListedCommand) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    assert command.get_short_help_str(limit=1000) == listed.help


def test_all_commands_are_listed_once() -> None:
    names = [name for name, _ in LISTED]
    assert main.list_commands(click.Context(main)) == names
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("former", "name"), ALIASES.items())
def test_a_former_name_is_the_same_command_and_not_listed(former: str, name: str) -> None:
    context = click.Context(main)
    assert main.get_command(context, former) is main.get_command(context, name)
    assert f"  {former} " not in CliRunner().invoke(main, ["--help"]).output


def test_any_platform_may_be_named() -> None:
    (chosen,) = (each.type for each in judge.params if each.name == "platform")
    assert isinstance(chosen, click.Choice)
    assert tuple(chosen.choices) == installed_platforms()
