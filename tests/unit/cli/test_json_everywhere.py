"""Every command has a document for machines, and every help text fits a terminal of 80 columns."""

from collections.abc import Iterator

import click
import pytest

from hntes.cli.cli import main

# What runs until it is stopped, asks, or prints a format of its own.
WITHOUT = {
    "demo", "web", "metrics", "change review", "data listen", "data consume", "data poll-counters",
}  # fmt: skip


def commands(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from commands(found, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", found


ALL = dict(commands(main))


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_command_prints_one_document_on_demand(name: str) -> None:
    options = {option for each in ALL[name].params for option in each.opts}
    assert ("--json" in options) == (name not in WITHOUT)


@pytest.mark.parametrize("name", sorted(ALL))
def test_help_breaks_no_word_at_80_columns(name: str) -> None:
    found = ALL[name]
    root = click.Context(main, info_name="hntes", **main.context_settings)
    context = click.Context(found, root, info_name=name, terminal_width=80, max_content_width=80)
    text = found.get_help(context)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    printed = {word.replace("`", "") for word in text.split()}
    said = {word.replace("`", "") for word in (found.help or "").replace("\b", "").split()}
    assert sorted(said - printed) == []
