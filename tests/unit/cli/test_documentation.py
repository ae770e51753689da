"""The documentation agrees with the program."""

import re
import tomllib
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin

import click
from pydantic import BaseModel

from hntes.cli.cli import main
from hntes.cli.reference import reference
from hntes.settings.model import Settings

ROOT = Path(__file__).resolve().parent.parent.parent.parent


def test_the_command_reference_has_the_help_of_every_command() -> None:
    sections = re.findall(r"^## `hntes ?([^`]*)`\n\n```\n(.+?)```\n", reference(), re.MULTILINE | re.DOTALL)
    assert [name for name, _ in sections] == ["", *_names(main, "")]
    help_of = dict(sections)
    assert "--day" in help_of["stage detect"]
    assert all(text.startswith("Usage: hntes") for text in help_of.values())


def _names(group: click.Group, prefix: str) -> list[str]:
    names: list[str] = []
    for name in group.list_commands(click.Context(group)):
        names.append(prefix + name)
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            names += _names(command, f"{prefix}{name} ")
    return names


def test_the_site_appends_the_reference_that_its_build_writes() -> None:
    build = (ROOT / "scripts" / "build_docs").read_text(encoding="utf-8")
    hook = (ROOT / "scripts" / "site_pages.py").read_text(encoding="utf-8")
    assert "-m hntes.cli.reference >build/commands.md\n" in build
    assert '"reference/commands.md": ("build/commands.md",)' in hook
    assert (ROOT / "docs" / "reference" / "commands.md").is_file()


def test_the_settings_reference_has_every_key_with_its_default() -> None:
    from hntes.settings.reference import reference as settings_reference

    text = settings_reference((ROOT / "hntes.example.toml").read_text(encoding="utf-8"))
    assert _keys(Settings) - set(re.findall(r"[a-z0-9_]+", text)) == set()
    detection = text.partition("## `[detection]`")[2].partition("\n## ")[0]
    assert "| `window_s` | whole number, from 1 to 3\u202f600 | `60` |" in detection  # without a space that breaks
    assert "## `[[routers.interfaces]]`" in text
    assert "| `role` | `edge`, `core`, `both` | required |" in text.partition("## `[[routers.interfaces]]`")[2]
    build = (ROOT / "scripts" / "build_docs").read_text(encoding="utf-8")
    assert "-m hntes.settings.reference hntes.example.toml >build/settings.md\n" in build


def test_every_key_of_the_settings_reference_has_a_meaning_that_stands_alone() -> None:
    from hntes.settings.reference import reference as settings_reference

    text = settings_reference((ROOT / "hntes.example.toml").read_text(encoding="utf-8"))
    rows = [line.removesuffix(" |").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert {"url", "min_ipv6_prefix_length", "beta_priority", "premium_cap_pct", "ipv4"} <= {
        row[0].strip("| `") for row in rows
    }
    assert {len(row) for row in rows} == {4}
    assert [row for row in rows if not row[3].strip()] == []
    # a comment that continues the one above it, or calls its key "it", says nothing in a table
    alone = re.compile(r"(?!\.\.\.|or |its |of |per |also|and ).*(?<! \.\.\.)")
    assert [row for row in rows if not alone.fullmatch(row[3])] == []


def test_every_setting_is_explained_in_the_example_or_among_the_plans() -> None:
    example = (ROOT / "hntes.example.toml").read_text(encoding="utf-8")
    plans = (ROOT / "docs" / "reference" / "plans.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"[a-z0-9_]+", example)) | set(re.findall(r"`([a-z0-9_]+)`", plans))
    assert _keys(Settings) - explained == set()


def _keys(model: type[BaseModel]) -> set[str]:
    found: set[str] = set()
    for name, field in model.model_fields.items():
        found.add(name)
        for inner in _models(field.annotation):
            found |= _keys(inner)
    return found


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) is not None or isinstance(annotation, UnionType):
        return [model for part in get_args(annotation) for model in _models(part)]
    return []


def test_the_example_is_toml() -> None:
    assert tomllib.loads((ROOT / "hntes.example.toml").read_text(encoding="utf-8"))["routers"]
