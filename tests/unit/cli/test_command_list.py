"""The list of commands that help prints is what the commands themselves say."""

import click
import pytest
from click.testing import CliRunner

from hntes.cli.cli import main
from hntes.cli.command_list import SECTIONS, Family, ListedCommand
from hntes.cli.commands.judge import judge
from hntes.platforms.registry import installed_platforms

TOP = {name: listed for commands in SECTIONS.values() for name, listed in commands.items()}
LISTED = [((name,), listed) for name, listed in TOP.items() if isinstance(listed, ListedCommand)] + [
    ((family, name), listed)
    for family, commands in TOP.items()
    if isinstance(commands, Family)
    for name, listed in commands.commands.items()
]


def _command(path: tuple[str, ...]) -> click.Command:
    found: click.Command | None = main
    for name in path:
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), name)
    assert found is not None
    return found


@pytest.mark.parametrize(("path", "listed"), LISTED, ids=[" ".join(path) for path, _ in LISTED])
def test_a_command_is_listed_with_the_first_sentence_of_its_help(path: tuple[str, ...], listed: ListedCommand) -> None:
    assert _command(path).get_short_help_str(limit=1000) == listed.help


def test_all_commands_are_listed_once() -> None:
    names = [name for commands in SECTIONS.values() for name in commands]
    assert main.list_commands(click.Context(main)) == names
    assert len(set(names)) == len(names) <= 20


@pytest.mark.parametrize("family", [name for name, listed in TOP.items() if isinstance(listed, Family)])
def test_a_family_lists_its_commands(family: str) -> None:
    shown = CliRunner().invoke(main, [family, "--help"])
    assert shown.exit_code == 0
    assert f"Usage: main {family} [OPTIONS] COMMAND" in shown.output
    command = _command((family,))
    assert isinstance(command, click.Group)
    for name in command.list_commands(click.Context(command)):
        assert f"  {name} " in shown.output


def test_any_platform_may_be_named() -> None:
    (chosen,) = (each.type for each in judge.params if each.name == "platform")
    assert isinstance(chosen, click.Choice)
    assert tuple(chosen.choices) == installed_platforms()
