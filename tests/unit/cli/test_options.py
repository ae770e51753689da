"""Options that several commands share."""

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from hntes.cli.cli import main


def commands(group: click.Group, *names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)
        else:
            yield (*names, name), command


OF_ONE_ROUTER = [
    names
    for names, command in commands(main)
    if any(option.name == "router_name" and "--router" in option.opts for option in command.params)
]


@pytest.mark.parametrize("names", OF_ONE_ROUTER, ids=" ".join)
def test_a_command_for_one_router_does_not_take_the_last_of_several(names: tuple[str, ...]) -> None:
    # `--router` comes first, as it is its own mistake and not that of an argument left out.
    result = CliRunner().invoke(main, [*names, "--router", "r1", "--router", "r2"])
    assert result.exit_code == 2
    assert "given 2 times; this command takes one router" in result.stderr


def test_such_commands_are_known() -> None:
    decisions = {("change", "approve"), ("change", "reject"), ("change", "show")}
    assert decisions | {("override", "pin", "add"), ("override", "exclude", "add")} <= set(OF_ONE_ROUTER)
